// Metrics: what happened is what they say, and no name gets into one that has no bound.
import { expect, it } from "vitest";
import type { QuotaEvent } from "../../src/core/events.ts";
import { measurementsOf, METRICS, observer } from "../../src/objects/telemetry.ts";
import { Cluster } from "../simulation/cluster.ts";

const SETTINGS = {
  windowMs: 600_000,
  rollupMs: 60_000,
  clockGraceMs: 30_000,
  coordinatorTimeoutMs: 2_000,
  limits: { maxOps: 10n, maxBytes: null },
};

function sums(events: readonly QuotaEvent[]): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const { metric, value, labels } of events.flatMap(measurementsOf)) {
    const name = [metric, ...labels].join(" ");
    totals[name] = (totals[name] ?? 0) + value;
  }
  return totals;
}

it("10 admitted, 5 denied, 3 replayed and 1 failed charge are exactly that", async () => {
  const cluster = new Cluster(SETTINGS);
  const { quota, rows } = cluster.shard("refs/heads/a");
  for (let charge = 0; charge < 10; charge++) await quota.charge({ bytes: 0n, idempotencyKey: `k${charge}` });
  for (let charge = 0; charge < 5; charge++) await quota.charge({ bytes: 0n, idempotencyKey: null });
  for (let charge = 0; charge < 3; charge++) await quota.charge({ bytes: 0n, idempotencyKey: `k${charge}` });
  const [usage] = rows.scan({ start: new Uint8Array([0x71, 0x73]) as never, end: null }, { limit: 1 }).rows;
  if (usage === undefined) throw new Error("the shard has no usage row");
  rows.apply({ preconditions: [], writes: [{ kind: "put", key: usage.key, value: new Uint8Array(1) }] });
  await quota.charge({ bytes: 0n, idempotencyKey: null });
  expect(sums(cluster.events)).toEqual({
    "charges allowed fresh": 10,
    "charges quota_exhausted fresh": 5,
    "charges replayed none": 3,
    "charges failed corrupt": 1,
  });
});

it("a rollup, an outage and a window's end are counted by what came of them", async () => {
  const cluster = new Cluster(SETTINGS);
  cluster.link = async () => ({ kind: "failed", reason: "unavailable" });
  await cluster.shard("refs/heads/a").quota.charge({ bytes: 0n, idempotencyKey: null });
  await cluster.advanceTo(60_000);
  cluster.link = (_push, deliver) => deliver();
  await cluster.advanceTo(700_000);
  const { "timer_duration_ms 5": _duration, "alarm_lateness_ms 5": _lateness, ...counted } = sums(cluster.events);
  expect(counted).toEqual({
    "charges allowed missing": 1,
    // The shard's last firing and the coordinator's, each as the next window has begun.
    oldest_window_lag: 2,
    "pruned_rows complete": 2,
    "view_fallbacks missing": 1,
    "view_failures unavailable": 1,
    "rollups failed unavailable": 1,
    "rollups pushed none": 1,
    "rollups unchanged none": 1,
    "rollups ended none": 1,
  });
});

it("a data point carries the metric, its labels, its value and the namespace, and no repo or ref", () => {
  const points: AnalyticsEngineDataPoint[] = [];
  const dataset = { writeDataPoint: (point: AnalyticsEngineDataPoint) => points.push(point) };
  const partition = { kind: "ref", ns: "acme", repo: "secret-repo", ref: "refs/heads/secret" } as const;
  const observe = observer(partition, dataset);
  observe({ kind: "charge", outcome: "allowed", view: "stale" });
  expect(points).toEqual([
    { blobs: ["charges", "allowed", "stale"], doubles: [1], indexes: ["acme"] },
    { blobs: ["view_fallbacks", "stale"], doubles: [1], indexes: ["acme"] },
  ]);
});

it("every measurement has the labels that its metric says", () => {
  const window = 0n as never;
  const zero = { ops: 0n, bytes: 0n };
  const events: readonly QuotaEvent[] = [
    { kind: "charge", outcome: "conflict", view: null },
    { kind: "charge", outcome: "allowed", view: "missing" },
    { kind: "chargeFailed", reason: "full" },
    { kind: "rollup", window, result: "pushed" },
    { kind: "rollupFailed", window, reason: "contention" },
    { kind: "rebase", window, source: new Uint8Array(), from: zero, to: zero },
    { kind: "viewUnavailable", window, reason: "unavailable" },
    { kind: "pruned", rows: 8, isComplete: false },
    { kind: "oldestWindow", window, behind: 1 },
    { kind: "timerFired", timerKind: 5, latenessMs: 1, durationMs: 2 },
    { kind: "timerFailed", timerKind: 5, detail: "" },
    { kind: "timerUnknown", timerKind: null },
    { kind: "tickFailed", detail: "" },
  ];
  const measured = events.flatMap(measurementsOf);
  for (const { metric, labels } of measured) expect([metric, labels.length]).toEqual([metric, METRICS[metric].length]);
  expect(new Set(measured.map(({ metric }) => metric))).toEqual(new Set(Object.keys(METRICS)));
});
