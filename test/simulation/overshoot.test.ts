import { expect, it } from "vitest";
import { simulateOvershoot } from "./overshoot.ts";

it("G5 bounded overshoot: at most what the other shards admitted in three periods, for any load", async () => {
  const rollupMs = 10_000;
  let worst = 0;
  for (const [shards, rate, maxOps] of [
    [2, 1, 30],
    [5, 0.5, 100],
    [20, 0.2, 60],
  ] as const) {
    for (let seed = 1; seed <= 5; seed++) {
      const { ops, tightest } = await simulateOvershoot({ shards, rate, maxOps, rollupMs, windowMs: 120_000 }, seed);
      if (tightest !== null) expect(tightest.overshoot).toBeLessThanOrEqual(tightest.bound);
      worst = Math.max(worst, ops);
    }
  }
  expect(worst).toBeGreaterThan(0);
});

it("one shard alone never overshoots", async () => {
  const load = { shards: 1, rate: 5, maxOps: 20, rollupMs: 10_000, windowMs: 120_000 };
  expect(await simulateOvershoot(load, 1)).toEqual({ ops: 0, tightest: null, admitted: 20 });
});
