// A namespace's gauges in Prometheus' text format. Labels are the namespace and the dimension, never a
// ref: their number has no bound.
// https://prometheus.io/docs/instrumenting/exposition_formats/
import type { NamespaceReport } from "../quota/reports.ts";

export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Sample = readonly [labels: Readonly<Record<string, string>>, value: bigint | number | null];

/** A sample of null is left out: a limit that there is not. */
export function prometheusText(namespace: string, report: NamespaceReport): string {
  const { total, limits, remaining, sources, window, windows } = report;
  const ns = { namespace };
  const each = (ops: bigint | null, bytes: bigint | null): readonly Sample[] => [
    [{ ...ns, dimension: "ops" }, ops],
    [{ ...ns, dimension: "bytes" }, bytes],
  ];
  return [
    gauge("used", "Used in the current window, as far as rolled up.", each(total.ops, total.bytes)),
    gauge("limit", "The limit in force; absent where there is none.", each(limits.maxOps, limits.maxBytes)),
    gauge("remaining", "Left in the current window; absent where unlimited.", each(remaining.ops, remaining.bytes)),
    gauge("sources", "Ref shards that have rolled up in the current window.", [[ns, sources]]),
    gauge("window", "Number of the current window.", [[ns, window.number]]),
    gauge("oldest_window", "Number of the oldest window still stored.", [[ns, windows[0]?.window ?? window.number]]),
  ].join("");
}

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const metric = `namespace_quota_${name}`;
  const lines = [`# HELP ${metric} ${help}`, `# TYPE ${metric} gauge`];
  for (const [labels, value] of samples) {
    if (value !== null) lines.push(`${metric}{${labelText(labels)}} ${value}`);
  }
  return `${lines.join("\n")}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabel(value)}"`)
    .join(",");
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
