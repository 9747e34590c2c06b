// Cases reported from the field that no other suite has, on the real quota code in virtual time.
import { expect, it } from "vitest";
import { toHex } from "../src/core/bytes.ts";
import { decodeUsage } from "../src/core/codec.ts";
import { quotaTotalKey, timerKey } from "../src/core/keys.ts";
import type { QuotaSettings } from "../src/core/settings.ts";
import { type Limits, ZERO_USAGE } from "../src/core/usage.ts";
import { toWindow, windowOf } from "../src/core/window.ts";
import { retryAfter } from "../src/http/problems.ts";
import { prometheusText } from "../src/http/prometheus.ts";
import { type Measurement, measurementsOf, observer } from "../src/objects/telemetry.ts";
import { encodeWindowMs, quotaTimer } from "../src/quota/rows.ts";
import { Cluster } from "./simulation/cluster.ts";

const SETTINGS: QuotaSettings = {
  windowMs: 600_000,
  rollupMs: 60_000,
  clockGraceMs: 30_000,
  coordinatorTimeoutMs: 2_000,
  limits: { maxOps: null, maxBytes: null },
};
const MAIN = "refs/heads/main";
const CHARGE = { bytes: 1n, idempotencyKey: null };

function clusterWith(limits: Limits): Cluster {
  return new Cluster({ ...SETTINGS, limits });
}

function totalOf(cluster: Cluster): unknown {
  const value = cluster.coordinator.rows.get(quotaTotalKey(windowOf(cluster.nowMs, SETTINGS.windowMs)));
  return value === null ? null : decodeUsage(value);
}

