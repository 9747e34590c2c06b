// How far a namespace's total goes past its cap, for operators who choose a rollup period: shards that are
// charged at random, no faults, one window. The real quota code decides; only the arrivals are drawn.
import { windowOf, windowStartMs } from "../../src/core/window.ts";
import { Cluster } from "./cluster.ts";
import { Random } from "./random.ts";

export interface Load {
  readonly shards: number;
  /** Charges a second at each shard. */
  readonly rate: number;
  readonly maxOps: number;
  readonly rollupMs: number;
  readonly windowMs: number;
}

export interface Overshoot {
  /** Ops admitted past the cap, in the end. */
  readonly ops: number;
  /** The least room under the bound of any charge past the cap, and the bound there (G5); null: none was past it. */
  readonly tightest: { readonly overshoot: number; readonly bound: number } | null;
  readonly admitted: number;
}

interface Admission {
  readonly atMs: number;
  readonly shard: number;
}

const START_MS = 1_700_000_000_000;
const COORDINATOR_TIMEOUT_MS = 2_000;
/** No shard admits again that has refused on a view taken after the last admission. */
const QUIET_PERIODS = 4;
const BOUND_PERIODS = 3;

export async function simulateOvershoot(load: Load, seed: number): Promise<Overshoot> {
  const startMs = windowStartMs(windowOf(START_MS, load.windowMs), load.windowMs) + load.windowMs;
  const random = new Random(seed);
  const cluster = newCluster(load, startMs);
  const admissions: Admission[] = [];
  let tightest: Overshoot["tightest"] = null;
  let admitted = 0;
  let lastMs = startMs;
  for (const { atMs, shard } of arrivals(load, random, startMs)) {
    if (admitted >= load.maxOps && atMs > lastMs + QUIET_PERIODS * load.rollupMs) break;
    await cluster.advanceTo(atMs);
    const charge = { bytes: 0n, idempotencyKey: null };
    const result = await cluster.shard(`refs/heads/b${shard}`).quota.charge(charge);
    cluster.events.length = 0;
    if (!result.ok) continue;
    admitted++;
    lastMs = atMs;
    admissions.push({ atMs, shard });
    while ((admissions[0]?.atMs ?? atMs) < atMs - BOUND_PERIODS * load.rollupMs) admissions.shift();
    if (admitted <= load.maxOps) continue;
    const bound = admissions.filter((admission) => admission.shard !== shard).length;
    const overshoot = admitted - load.maxOps;
    if (tightest === null || bound - overshoot < tightest.bound - tightest.overshoot) tightest = { overshoot, bound };
  }
  return { ops: Math.max(admitted - load.maxOps, 0), tightest, admitted };
}

/** In order of time, to the window's end: each shard at its own random moments. */
function* arrivals(load: Load, random: Random, startMs: number): Generator<Admission> {
  const meanGapMs = 1_000 / (load.rate * load.shards);
  let atMs: number = startMs;
  for (;;) {
    atMs += -Math.log(1 - random.next()) * meanGapMs;
    if (atMs >= startMs + load.windowMs) return;
    yield { atMs: Math.floor(atMs), shard: random.integer(0, load.shards - 1) };
  }
}

function newCluster(load: Load, startMs: number): Cluster {
  const { rollupMs, windowMs } = load;
  const limits = { maxOps: BigInt(load.maxOps), maxBytes: null };
  const settings = { windowMs, rollupMs, clockGraceMs: rollupMs, coordinatorTimeoutMs: COORDINATOR_TIMEOUT_MS, limits };
  return new Cluster(settings, startMs);
}
