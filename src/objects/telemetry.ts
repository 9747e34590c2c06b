// Events as metrics and log lines. Metrics go to an Analytics Engine dataset where one is bound; a log
// line is one JSON object, in which names are JSON strings, so that no name can forge a line. No metric
// carries a repo or a ref: their number has no bound.
// https://developers.cloudflare.com/analytics/analytics-engine/
import { toHex } from "../core/bytes.ts";
import type { Observe, QuotaEvent } from "../core/events.ts";
import { decodePartition, type Partition } from "../core/partition.ts";

/** Every metric, with what its labels say. docs/operations.md explains each. */
export const METRICS = {
  charges: ["outcome", "view"],
  view_fallbacks: ["state"],
  view_failures: ["reason"],
  rollups: ["result", "reason"],
  rebases: [],
  pruned_rows: ["progress"],
  oldest_window_lag: [],
  timer_duration_ms: ["timer_kind"],
  alarm_lateness_ms: ["timer_kind"],
  timer_failures: ["timer_kind"],
} as const satisfies Record<string, readonly string[]>;

export type MetricName = keyof typeof METRICS;

export interface Measurement {
  readonly metric: MetricName;
  readonly value: number;
  /** In the order of the metric's labels. */
  readonly labels: readonly string[];
}

/** An observer of what happens on this partition. */
export function observer(partition: Partition, dataset: AnalyticsEngineDataset | undefined): Observe {
  return (event) => {
    if (dataset !== undefined) for (const measurement of measurementsOf(event)) write(dataset, partition, measurement);
    if (isWorthALine(event)) console.warn(JSON.stringify({ ...event, partition }, asJson));
  };
}

export function measurementsOf(event: QuotaEvent): readonly Measurement[] {
  switch (event.kind) {
    case "charge": {
      const charge = measured("charges", 1, event.outcome, event.view ?? "none");
      const isFallback = event.view === "stale" || event.view === "missing";
      return isFallback ? [charge, measured("view_fallbacks", 1, event.view)] : [charge];
    }
    case "chargeFailed":
      return [measured("charges", 1, "failed", event.reason)];
    case "rollup":
      return [measured("rollups", 1, event.result, "none")];
    case "rollupFailed":
      return [measured("rollups", 1, "failed", event.reason)];
    case "rebase":
      return [measured("rebases", 1)];
    case "viewUnavailable":
      return [measured("view_failures", 1, event.reason)];
    case "pruned":
      return [measured("pruned_rows", event.rows, event.isComplete ? "complete" : "partial")];
    case "oldestWindow":
      return [measured("oldest_window_lag", event.behind)];
    case "timerFired":
      return [
        measured("timer_duration_ms", event.durationMs, String(event.timerKind)),
        measured("alarm_lateness_ms", event.latenessMs, String(event.timerKind)),
      ];
    case "timerFailed":
    case "timerUnknown":
      return [measured("timer_failures", 1, String(event.timerKind))];
    case "tickFailed":
      return [measured("timer_failures", 1, "all")];
  }
}

/** blob1 is the metric, the labels follow; double1 is the value; the index is the namespace. */
function write(dataset: AnalyticsEngineDataset, partition: Partition, { metric, value, labels }: Measurement): void {
  dataset.writeDataPoint({ blobs: [metric, ...labels], doubles: [value], indexes: [partition.ns.slice(0, 96)] });
}

function measured(metric: MetricName, value: number, ...labels: readonly string[]): Measurement {
  return { metric, value, labels };
}

function isWorthALine(event: QuotaEvent): boolean {
  switch (event.kind) {
    case "charge":
    case "rollup":
    case "pruned":
    case "oldestWindow":
    case "timerFired":
      return false;
    case "chargeFailed":
    case "rollupFailed":
    case "rebase":
    case "viewUnavailable":
    case "timerFailed":
    case "tickFailed":
    case "timerUnknown":
      return true;
  }
}

function asJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return decodePartition(value) ?? toHex(value);
  return value;
}
