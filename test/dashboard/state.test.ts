// What the page keeps and concludes, without a page.
import { expect, it } from "vitest";
import type { Usage } from "../../src/dashboard/api.js";
import { parseJson, stringifyJson } from "../../src/dashboard/exact-json.js";
import { History, MAX_SAMPLES } from "../../src/dashboard/history.js";
import { retryDelayMs } from "../../src/dashboard/poll.js";
import { explain } from "../../src/dashboard/refusals.js";
import { largestFirst } from "../../src/dashboard/shard-reader.js";

const U64_MAX = 2n ** 64n - 1n;

it("integers of JSON are exact in both directions", () => {
  const text = `{"maxOps":${U64_MAX},"maxBytes":null,"half":0.5}`;
  expect(parseJson(text)).toEqual({ maxOps: U64_MAX, maxBytes: null, half: 0.5 });
  expect(stringifyJson(parseJson(text))).toBe(text);
});

it("failures are retried ever later, within half a minute", () => {
  expect([0, 1, 2, 3, 4, 5, 6, 60].map(retryDelayMs)).toEqual([
    2_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000,
  ]);
});

it("the history is bounded, and broken where windows change and where nothing was seen", () => {
  const history = new History();
  const sample = (atMs: number, window: bigint) => ({ atMs, window, ops: BigInt(atMs), bytes: 0n });
  const seen = [sample(0, 1n), sample(2_000, 1n), sample(4_000, 2n), sample(20_000, 2n)];
  for (const each of seen) history.add(each);
  expect(history.withBreaks()).toEqual([seen[0], seen[1], null, seen[2], null, seen[3]]);
  for (let n = 0; n < MAX_SAMPLES; n++) history.add(sample(30_000 + n, 2n));
  expect(history.samples.length).toBe(MAX_SAMPLES);
  expect(history.samples[0]?.atMs).toBe(30_000);
});

it("the largest come first, equals in the order they came", () => {
  const shard = (repo: string, ops: bigint) => ({ repo, ref: "refs/heads/main", ops, bytes: 0n });
  const items = [shard("a", 1n), shard("b", U64_MAX), shard("c", U64_MAX - 1n), shard("d", 1n)];
  expect(largestFirst(items, "ops").map(({ repo }) => repo)).toEqual(["b", "c", "a", "d"]);
});

function usage(maxOps: bigint | null, ops: bigint, maxBytes: bigint | null, bytes: bigint): Usage {
  const left = (max: bigint | null, used: bigint): bigint | null =>
    max === null ? null : used >= max ? 0n : max - used;
  return {
    window: { number: 1n, startsAt: "2026-12-01T00:00:00.000Z", endsAt: "2026-12-01T01:00:00.000Z" },
    total: { ops, bytes },
    sources: 1n,
    limits: { maxOps, maxBytes },
    remaining: { ops: left(maxOps, ops), bytes: left(maxBytes, bytes) },
  };
}

it.each([
  ["room", usage(10n, 8n, 10n, 0n), []],
  ["unlimited", usage(null, U64_MAX, null, U64_MAX), []],
  ["nearly full", usage(10n, 9n, 10n, 0n), ["Ops are at 90 % of the limit."]],
  ["full", usage(10n, 11n, 10n, 10n), ["No ops are left in this window.", "No bytes are left in this window."]],
  ["blocked", usage(0n, 0n, null, 0n), ["This namespace is blocked: its limit is 0 ops."]],
  ["without bytes", usage(null, 0n, 0n, 0n), ["Writes may carry no bytes: the limit is 0."]],
])("a namespace that is %s is explained", (_state, state, titles) => {
  expect(explain(state).map(({ title }) => title)).toEqual(titles);
});
