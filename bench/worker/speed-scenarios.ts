// Charges and rollups at full speed. Every scenario checks what it was answered; a call that was not allowed
// or accepted is a failure.
import { encodePartition } from "../../src/core/partition.ts";
import { toWindow } from "../../src/core/window.ts";
import { objectName } from "../../src/objects/identity.ts";
import type { Push } from "../../src/quota/protocol.ts";
import type { BenchEnv } from "./env.ts";
import { callInWaves, callSteadily, type Call, type Measured } from "./loops.ts";
import { rollUpInTwoCalls } from "./two-call-coordinator.ts";
import { CHARGED_BYTES, newCharge } from "./new-charge.ts";

export interface SpeedRequest {
  readonly contestant: "charge" | "bare" | "sharing" | "nothing" | "push" | "twoCalls" | "coordinatorCharge";
  /** Namespace of the objects that are called. */
  readonly ns: string;
  readonly callers: number;
  /** Objects that the callers are spread over; for rollups, sources that roll up in turn. */
  readonly spread: number;
  readonly inWaves: boolean;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

const WINDOW_MS = 3_600_000;
const SPREAD_OVER_OBJECTS: readonly SpeedRequest["contestant"][] = ["charge", "bare", "sharing"];

/** By namespace and for the life of the isolate, so that no source ever pushes less than before. */
const pushCounts = new Map<string, number>();

export async function measureSpeed(env: BenchEnv, request: SpeedRequest): Promise<Measured> {
  const load = { ...request, call: callOf(env, request) };
  if (SPREAD_OVER_OBJECTS.includes(request.contestant)) await wakeObjects(request.spread, load.call);
  return request.inWaves ? callInWaves(load) : callSteadily(load);
}

/** A cold start costs as much as many calls, and would be most of what a short run over many objects measures. */
async function wakeObjects(objects: number, call: Call): Promise<void> {
  for (let index = 0; index < objects; index++) await call(0, index);
}

function callOf(env: BenchEnv, request: SpeedRequest): Call {
  const { contestant, ns, spread } = request;
  switch (contestant) {
    case "charge":
      return chargeRefs(env, ns, spread);
    case "bare":
      return upsertRows(env.BARE, ns, spread);
    case "sharing":
      return upsertRows(env.SHARING, ns, spread);
    case "nothing":
      return callBareObject(env, ns);
    case "push":
      return pushUsage(env, ns, spread);
    case "twoCalls":
      return pushInTwoCalls(env, ns, spread);
    case "coordinatorCharge":
      return chargeCoordinator(env, ns);
  }
}

function chargeRefs({ REF_SHARD }: BenchEnv, ns: string, spread: number): Call {
  const shards = Array.from({ length: spread }, (_, index) =>
    REF_SHARD.get(REF_SHARD.idFromName(objectName({ kind: "ref", ns, repo: "repo", ref: refName(index) }))),
  );
  return async (caller, turn) => (await pick(shards, caller, turn).charge(newCharge())).ok;
}

function upsertRows(kind: BenchEnv["BARE" | "SHARING"], ns: string, spread: number): Call {
  const objects = Array.from({ length: spread }, (_, index) => kind.get(kind.idFromName(`${ns} ${index}`)));
  return async (caller, turn) => (await pick(objects, caller, turn).upsert(CHARGED_BYTES)).ops > 0n;
}

function callBareObject({ BARE }: BenchEnv, ns: string): Call {
  const object = BARE.get(BARE.idFromName(`${ns} idle`));
  return async () => (await object.nothing(CHARGED_BYTES)).ops > 0n;
}

function pushUsage({ NS_COORDINATOR }: BenchEnv, ns: string, spread: number): Call {
  const coordinator = NS_COORDINATOR.get(NS_COORDINATOR.idFromName(objectName({ kind: "coordinator", ns })));
  const next = pushes(ns, spread);
  return async () => (await coordinator.push(next())).kind === "accepted";
}

function pushInTwoCalls({ TWO_CALL }: BenchEnv, ns: string, spread: number): Call {
  const coordinator = TWO_CALL.get(TWO_CALL.idFromName(ns));
  const next = pushes(ns, spread);
  return () => rollUpInTwoCalls(coordinator, next());
}

function chargeCoordinator({ NS_COORDINATOR }: BenchEnv, ns: string): Call {
  const coordinator = NS_COORDINATOR.get(NS_COORDINATOR.idFromName(objectName({ kind: "coordinator", ns })));
  return async () => (await coordinator.charge(newCharge())).ok;
}

/** Rollups of `spread` sources, each with more usage than any before it; neighbours in time are far apart in key. */
function pushes(ns: string, spread: number): () => Push {
  const window = toWindow(BigInt(Math.floor(Date.now() / WINDOW_MS)));
  const sources = Array.from({ length: spread }, (_, index) =>
    encodePartition({ kind: "ref", ns, repo: "repo", ref: refName(index) }),
  );
  const stride = strideFor(spread);
  return () => {
    const count = (pushCounts.get(ns) ?? 0) + 1;
    pushCounts.set(ns, count);
    const source = sources[(count * stride) % spread] ?? new Uint8Array();
    const ops = BigInt(Math.floor(count / spread) + 1);
    return { source, window, windowMs: WINDOW_MS, usage: { ops, bytes: ops * CHARGED_BYTES }, sentAtMs: Date.now() };
  };
}

/** A step through 0…spread−1 that visits every number: prime, and no divisor of a spread in use. */
function strideFor(spread: number): number {
  return spread % 7_919 === 0 ? 1 : 7_919;
}

function pick<Item>(items: readonly Item[], caller: number, turn: number): Item {
  const item = items[(caller * 31 + turn) % items.length];
  if (item === undefined) throw new RangeError("nothing to call");
  return item;
}

function refName(index: number): string {
  return `refs/heads/branch-${index}`;
}
