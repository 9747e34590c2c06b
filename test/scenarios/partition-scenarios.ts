// Scenarios 9–14: which partition has which timer, what holds a timer back, and what a charge writes.
import { describe, expect, it } from "vitest";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import type { Coordinator } from "../../src/quota/protocol.ts";
import { expiryHandler } from "../../src/quota/expiry.ts";
import { rollupHandler } from "../../src/quota/rollup.ts";
import { retryLater } from "../../src/quota/rows.ts";
import { decideShardCharge } from "../../src/quota/shard-charge.ts";
import type { Known } from "../../src/quota/view-source.ts";
import { Draft } from "../../src/store/draft.ts";
import { dueTimes, shardRow, timerRow, totalRow } from "./rows.ts";
import { COORDINATOR, NAMESPACE, type OpenWorld, SETTINGS, shard } from "./world.ts";

const { windowMs, rollupMs } = SETTINGS;
const NEVER_CALLED: Coordinator = {
  push: () => Promise.reject(new Error("a rollup ran where there is no quota")),
};

export function partitionScenarios(open: OpenWorld): void {
  describe("a timer and its partition", () => whoseTimer(open));
  describe("a timer held back", () => heldBack(open));
  describe("a charge", () => aCharge(open));
}

function whoseTimer(open: OpenWorld): void {
  it.each([NAMESPACE, COORDINATOR])(
    "scenario 9: an exact partition's timer stops after the window's end ($kind)",
    async (partition) => {
      const world = open();
      await world.put(partition, totalRow(0, "1/0"), timerRow(0, 630_000, windowMs));
      expect(await world.tick(partition, 700_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
      expect(await world.rows(partition)).toEqual([]);
    },
  );

  it.each([
    { name: "rollup", handler: rollupHandler },
    { name: "expiry", handler: expiryHandler },
  ])("scenario 10: rollup runs only where quota rows live ($name)", async ({ handler }) => {
    const world = open();
    const other = { kind: "repo", ns: "root" } as unknown as Partition;
    const timer = timerRow(0, 60_000, windowMs);
    await world.put(other, timer);

    const report = await world.tick(other, 60_000, (store) =>
      handler({
        store,
        settings: SETTINGS,
        observe: () => {},
        source: encodePartition(shard(0)),
        coordinator: NEVER_CALLED,
      }),
    );
    expect(report).toMatchObject({ fired: 0, failed: 0, unknown: 1, nextWakeMs: 60_000 + 3_600_000 });
    expect(await world.rows(other)).toEqual([timer]);
  });
}

function heldBack(open: OpenWorld): void {
  it.each([
    { where: "no coordinator", handlerOn: undefined },
    { where: "no settings", handlerOn: () => retryLater },
  ])("scenario 11: a configuration failure keeps the timer ($where)", async ({ handlerOn }) => {
    const world = open({ coordinator: "unconfigured" });
    const rows = [shardRow(0, "1/0"), timerRow(0, 60_000, windowMs)];
    await world.put(shard(0), ...rows);

    const report = await world.tick(shard(0), 60_000, handlerOn);
    expect(report).toMatchObject({ fired: 0, failed: 1, unknown: 0, nextWakeMs: 65_000 });
    expect(await world.rows(shard(0))).toEqual(rows);
  });

  it("scenario 12: at most four rollups a tick", async () => {
    const world = open();
    const nowMs = 9 * windowMs;
    for (let window = 0; window < 9; window++) {
      await world.put(shard(0), shardRow(window, "1/0"), timerRow(window, window * windowMs + rollupMs, windowMs));
    }

    expect(await world.tick(shard(0), nowMs)).toMatchObject({ fired: 4, deferred: 5, nextWakeMs: nowMs });
    expect(await world.tick(shard(0), nowMs)).toMatchObject({ fired: 4, deferred: 1, nextWakeMs: nowMs });
    expect(await world.tick(shard(0), nowMs)).toMatchObject({ fired: 1, deferred: 0, nextWakeMs: nowMs + rollupMs });
  });
}

function aCharge(open: OpenWorld): void {
  it.each([NAMESPACE, COORDINATOR])(
    "scenario 13: single and coordinator paths charge the total exactly ($kind)",
    async (partition) => {
      const world = open({ settings: { limits: { maxOps: 2n, maxBytes: 4n } } });
      expect(await world.charge(partition, 1_000, 2n)).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 2n } });
      expect(await world.charge(partition, 2_000, 2n)).toMatchObject({ ok: true, usage: { ops: 2n, bytes: 4n } });
      expect(world.batches(partition)).toHaveLength(2);

      const third = await world.charge(partition, 3_000, 2n);
      expect(third).toMatchObject({ ok: false, code: "quota_exhausted", scope: "namespace", dimension: "ops" });
      expect(world.batches(partition)).toHaveLength(2);
      expect(await world.rows(partition)).toEqual([totalRow(0, "2/4"), timerRow(0, 630_000, windowMs)]);
    },
  );

  it("scenario 14: the rollup timer follows the server clock even when the business clock is skewed", async () => {
    const world = open();
    const knownOf = (): Known => ({ view: null, limits: SETTINGS.limits });
    const context = { settings: { ...SETTINGS, windowMs: 60_000 }, nowMs: 1_000, knownOf };
    const answer = await world.onStore(shard(0), (store) => {
      const draft = new Draft(store);
      const decided = decideShardCharge(draft, { nowMs: 180_000, bytes: 7n }, context);
      store.apply(draft.batch());
      return decided;
    });

    expect(answer).toMatchObject({ ok: true, window: { number: 3n }, usage: { ops: 1n, bytes: 7n } });
    const rows = await world.rows(shard(0));
    expect(rows).toEqual([shardRow(3, "1/7"), timerRow(3, 61_000, 60_000)]);
    expect(dueTimes(rows)).toEqual([61_000]);
  });
}
