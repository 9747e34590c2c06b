// The push trace, whole, through the real quota code in virtual time: eleven thousand pushes on two and
// a half thousand refs over five years.
import { expect, it } from "vitest";
import { busiestHours, readTrace } from "../scripts/trace.ts";
import type { Usage } from "../src/core/usage.ts";
import { Cluster } from "./simulation/cluster.ts";

const WINDOW_MS = 3_600_000;
const ROLLUP_MS = 60_000;

it("replayed without limits gives, for every window, exactly the trace's own sums", { timeout: 60_000 }, async () => {
  const pushes = readTrace();
  const hours = busiestHours(pushes, pushes.length);
  const cluster = new Cluster(
    {
      windowMs: WINDOW_MS,
      rollupMs: ROLLUP_MS,
      // The last charges of a window roll up within one period of its end, and are counted until then.
      clockGraceMs: 2 * ROLLUP_MS,
      coordinatorTimeoutMs: 2_000,
      limits: { maxOps: null, maxBytes: null },
    },
    hours[0]?.pushes[0]?.t ?? 0,
  );
  const totals = new Map<bigint, Usage>();
  const sums = new Map<bigint, Usage>();
  for (const hour of hours) {
    for (const push of hour.pushes) {
      await cluster.advanceTo(push.t);
      expect(
        await cluster.shard(push.ref).quota.charge({ bytes: BigInt(push.bytes), idempotencyKey: null }),
      ).toMatchObject({ ok: true });
    }
    await cluster.advanceTo((hour.number + 1) * WINDOW_MS + ROLLUP_MS);
    const report = cluster.coordinator.quota.report();
    if (!report.ok) throw new Error("the coordinator has no report");
    for (const { window, total } of report.windows) totals.set(window, total);
    const bytes = hour.pushes.reduce((sum, push) => sum + push.bytes, 0);
    sums.set(BigInt(hour.number), { ops: BigInt(hour.pushes.length), bytes: BigInt(bytes) });
  }
  expect(sums.size).toBe(2_459);
  expect([sums.get(484_461n)?.ops, sums.get(495_382n)?.bytes]).toEqual([65n, 46_354_341n]);
  expect(totals).toEqual(sums);

  await cluster.advanceBy(WINDOW_MS + 3 * ROLLUP_MS);
  expect([cluster.shards.size, cluster.coordinator.allRows]).toEqual([0, []]);
});
