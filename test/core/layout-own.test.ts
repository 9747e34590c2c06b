// The rows this project added, pinned byte for byte by test/fixtures/layout-own.json.
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../src/core/bytes.ts";
import { decodeLimits, decodeTarget, encodeLimits, encodeTarget } from "../../src/core/codec.ts";
import { idempotencyKey, LIMITS_KEY, REF_TARGET_KEY } from "../../src/core/keys.ts";
import { toWindow, windowOf } from "../../src/core/window.ts";
import { decideOnce, ENDPOINT } from "../../src/quota/idempotency.ts";
import { decideShardCharge } from "../../src/quota/shard-charge.ts";
import { Draft } from "../../src/store/draft.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import layout from "../fixtures/layout-own.json";

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error(`not hex: ${hex}`);
  return bytes;
}

const optional = (count: string | null): bigint | null => (count === null ? null : BigInt(count));

it.each(layout.keys)("key $fn $key", ({ fn, window, endpoint, key, hex, keyHex }) => {
  if (fn === "limits") expect(toHex(LIMITS_KEY)).toBe(hex);
  else if (fn === "refTarget") expect(toHex(REF_TARGET_KEY)).toBe(hex);
  else {
    const made = idempotencyKey(toWindow(BigInt(window ?? "")), endpoint ?? 0, key ?? "");
    expect(toHex(made)).toBe(`${hex}${keyHex}`);
  }
});

describe("limits", () => {
  it.each(layout.limits)("$hex is $maxOps ops and $maxBytes bytes", ({ maxOps, maxBytes, hex }) => {
    const limits = { maxOps: optional(maxOps), maxBytes: optional(maxBytes) };
    expect(toHex(encodeLimits(limits))).toBe(hex);
    expect(decodeLimits(bytesOf(hex))).toEqual(limits);
  });

  it.each(layout.limitsRejectedByDecode)("%j is none", (hex) => {
    expect(decodeLimits(bytesOf(hex))).toBe(null);
  });
});

describe("ref targets", () => {
  it.each(layout.targets)("%s is its own bytes", (target) => {
    expect(toHex(encodeTarget(target))).toBe(target);
    expect(decodeTarget(bytesOf(target))).toBe(target);
  });

  it.each(layout.targetsRejectedByDecode)("%j is none", (hex) => {
    expect(decodeTarget(bytesOf(hex))).toBe(null);
  });
});

it("what a charge with a key was answered is stored as these bytes", () => {
  const store = new MemoryStore({ kind: "ref", ns: "root", repo: "a", ref: "refs/heads/main" }, () => 1_000);
  const limits = { maxOps: 2n, maxBytes: 9n };
  const settings = { windowMs: 600_000, rollupMs: 60_000, clockGraceMs: 30_000, coordinatorTimeoutMs: 0, limits };
  const view = { total: { ops: 0n, bytes: 0n }, pushed: { ops: 0n, bytes: 0n }, observedAtMs: 7n };
  const draft = new Draft(store);
  const once = {
    key: "k",
    endpoint: ENDPOINT.charge,
    window: windowOf(1_000, 600_000),
    fingerprint: bytesOf(layout.charge.fingerprint),
    countedAt: "shard" as const,
  };
  const context = { settings, nowMs: 1_000, knownOf: () => ({ view, limits }) };
  const answer = decideOnce(draft, once, () => decideShardCharge(draft, { nowMs: 1_000, bytes: 5n }, context));
  store.apply(draft.batch());
  const value = store.get(idempotencyKey(once.window, ENDPOINT.charge, "k"));
  expect(toHex(idempotencyKey(once.window, ENDPOINT.charge, "k"))).toBe(layout.charge.key);
  expect(value === null ? null : toHex(value)).toBe(`${layout.charge.value}${layout.charge.fingerprint}`);
  const again = decideOnce(new Draft(store), once, () => answer as never);
  expect(again).toEqual({ ...answer, replayed: true });
});
