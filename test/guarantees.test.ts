// One test for each guarantee the README gives, by its name, on the real quota code in virtual time.
// What only the runtime can show of them is in test/lifecycle, test/http and test/e2e.
import { describe, expect, it } from "vitest";
import { toHex } from "../src/core/bytes.ts";
import { decodeUsage } from "../src/core/codec.ts";
import { quotaTotalKey } from "../src/core/keys.ts";
import { encodePartition } from "../src/core/partition.ts";
import type { QuotaSettings } from "../src/core/settings.ts";
import { windowOf } from "../src/core/window.ts";
import { objectName } from "../src/objects/identity.ts";
import type { PushResult } from "../src/quota/protocol.ts";
import { Cluster, untilQuiet } from "./simulation/cluster.ts";

const SETTINGS: QuotaSettings = {
  windowMs: 600_000,
  rollupMs: 60_000,
  clockGraceMs: 30_000,
  coordinatorTimeoutMs: 2_000,
  limits: { maxOps: 100n, maxBytes: 10_000n },
};
const UNLIMITED = { maxOps: null, maxBytes: null };

function total(cluster: Cluster, window = windowOf(cluster.nowMs, SETTINGS.windowMs)): unknown {
  const value = cluster.coordinator.rows.get(quotaTotalKey(window));
  return value === null ? null : decodeUsage(value);
}

async function chargeTimes(cluster: Cluster, ref: string, times: number, bytes = 1n): Promise<number> {
  const { quota } = cluster.shard(ref);
  const results = await Promise.all(Array.from({ length: times }, () => quota.charge({ bytes, idempotencyKey: null })));
  return results.filter((result) => result.ok).length;
}

it("G1 exact shard: of charges made at once, exactly the cap is admitted by a shard that knows no other", async () => {
  const cluster = new Cluster({ ...SETTINGS, coordinatorTimeoutMs: 0 });
  cluster.link = async () => ({ kind: "failed", reason: "unavailable" });
  expect(await chargeTimes(cluster, "refs/heads/a", 250)).toBe(100);
  expect(await chargeTimes(cluster, "refs/heads/a", 50)).toBe(0);
});

it("G2 all or nothing: a denial in one dimension charges neither and writes nothing", async () => {
  const cluster = new Cluster(SETTINGS);
  const shard = cluster.shard("refs/heads/a");
  await shard.quota.charge({ bytes: 9_990n, idempotencyKey: null });
  const before = shard.allRows;
  expect(await shard.quota.charge({ bytes: 11n, idempotencyKey: null })).toMatchObject({
    ok: false,
    dimension: "bytes",
    usage: { ops: 1n, bytes: 9_990n },
  });
  expect(shard.allRows).toEqual(before);
});

it("G3 no loss, no double: lost replies, repeats and restarts leave total = admitted", async () => {
  const cluster = new Cluster({ ...SETTINGS, limits: UNLIMITED });
  let calls = 0;
  cluster.link = async (_push, deliver): Promise<PushResult> => {
    calls++;
    await deliver();
    const result = await deliver();
    return calls % 3 === 0 ? { kind: "failed", reason: "unavailable" } : result;
  };
  for (const round of [1, 2, 3, 4, 5]) {
    for (const ref of ["refs/heads/a", "refs/heads/b", "refs/heads/c"]) {
      expect(await chargeTimes(cluster, ref, round, 10n)).toBe(round);
      cluster.shard(ref).restart();
    }
    await cluster.advanceBy(50_000);
    cluster.coordinator.restart();
  }
  await cluster.advanceBy(120_000);
  expect(total(cluster)).toEqual({ ops: 45n, bytes: 450n });
});

it("G4 bounded staleness: no decision rests on a view older than two periods while the coordinator answers", async () => {
  const cluster = new Cluster(SETTINGS);
  const ages: number[] = [];
  for (let minute = 0; minute < 9; minute++) {
    const result = await cluster.shard("refs/heads/a").quota.charge({ bytes: 0n, idempotencyKey: null });
    if (!("view" in result) || result.view.status !== "fresh") throw new Error("decided without a fresh view");
    ages.push(cluster.nowMs - result.view.observedAtMs);
    await cluster.advanceBy(minute % 2 === 0 ? 45_000 : 90_000);
  }
  expect(Math.max(...ages)).toBeLessThanOrEqual(2 * SETTINGS.rollupMs);
});

it("G5 bounded overshoot: at most what the other shards admitted in the last three periods", async () => {
  const cluster = new Cluster({ ...SETTINGS, limits: { maxOps: 80n, maxBytes: null } });
  const admitted: { atMs: number; shard: number }[] = [];
  let worst = 0;
  for (let second = 0; second < 300; second++) {
    for (let shard = 0; shard < 5; shard++) {
      const result = await cluster.shard(`refs/heads/b${shard}`).quota.charge({ bytes: 0n, idempotencyKey: null });
      if (!result.ok) continue;
      admitted.push({ atMs: cluster.nowMs, shard });
      const overshoot = Math.max(admitted.length - 80, 0);
      const sinceMs = cluster.nowMs - 3 * SETTINGS.rollupMs;
      const others = admitted.filter((entry) => entry.shard !== shard && entry.atMs >= sinceMs).length;
      expect(overshoot).toBeLessThanOrEqual(others);
      worst = Math.max(worst, overshoot);
    }
    await cluster.advanceBy(1_000);
  }
  expect(worst).toBeGreaterThan(0);
});

