// Rollups that come twice, late or in the wrong order, and shards that sleep and wake: in virtual time.
import { expect, it } from "vitest";
import { decodeTimerKey, toKey } from "../../src/core/keys.ts";
import type { PushResult } from "../../src/quota/protocol.ts";
import { Cluster } from "../simulation/cluster.ts";

const SETTINGS = {
  windowMs: 3_600_000,
  rollupMs: 60_000,
  clockGraceMs: 30_000,
  coordinatorTimeoutMs: 2_000,
  limits: { maxOps: null, maxBytes: null },
};
const REF = "refs/heads/a";
const ONE = { bytes: 1n, idempotencyKey: null };

function totalOf(cluster: Cluster): unknown {
  const report = cluster.coordinator.quota.report();
  return report.ok ? report.total : report;
}

function timersOf(cluster: Cluster): readonly number[] {
  const { allRows } = cluster.shard(REF);
  return allRows.flatMap(({ key }) => decodeTimerKey(toKey(key))?.dueAtMs ?? []);
}

it("a push that arrives after a newer one of its shard leaves the newer one standing", async () => {
  const cluster = new Cluster(SETTINGS);
  await cluster.shard(REF).quota.charge(ONE);
  const held: (() => Promise<PushResult>)[] = [];
  cluster.link = async (_push, deliver) => {
    held.push(deliver);
    return { kind: "failed", reason: "unavailable" };
  };
  await cluster.advanceTo(60_000);
  await cluster.shard(REF).quota.charge(ONE);
  cluster.link = (_push, deliver) => deliver();
  await cluster.advanceTo(120_000);
  expect(totalOf(cluster)).toEqual({ ops: 2n, bytes: 2n });

  expect(held).toHaveLength(1);
  expect(await held[0]?.()).toMatchObject({ kind: "accepted", total: { ops: 2n, bytes: 2n }, rebasedFrom: null });
  expect(totalOf(cluster)).toEqual({ ops: 2n, bytes: 2n });
  expect(cluster.events.filter(({ kind }) => kind === "rebase")).toEqual([]);
});

it("a shard restored to an earlier state takes the total down with its next rollup, as a rebase", async () => {
  const cluster = new Cluster(SETTINGS);
  const shard = cluster.shard(REF);
  await shard.quota.charge(ONE);
  const earlier = shard.allRows;
  await shard.quota.charge(ONE);
  await cluster.advanceTo(60_000);
  expect(totalOf(cluster)).toEqual({ ops: 2n, bytes: 2n });
  for (const { key } of shard.allRows) shard.rows.apply({ preconditions: [], writes: [{ kind: "delete", key }] });
  shard.rows.apply({ preconditions: [], writes: earlier.map((row) => ({ kind: "put", ...row })) });
  shard.restart();
  await cluster.advanceTo(61_000);
  expect(totalOf(cluster)).toEqual({ ops: 1n, bytes: 1n });
  expect(cluster.events.filter(({ kind }) => kind === "rebase")).toHaveLength(1);
});

it("a shard that found itself idle sleeps to the window's end, and a charge wakes it in its old rhythm", async () => {
  const cluster = new Cluster(SETTINGS);
  await cluster.shard(REF).quota.charge(ONE);
  expect(timersOf(cluster)).toEqual([60_000]);
  await cluster.advanceTo(60_000);
  expect(timersOf(cluster)).toEqual([120_000]);
  await cluster.advanceTo(120_000);
  // The first whole period at or after 3,630,000.
  expect(timersOf(cluster)).toEqual([3_660_000]);

  await cluster.advanceTo(1_000_000);
  await cluster.shard(REF).quota.charge(ONE);
  expect(timersOf(cluster)).toEqual([1_020_000]);
  await cluster.advanceTo(1_020_000);
  expect(totalOf(cluster)).toEqual({ ops: 2n, bytes: 2n });
});

it("changed limits hold on a shard that slept within one period of its waking", async () => {
  const cluster = new Cluster(SETTINGS);
  const { quota } = cluster.shard(REF);
  await quota.charge(ONE);
  await cluster.advanceTo(120_000);
  await cluster.coordinator.quota.setLimits({ maxOps: 2n, maxBytes: null });
  await cluster.advanceTo(179_000);
  expect(await quota.charge(ONE)).toMatchObject({ ok: true, limits: SETTINGS.limits });
  await cluster.advanceTo(180_000);
  expect(await quota.charge(ONE)).toMatchObject({ ok: false, code: "quota_exhausted", limits: { maxOps: 2n } });
});

it("a charge every 10 s for 5 min makes a rollup about every 60 s", async () => {
  const cluster = new Cluster(SETTINGS);
  for (let charge = 0; charge < 30; charge++) {
    await cluster.shard(REF).quota.charge(ONE);
    await cluster.advanceBy(10_000);
  }
  expect(cluster.shard(REF).alarms).toBe(5);
  expect(totalOf(cluster)).toEqual({ ops: 30n, bytes: 30n });
});

it("after three hours asleep there is one catch-up rollup, and nothing is left", async () => {
  const cluster = new Cluster({ ...SETTINGS, windowMs: 86_400_000 });
  const shard = cluster.shard(REF);
  await shard.quota.charge(ONE);
  shard.alarmMs = null;
  await cluster.advanceBy(3 * 3_600_000);
  shard.restart();
  await cluster.advanceBy(1_000);
  expect([shard.alarms, totalOf(cluster)]).toEqual([1, { ops: 1n, bytes: 1n }]);
});
