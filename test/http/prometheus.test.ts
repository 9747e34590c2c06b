// The gauges of a namespace as a Prometheus scrape.
import { expect, it } from "vitest";
import { toWindow } from "../../src/core/window.ts";
import { prometheusText } from "../../src/http/prometheus.ts";

const REPORT = {
  window: { number: toWindow(7n), startsAtMs: 0, endsAtMs: 1 },
  total: { ops: 18_446_744_073_709_551_615n, bytes: 3n },
  sources: 2,
  limits: { maxOps: 300n, maxBytes: null },
  remaining: { ops: 0n, bytes: null },
  windows: [
    { window: toWindow(6n), total: { ops: 1n, bytes: 1n }, sources: 1 },
    { window: toWindow(7n), total: { ops: 1n, bytes: 3n }, sources: 2 },
  ],
};

it("has each gauge once, exact, and leaves out what is unlimited", () => {
  const samples = prometheusText("acme", REPORT)
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(samples).toEqual([
    'namespace_quota_used{namespace="acme",dimension="ops"} 18446744073709551615',
    'namespace_quota_used{namespace="acme",dimension="bytes"} 3',
    'namespace_quota_limit{namespace="acme",dimension="ops"} 300',
    'namespace_quota_remaining{namespace="acme",dimension="ops"} 0',
    'namespace_quota_sources{namespace="acme"} 2',
    'namespace_quota_window{namespace="acme"} 7',
    'namespace_quota_oldest_window{namespace="acme"} 6',
  ]);
});

it("escapes a label with a quote, a backslash and a newline, so that the scrape still parses", () => {
  const [line] = prometheusText('a"b\\c\nd', REPORT)
    .split("\n")
    .filter((text) => text.startsWith("namespace_quota_sources"));
  expect(line).toBe(String.raw`namespace_quota_sources{namespace="a\"b\\c\nd"} 2`);
});