it("G6 isolation: no two partitions share an object or a key, whatever their names", () => {
  const names = ["a", "b", "a.b", "coordinator", "global", "__proto__", "constructor", "c", "r", "A"];
  const refs = ["refs/heads/a", "refs/heads/a/b", "refs/heads/é", "refs/heads/e\u0301", "refs/a"];
  const shards = names.flatMap((ns) =>
    names.flatMap((repo) => refs.map((ref) => ({ kind: "ref", ns, repo, ref }) as const)),
  );
  const all = [...shards, ...names.map((ns) => ({ kind: "coordinator", ns }) as const)];
  expect(new Set(all.map(objectName)).size).toBe(all.length);
  expect(new Set(all.map((partition) => toHex(encodePartition(partition)))).size).toBe(all.length);
});

it("G7 progress: a shard whose coordinator fails for an hour keeps an alarm, and arrives when it is back", async () => {
  const cluster = new Cluster({ ...SETTINGS, windowMs: 7_200_000 });
  cluster.link = async () => ({ kind: "failed", reason: "unavailable" });
  expect(await chargeTimes(cluster, "refs/heads/a", 3)).toBe(3);
  for (let minute = 0; minute < 60; minute++) {
    await cluster.advanceBy(60_000);
    expect(cluster.shard("refs/heads/a").alarmMs).toBeGreaterThan(cluster.nowMs);
  }
  cluster.link = (_push, deliver) => deliver();
  await cluster.advanceBy(60_000);
  expect(total(cluster, windowOf(cluster.nowMs, 7_200_000))).toEqual({ ops: 3n, bytes: 3n });
});

it("G8 bounded growth: one period after window end and grace, nothing is stored and no alarm is set", async () => {
  const cluster = new Cluster(SETTINGS);
  for (let shard = 0; shard < 20; shard++) {
    await chargeTimes(cluster, `refs/heads/b${shard}`, 2);
    await cluster.advanceBy(7_000);
  }
  await cluster.coordinator.quota.charge({ bytes: 1n, idempotencyKey: null });
  expect(cluster.shards.size).toBe(20);
  await cluster.advanceTo(SETTINGS.windowMs + SETTINGS.clockGraceMs + SETTINGS.rollupMs);
  expect(cluster.shards.size).toBe(0);
  expect([cluster.coordinator.allRows, cluster.coordinator.alarmMs]).toEqual([[], null]);
});

describe("G9 no hidden stop", () => {
  it("a coordinator that never answers slows one charge by its deadline and the next by nothing", async () => {
    const cluster = new Cluster(SETTINGS);
    cluster.link = () => Promise.withResolvers<PushResult>().promise;
    const { quota } = cluster.shard("refs/heads/a");
    const first = quota.charge({ bytes: 1n, idempotencyKey: null });
    let answered = false;
    void first.then(() => {
      answered = true;
    });
    await cluster.advanceBy(1_999);
    await untilQuiet();
    expect(answered).toBe(false);
    await cluster.advanceBy(1);
    expect(await first).toMatchObject({ ok: true, view: { status: "missing" } });
    expect(await quota.charge({ bytes: 1n, idempotencyKey: null })).toMatchObject({
      ok: true,
      usage: { ops: 2n, bytes: 2n },
    });
    expect(cluster.nowMs).toBe(2_000);
  });

  it("charges that arrive together share one question", async () => {
    const cluster = new Cluster(SETTINGS);
    let calls = 0;
    cluster.link = (_push, deliver) => {
      calls++;
      return deliver();
    };
    expect(await chargeTimes(cluster, "refs/heads/a", 50)).toBe(50);
    expect(calls).toBe(1);
  });
});

it("G10 pinned bytes: rows of a charged and rolled up shard are these, byte for byte", async () => {
  const cluster = new Cluster(SETTINGS);
  await chargeTimes(cluster, "refs/heads/b0", 2, 5n);
  await cluster.advanceTo(60_000);
  const hexRows = (rows: readonly { key: Uint8Array; value: Uint8Array }[]): unknown =>
    rows.map(({ key, value }) => `${toHex(key)} ${toHex(value)}`);
  const usage = "0000000000000002000000000000000a";
  expect(hexRows(cluster.shard("refs/heads/b0").allRows)).toEqual([
    `7173000000000000000000 ${usage}`,
    `7176000000000000000000 ${usage}${usage}000000000000ea60`,
    "7700000000000001d4c0050000000000000000 00000000000927c0",
  ]);
  expect(hexRows(cluster.coordinator.allRows)).toEqual([
    `716300000000000000000072726f6f7400726f6f6d00726566732f68656164732f623000 ${usage}`,
    `7174000000000000000000 ${usage}`,
    "77000000000000099cf0050000000000000000 00000000000927c0",
  ]);
});
