// Scenario 15: how far a namespace can go over its cap while every shard decides on its own copy of the total.
import { expect, it } from "vitest";
import { type OpenWorld, shard, type World } from "./world.ts";

const SHARDS = 5;
const CAP_OPS = 80;
const SECONDS = 180;
const ROLLUP_SECONDS = 60;
const THREE_PERIODS_SECONDS = 180;
/** 900 charges, each a visit to an object of its own. */
const TIMEOUT_MS = 30_000;

interface Admitted {
  readonly shard: number;
  readonly second: number;
}

interface Step {
  /** Over the cap, by everything admitted so far. */
  readonly overshoot: number;
  /** What the other shards admitted in the last three periods. */
  readonly bound: number;
}

export function overshootScenario(open: OpenWorld): void {
  it(
    "scenario 15: simulated overshoot stays within the others' last three periods",
    { timeout: TIMEOUT_MS },
    async () => {
      const world = open({ settings: { limits: { maxOps: BigInt(CAP_OPS), maxBytes: null } } });
      const admitted: Admitted[] = [];
      const steps: Step[] = [];
      for (let second = 0; second < SECONDS; second++) {
        if (second > 0 && second % ROLLUP_SECONDS === 0) await refreshViews(world, second);
        for (let index = 0; index < SHARDS; index++) {
          const answer = await world.charge(shard(index), second * 1_000, 0n);
          if (!answer.ok) continue;
          admitted.push({ shard: index, second });
          steps.push(stepOf(admitted, index, second));
        }
      }

      expect(steps.filter(({ overshoot, bound }) => overshoot > bound)).toEqual([]);
      // Nobody knows of the others until second 60, and shard 0 then sees only its own push until 120.
      expect(countsOf(admitted)).toEqual([80, 60, 60, 60, 60]);
      expect(Math.max(...steps.map(({ overshoot }) => overshoot))).toBe(240);
    },
  );
}

async function refreshViews(world: World, second: number): Promise<void> {
  for (let index = 0; index < SHARDS; index++) {
    expect((await world.tick(shard(index), second * 1_000)).failed).toBe(0);
  }
}

function stepOf(admitted: readonly Admitted[], index: number, second: number): Step {
  const others = admitted.filter((one) => one.shard !== index && one.second > second - THREE_PERIODS_SECONDS);
  return { overshoot: Math.max(admitted.length - CAP_OPS, 0), bound: others.length };
}

function countsOf(admitted: readonly Admitted[]): readonly number[] {
  return Array.from({ length: SHARDS }, (_, index) => admitted.filter((one) => one.shard === index).length);
}
