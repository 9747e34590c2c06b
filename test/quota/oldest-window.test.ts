import { expect, it } from "vitest";
import type { QuotaEvent } from "../../src/core/events.ts";
import { quotaContributionKey, quotaShardKey, quotaTotalKey } from "../../src/core/keys.ts";
import { toWindow } from "../../src/core/window.ts";
import { observeOldestWindow } from "../../src/quota/oldest-window.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { bytes, PARTITION } from "../conformance/harness.ts";

const settings = {
  windowMs: 1_000,
  rollupMs: 100,
  clockGraceMs: 0,
  coordinatorTimeoutMs: 100,
  limits: { maxOps: 1n, maxBytes: 1n },
};
const THIRD = toWindow(3n);
const FIFTH = toWindow(5n);
const NINTH = toWindow(9n);

function reported(keys: readonly ReturnType<typeof quotaShardKey>[], nowMs: number): readonly QuotaEvent[] {
  const store = new MemoryStore(PARTITION, () => nowMs);
  store.apply({ preconditions: [], writes: keys.map((key) => ({ kind: "put", key, value: bytes("v") })) });
  const events: QuotaEvent[] = [];
  observeOldestWindow({ store, settings, observe: (event) => events.push(event) }, ["qc", "qt"], nowMs);
  return events;
}

it("is the oldest of all classes that are watched, in windows before the current one", () => {
  const keys = [
    quotaTotalKey(FIFTH),
    quotaContributionKey(THIRD, bytes("shard")),
    quotaContributionKey(FIFTH, bytes("a")),
  ];
  expect(reported(keys, 5_999)).toEqual([{ kind: "oldestWindow", window: 3n, behind: 2 }]);
  expect(reported([quotaTotalKey(FIFTH)], 5_000)).toEqual([{ kind: "oldestWindow", window: 5n, behind: 0 }]);
});

it("is never negative, though the window length has been made longer", () => {
  expect(reported([quotaTotalKey(NINTH)], 5_000)).toEqual([{ kind: "oldestWindow", window: 9n, behind: 0 }]);
});

it("is not reported where none of the classes has a row", () => {
  expect(reported([quotaShardKey(THIRD)], 5_000)).toEqual([]);
});