/** Mulberry32: the same seed gives the same numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it("limit 2: remaining reads 1, 0, and then the charge is refused with 0", async () => {
  const { quota } = clusterWith({ maxOps: 2n, maxBytes: null }).shard(MAIN);
  expect(await quota.charge(CHARGE)).toMatchObject({ ok: true, remaining: { ops: 1n } });
  expect(await quota.charge(CHARGE)).toMatchObject({ ok: true, remaining: { ops: 0n } });
  const refused = { ok: false, code: "quota_exhausted", dimension: "ops", remaining: { ops: 0n } };
  expect(await quota.charge(CHARGE)).toMatchObject(refused);
});

it("a thousand refused charges leave usage as it was, and the next window begins at zero", async () => {
  const cluster = clusterWith({ maxOps: 3n, maxBytes: null });
  for (let charge = 0; charge < 3; charge++) await cluster.shard(MAIN).quota.charge(CHARGE);
  const before = cluster.shard(MAIN).allRows;
  for (let charge = 0; charge < 1_000; charge++) {
    expect(await cluster.shard(MAIN).quota.charge(CHARGE)).toMatchObject({ ok: false, usage: { ops: 3n, bytes: 3n } });
  }
  expect(cluster.shard(MAIN).allRows).toEqual(before);
  await cluster.advanceTo(SETTINGS.windowMs);
  expect(await cluster.shard(MAIN).quota.charge(CHARGE)).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 1n } });
});

it("when the alarm has not run for two windows, the next charge is counted in its own, and no wait is negative", async () => {
  const cluster = clusterWith({ maxOps: 1n, maxBytes: null });
  await cluster.shard(MAIN).quota.charge(CHARGE);
  cluster.shard(MAIN).alarmMs = null;
  cluster.nowMs = 2 * SETTINGS.windowMs + 599_999;
  const counted = { ok: true, window: { number: 2n }, usage: { ops: 1n, bytes: 1n } };
  expect(await cluster.shard(MAIN).quota.charge(CHARGE)).toMatchObject(counted);
  expect(await cluster.shard(MAIN).quota.charge(CHARGE)).toMatchObject({ ok: false, retryAfterMs: 1 });
});

it.each([
  [0, "1"],
  [400, "1"],
  [1_000, "1"],
  [1_001, "2"],
])("%i ms left in the window is Retry-After: %s", (ms, seconds) => {
  expect(retryAfter(ms)).toEqual({ "Retry-After": seconds });
});

it("of two timers the first is deleted without touching the alarm, and the second still runs", async () => {
  const cluster = new Cluster(SETTINGS);
  const shard = cluster.shard(MAIN);
  await shard.quota.charge(CHARGE);
  const first = timerKey(quotaTimer(toWindow(0n), 10_000));
  shard.rows.apply({ preconditions: [], writes: [{ kind: "put", key: first, value: encodeWindowMs(600_000) }] });
  shard.alarmMs = 10_000;
  shard.rows.apply({ preconditions: [], writes: [{ kind: "delete", key: first }] });
  await cluster.advanceTo(10_000);
  expect([shard.alarms, shard.alarmMs, totalOf(cluster)]).toEqual([1, 60_000, null]);
  await cluster.advanceTo(60_000);
  expect(totalOf(cluster)).toEqual({ ops: 1n, bytes: 1n });
});

it("pushes while further charges arrive, in a thousand interleavings, bring the total to what was admitted", async () => {
  for (let seed = 1; seed <= 1_000; seed++) {
    const random = randomFrom(seed);
    const pauses = (): number => Math.floor(random() * 6);
    const pause = async (): Promise<void> => {
      for (let turn = pauses(); turn > 0; turn--) await Promise.resolve();
    };
    const cluster = new Cluster(SETTINGS);
    cluster.link = async (_push, deliver) => {
      await pause();
      const result = await deliver();
      await pause();
      return result;
    };
    let admitted = 0n;
    const chargeSome = async (ref: string): Promise<void> => {
      for (let charge = 0; charge < 3; charge++) {
        await pause();
        if ((await cluster.shard(ref).quota.charge(CHARGE)).ok) admitted++;
      }
    };
    const refs = ["refs/heads/a", "refs/heads/b"];
    for (const ref of refs) await cluster.shard(ref).quota.charge(CHARGE);
    admitted += 2n;
    cluster.nowMs = SETTINGS.rollupMs;
    const alarms = refs.map((ref) => cluster.shard(ref).runAlarm());
    await Promise.all([...alarms, ...refs.map(chargeSome)]);
    await cluster.advanceBy(2 * SETTINGS.rollupMs);
    expect([seed, totalOf(cluster)]).toEqual([seed, { ops: admitted, bytes: admitted }]);
    expect(admitted).toBe(8n);
  }
});

it("metrics of 10 admitted, 5 denied, 3 replayed and 1 failed say exactly that", async () => {
  const cluster = clusterWith({ maxOps: 10n, maxBytes: null });
  const { quota, rows } = cluster.coordinator;
  await quota.charge({ bytes: 1n, idempotencyKey: "key" });
  for (let charge = 0; charge < 14; charge++) await quota.charge(CHARGE);
  for (let charge = 0; charge < 3; charge++) await quota.charge({ bytes: 1n, idempotencyKey: "key" });
  rows.apply({
    preconditions: [],
    writes: [{ kind: "put", key: quotaTotalKey(toWindow(0n)), value: new Uint8Array(1) }],
  });
  await quota.charge(CHARGE);

  const counts = new Map<string, number>();
  for (const { metric, value, labels } of cluster.events.flatMap(measurementsOf) as readonly Measurement[]) {
    const name = [metric, ...labels].join(" ");
    counts.set(name, (counts.get(name) ?? 0) + value);
  }
  expect(Object.fromEntries(counts)).toEqual({
    "charges allowed exact": 10,
    "charges quota_exhausted exact": 5,
    "charges replayed none": 3,
    "charges failed corrupt": 1,
  });
});

it("metrics carry the namespace and never a repo or a ref", () => {
  const written: unknown[] = [];
  const dataset = { writeDataPoint: (point: unknown): void => void written.push(point) } as AnalyticsEngineDataset;
  const observe = observer({ kind: "ref", ns: "acme", repo: "web", ref: MAIN }, dataset);
  observe({ kind: "charge", outcome: "allowed", view: "fresh" });
  observe({ kind: "timerFired", timerKind: 5, latenessMs: 3, durationMs: 2 });
  expect(written).toEqual([
    { blobs: ["charges", "allowed", "fresh"], doubles: [1], indexes: ["acme"] },
    { blobs: ["timer_duration_ms", "5"], doubles: [2], indexes: ["acme"] },
    { blobs: ["alarm_lateness_ms", "5"], doubles: [3], indexes: ["acme"] },
  ]);
});

it("a metric's label with a quote, a backslash and a line feed is escaped, and every line still parses", () => {
  const text = prometheusText('a"b\\c\nd', {
    window: { number: toWindow(7n), startsAtMs: 0, endsAtMs: 1 },
    total: ZERO_USAGE,
    sources: 2,
    limits: SETTINGS.limits,
    remaining: { ops: null, bytes: null },
    windows: [],
  });
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples).toContain(String.raw`namespace_quota_sources{namespace="a\"b\\c\nd"} 2`);
  const sample = /^namespace_quota_[a-z_]+\{namespace="(?:[^"\\\n]|\\["\\n])*"(?:,dimension="(?:ops|bytes)")?\} \d+$/;
  expect(samples.filter((line) => !sample.test(line))).toEqual([]);
  expect(text).not.toMatch(/ref|repo/);
});

it("namespaces, repos and refs of the runtime's own names are each counted by themselves", async () => {
  const cluster = new Cluster(SETTINGS);
  const repos = ["coordinator", "global", "__proto__", "constructor", "toString"];
  for (const repo of repos) await cluster.shard("refs/heads/__proto__", repo).quota.charge(CHARGE);
  await cluster.advanceBy(SETTINGS.rollupMs);
  expect(totalOf(cluster)).toEqual({ ops: 5n, bytes: 5n });
  const sources = cluster.coordinator.allRows.map(({ key }) => toHex(key)).filter((key) => key.startsWith("716300"));
  expect(new Set(sources).size).toBe(5);
});
