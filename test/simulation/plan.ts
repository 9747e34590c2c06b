// What a seed decides before the run begins: the namespace's shape, how much of it arrives, and which
// faults happen how often. Each kind of fault is absent from some seeds, so that none hides another.
import type { QuotaSettings } from "../../src/core/settings.ts";
import type { Random } from "./random.ts";

/** Chances, from 0 to 1. */
export interface FaultRates {
  readonly lostCall: number;
  readonly lostReply: number;
  readonly doubledCall: number;
  readonly slowCall: number;
  readonly failedWrite: number;
  readonly slowFlush: number;
  readonly earlyAlarm: number;
  readonly lateAlarm: number;
  readonly doubledAlarm: number;
}

/** Mean time between two of a kind; null: never. */
interface FaultGaps {
  readonly crashMs: number | null;
  readonly clockStepMs: number | null;
  readonly outageMs: number | null;
  readonly restoreMs: number | null;
  readonly limitsMs: number | null;
}

export interface Plan {
  readonly settings: QuotaSettings;
  /** Names of the namespaces, each with a coordinator. */
  readonly namespaces: readonly string[];
  /** Of each namespace. */
  readonly shards: number;
  readonly windows: number;
  /** No clock is further than this from the true time. */
  readonly maxSkewMs: number;
  /** Mean time between two bursts of charges at the busiest shard; others are slower. */
  readonly chargeGapMs: number;
  readonly rates: FaultRates;
  readonly gaps: FaultGaps;
}

export const NO_FAULTS: FaultRates = {
  lostCall: 0,
  lostReply: 0,
  doubledCall: 0,
  slowCall: 0,
  failedWrite: 0,
  slowFlush: 0,
  earlyAlarm: 0,
  lateAlarm: 0,
  doubledAlarm: 0,
};

/** In rollup periods; the rounds of a run (campaign.ts) rest on them. */
export const WINDOW_PERIODS = 10;
export const GRACE_PERIODS = 4;
const SKEW_OF_PERIOD = 1 / 8;
/** At the busiest shards. */
const CHARGES_PER_PERIOD = 1;

const NAMES = ["root", "coordinator", "__proto__", "a", "global"] as const;

export function drawPlan(random: Random): Plan {
  const rollupMs = random.pick([10_000, 30_000, 60_000]);
  const some = (max: number): number => (random.chance(0.3) ? 0 : random.next() * max);
  const every = (perWindow: number): number | null =>
    random.chance(0.3) ? null : (rollupMs * WINDOW_PERIODS) / (perWindow * (0.5 + random.next()));
  const shards = random.integer(2, 6);
  const first = random.pick(NAMES);
  return {
    settings: drawSettings(random, rollupMs, shards),
    namespaces: random.chance(0.2) ? [first, `${first}.b`] : [first],
    shards,
    windows: random.chance(0.15) ? 3 : 2,
    maxSkewMs: random.chance(0.3) ? 0 : rollupMs * SKEW_OF_PERIOD,
    chargeGapMs: rollupMs / CHARGES_PER_PERIOD,
    rates: {
      lostCall: some(0.2),
      lostReply: some(0.2),
      doubledCall: some(0.2),
      slowCall: some(0.2),
      failedWrite: some(0.05),
      slowFlush: some(0.3),
      earlyAlarm: some(0.1),
      lateAlarm: some(0.3),
      doubledAlarm: some(0.2),
    },
    gaps: {
      crashMs: every(15),
      clockStepMs: every(4),
      outageMs: every(2),
      restoreMs: random.chance(0.5) ? every(3) : null,
      limitsMs: every(3),
    },
  };
}

function drawSettings(random: Random, rollupMs: number, shards: number): QuotaSettings {
  const expected = BigInt(shards * WINDOW_PERIODS * 2);
  const maxOps = random.pick([null, expected * 4n, expected, expected / 2n, 5n]);
  return {
    windowMs: rollupMs * WINDOW_PERIODS,
    rollupMs,
    clockGraceMs: rollupMs * GRACE_PERIODS,
    coordinatorTimeoutMs: random.pick([0, 500, 2_000]),
    limits: { maxOps, maxBytes: random.pick([null, null, expected * 500n]) },
  };
}
