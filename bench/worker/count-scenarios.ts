// What charges, rollups and silence cost in rows, alarms and calls. The objects are the counting ones; the
// answers are counts. A busy machine changes one of them: when alarms come late, views grow stale, and charges
// ask for new ones; those calls are counted apart.
import { windowExpiryMs, windowOf, windowStartMs } from "../../src/core/window.ts";
import { objectName } from "../../src/objects/identity.ts";
import type { CountingRefShard, StoredSize } from "./counting-objects.ts";
import type { BenchEnv } from "./env.ts";
import { difference, snapshotOf, type Tallies, talliesOf } from "./tallies.ts";
import { newCharge } from "./new-charge.ts";

type Shard = DurableObjectStub<CountingRefShard>;

export interface ChargeCounts {
  /** The first charge of a shard in a window. */
  readonly first: Tallies;
  readonly charges: number;
  readonly running: Tallies;
}

/** `charges` charges by `callers` callers at one shard that has been charged before. */
export async function countCharges(
  env: BenchEnv,
  { ns, callers, charges }: { readonly ns: string; readonly callers: number; readonly charges: number },
): Promise<ChargeCounts> {
  const [shard] = shardsOf(env, ns, 1);
  if (shard === undefined) throw new RangeError("no shard");
  const before = snapshotOf(ns);
  await charge(shard);
  const charged = snapshotOf(ns);
  const callOn = async (): Promise<void> => {
    for (let turn = 0; turn < charges / callers; turn++) await charge(shard);
  };
  await Promise.all(Array.from({ length: callers }, callOn));
  const running = difference(snapshotOf(ns), charged);
  return { first: difference(charged, before), charges: running.shards.calls, running };
}

export interface WindowTiming {
  readonly windowMs: number;
  readonly rollupMs: number;
  readonly graceMs: number;
}

export interface LivesRequest extends WindowTiming {
  readonly name: string;
  /** How many windows to let pass first, so that several lives can be asked for at once. */
  readonly windowsAhead: number;
  readonly idleShards: number;
  readonly busyShards: number;
}

export interface Lives {
  readonly idle: IdleLife;
  readonly busy: BusyLife;
}

/** One whole window, from its start to beyond its expiry, with some shards charged once and some all the time. */
export async function liveThroughWindow(env: BenchEnv, request: LivesRequest): Promise<Lives> {
  const window = windowOf(Date.now() + request.windowMs * (1 + request.windowsAhead), request.windowMs);
  await sleepUntil(windowStartMs(window, request.windowMs) + 20);
  const [idle, busy] = await Promise.all([
    liveIdly(shardsOf(env, `idle-${request.name}`, request.idleShards), request, `idle-${request.name}`),
    liveBusily(shardsOf(env, `busy-${request.name}`, request.busyShards), request, `busy-${request.name}`),
  ]);
  return { idle, busy };
}

export interface IdleLife {
  readonly shards: number;
  /** Whether every alarm came in its period; otherwise alarms were missed out, and the counts are too low. */
  readonly isOnTime: boolean;
  readonly stored: StoredSize;
  /** The one charge, the rollup that follows, and the one after that, which finds nothing changed. */
  readonly charge: Tallies;
  readonly rollup: Tallies;
  readonly unchangedRollup: Tallies;
  readonly wholeWindow: Tallies;
}

async function liveIdly(shards: readonly Shard[], timing: WindowTiming, ns: string): Promise<IdleLife> {
  const window = windowOf(Date.now(), timing.windowMs);
  const empty = snapshotOf(ns);
  await Promise.all(shards.map(charge));
  const charged = snapshotOf(ns);
  const hasRolledUp = await alarmsOf(ns, shards.length, timing);
  const rolledUp = snapshotOf(ns);
  const stored = await shards[0]?.storedSize();
  const hasSlept = await alarmsOf(ns, 2 * shards.length, timing);
  const slept = snapshotOf(ns);
  await sleepUntil(windowExpiryMs(window, timing.windowMs, timing.graceMs));
  const hasEnded = await until(() => talliesOf(ns).shards.lastAlarms >= shards.length, timing.windowMs);
  return {
    shards: shards.length,
    isOnTime: hasRolledUp && hasSlept && hasEnded,
    stored: stored ?? { rows: 0, rowBytes: 0, fileBytes: 0 },
    charge: difference(charged, empty),
    rollup: difference(rolledUp, charged),
    unchangedRollup: difference(slept, rolledUp),
    wholeWindow: difference(snapshotOf(ns), empty),
  };
}

export interface BusyLife {
  readonly shards: number;
  readonly charges: number;
  /** While they were charged, without the first period, in which a shard asks for its first view. */
  readonly running: Tallies;
  readonly periods: number;
}

const PAUSE_MS = 20;
const POLL_MS = 5;

async function liveBusily(shards: readonly Shard[], timing: WindowTiming, ns: string): Promise<BusyLife> {
  const startedAtMs = Date.now();
  const chargeUntil = async (endMs: number): Promise<void> => {
    while (Date.now() < endMs) {
      await Promise.all(shards.map(charge));
      await sleepUntil(Date.now() + PAUSE_MS);
    }
  };
  const countedFromMs = startedAtMs + 1.5 * timing.rollupMs;
  const countedUntilMs =
    windowStartMs(windowOf(startedAtMs, timing.windowMs), timing.windowMs) + 0.75 * timing.windowMs;
  await chargeUntil(countedFromMs);
  await quiet(ns, timing);
  const before = snapshotOf(ns);
  await chargeUntil(countedUntilMs);
  await quiet(ns, timing);
  const running = difference(snapshotOf(ns), before);
  return {
    shards: shards.length,
    charges: running.shards.calls,
    running,
    periods: (countedUntilMs - countedFromMs) / timing.rollupMs,
  };
}

function shardsOf({ COUNTED_SHARD }: BenchEnv, ns: string, count: number): readonly Shard[] {
  return Array.from({ length: count }, (_, index) => {
    const name = objectName({ kind: "ref", ns, repo: "repo", ref: `refs/heads/branch-${index}` });
    return COUNTED_SHARD.get(COUNTED_SHARD.idFromName(name));
  });
}

/** Until the namespace's shards have been through so many alarms, or a period more than that can take has passed. */
async function alarmsOf(ns: string, count: number, { rollupMs }: WindowTiming): Promise<boolean> {
  return until(() => talliesOf(ns).shards.alarmsEnded >= count, 2 * rollupMs);
}

/** Until no alarm is under way, so that what belongs to one rollup is counted together. */
async function quiet(ns: string, { rollupMs }: WindowTiming): Promise<void> {
  const { shards } = talliesOf(ns);
  await until(() => shards.alarmsRun === shards.alarmsEnded, rollupMs);
}

/** False when it was not reached in time. */
async function until(isReached: () => boolean, maxWaitMs: number): Promise<boolean> {
  const endMs = Date.now() + maxWaitMs;
  while (!isReached() && Date.now() < endMs) await sleepUntil(Date.now() + POLL_MS);
  return isReached();
}

async function charge(shard: Shard): Promise<void> {
  const answer = await shard.charge(newCharge());
  if (!answer.ok) throw new Error(`a charge was refused: ${answer.code}`);
}

async function sleepUntil(atMs: number): Promise<void> {
  const waitMs = atMs - Date.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}
