// What must hold at every step of a run: of each batch (G1, G2), each answer (G1, G3, G4, G5) and each
// object between two events (G7).

import type { Limits } from "../../src/core/usage.ts";
import type { Window } from "../../src/core/window.ts";
import type { Allowed, Exhausted } from "../../src/quota/charge.ts";
import type { RefMove } from "../../src/quota/ref-move.ts";
import type { Batch } from "../../src/store/contract.ts";
import { RETRY_DELAY_MS } from "../../src/timers/budget.ts";
import { type Answered, isShard } from "./clients.ts";
import type { Request } from "./ledger.ts";
import type { Member, SimulatedNamespace } from "./namespace.ts";
import { countedIn, isOf, storedLimits, timersIn, usageOf, windowOf, windowsIn } from "./stored.ts";
import type { World } from "./world.ts";

/** A charge admitted, for a while. */
interface Admission {
  readonly member: Member;
  readonly window: Window;
  readonly atMs: number;
  readonly ops: bigint;
}

interface Moved {
  readonly request: Request;
  /** How often the ref's object had been restored by then. */
  readonly restores: number;
}

interface LimitsSince {
  readonly fromMs: number;
  readonly limits: Limits;
}

/** Between a decision and its answer here. */
const SLACK_MS = 1_000;
const VIEW_PERIODS = 2;
const OVERSHOOT_PERIODS = 3;

export class StepChecks {
  readonly #world: World;
  readonly #namespace: SimulatedNamespace;
  readonly #limits: LimitsSince[];
  #admissions: Admission[] = [];
  readonly #movedFrom = new Map<string, Moved>();
  readonly #movedTo = new Map<string, Moved>();
  /** When a shard last decided with the coordinator in reach for at least one period. */
  readonly #steadySinceMs = new Map<Member, number>();

  constructor(world: World, namespace: SimulatedNamespace) {
    this.#world = world;
    this.#namespace = namespace;
    this.#limits = [{ fromMs: world.nowMs, limits: world.plan.settings.limits }];
  }

  committed(member: Member, batch: Batch, before: readonly (Uint8Array | null)[]): void {
    let admitted = 0n;
    let remembered = 0n;
    let hasMoved = false;
    const countTag = isShard(member) ? "qs" : "qt";
    for (const [index, write] of batch.writes.entries()) {
      if (isOf("rt", write.key)) hasMoved = true;
      if (write.kind !== "put") continue;
      if (isOf("qi", write.key)) remembered++;
      const window = windowOf(countTag, write.key);
      if (window === null) continue;
      const found = before[index] ?? null;
      const ops = usageOf(write.value).ops - (found === null ? 0n : usageOf(found).ops);
      admitted += ops;
      if (isShard(member)) this.#checkShardCount(member, usageOf(write.value).ops, usageOf(write.value).bytes);
      this.#admissions.push({ member, window, atMs: this.#world.nowMs, ops });
    }
    const holds = isShard(member) ? remembered <= admitted && (!hasMoved || admitted > 0n) : true;
    this.#world.expect(holds, "G2", () => `${nameOf(member)}: ${remembered} keys, ${admitted} charges in one batch`);
  }

  answered({ member, request, answer, move }: Answered): void {
    if (!answer.ok && answer.code === "idempotency_mismatch") {
      this.#world.expect(false, "G3", () => `${nameOf(member)}: ${request.key} was not recognised`);
    }
    if (answer.ok) this.#checkAllowed(member, request, answer);
    if (answer.ok && !answer.replayed && move !== undefined) this.#checkMove(member, request, move);
    const isDecision = answer.ok ? !answer.replayed : answer.code === "quota_exhausted";
    if (isDecision && isShard(member) && "view" in answer) this.#checkDecision(member, answer);
  }

  /** After each event. */
  stepped(): void {
    for (const member of this.#namespace.members) {
      if (!member.isDirty) continue;
      member.isDirty = member.object.isTicking;
      this.#checkAlarm(member);
      if (member === this.#namespace.coordinator) this.#noteLimits();
    }
  }

  #noteLimits(): void {
    const stored = storedLimits(this.#namespace.coordinator.object.storage.rows);
    const current = stored ?? this.#world.plan.settings.limits;
    const known = this.#limits.at(-1)?.limits;
    if (known?.maxOps === current.maxOps && known.maxBytes === current.maxBytes) return;
    this.#limits.push({ fromMs: this.#world.nowMs, limits: current });
  }

  /** A count is over every cap that ever held. */
  #checkShardCount(member: Member, ops: bigint, bytes: bigint): void {
    const holds = this.#limits.some(({ limits }) => isWithin(ops, limits.maxOps) && isWithin(bytes, limits.maxBytes));
    this.#world.expect(holds, "G1", () => `${nameOf(member)}: counted ${ops} ops, ${bytes} bytes`);
  }

  #checkAllowed(member: Member, request: Request, answer: Allowed): void {
    const { usage, limits } = answer;
    const isInCaps = isWithin(usage.ops, limits.maxOps) && isWithin(usage.bytes, limits.maxBytes);
    this.#world.expect(isInCaps, "G1", () => `${nameOf(member)}: admitted at ${usage.ops} of ${limits.maxOps} ops`);
    if (request.key === null || request.isUncertain) return;
    const isOnce = request.admissions.every(
      (other) => other.window.number === answer.window.number && other.usage.ops === usage.ops,
    );
    this.#world.expect(isOnce, "G3", () => `${nameOf(member)}: ${request.key} was admitted twice`);
  }

  /** Every target is another one, so no ref is moved away from one twice: unless it came to it twice. */
  #checkMove(member: Member, request: Request, { expected, target }: RefMove): void {
    const { restores } = member.ledger;
    if (target !== null && request.key !== null) this.#movedTo.set(target, { request, restores });
    if (typeof expected !== "string") return;
    const first = this.#movedFrom.get(expected);
    this.#movedFrom.set(expected, { request, restores });
    if (this.#movedTo.get(expected)?.restores !== restores || first?.restores !== restores) return;
    const holds = first.request === request;
    this.#world.expect(holds, "G2", () => `${nameOf(member)}: moved twice from ${expected}`);
  }

  #checkDecision(member: Member, answer: Allowed | Exhausted): void {
    const world = this.#world;
    const { rollupMs } = world.plan.settings;
    const steadyMs = this.#steadySinceMs.get(member) ?? Number.POSITIVE_INFINITY;
    const isSteady = world.calmSinceMs !== null && steadyMs >= world.calmSinceMs && steadyMs + SLACK_MS < world.nowMs;
    if (world.calmForMs > rollupMs + SLACK_MS && !isSteady) this.#steadySinceMs.set(member, world.nowMs);
    if (!isSteady) return;
    const { view } = answer;
    const ageMs = view.status === "missing" ? Number.POSITIVE_INFINITY : member.object.clock() - view.observedAtMs;
    const isFresh = view.status === "fresh" && ageMs <= VIEW_PERIODS * rollupMs + SLACK_MS;
    world.count("checked G4");
    world.expect(isFresh, "G4", () => `${nameOf(member)}: decided on a view that is ${view.status}, ${ageMs} ms old`);
    if (world.calmForMs < OVERSHOOT_PERIODS * rollupMs + SLACK_MS) return;
    const recent = this.#limitsSince(world.nowMs - VIEW_PERIODS * rollupMs - SLACK_MS);
    const isRecent = recent.some(
      ({ maxOps, maxBytes }) => maxOps === answer.limits.maxOps && maxBytes === answer.limits.maxBytes,
    );
    world.expect(isRecent, "G4", () => `${nameOf(member)}: judged by limits of ${answer.limits.maxOps} ops`);
    if (answer.ok) this.#checkOvershoot(member, answer.window.number, recent);
  }

  #checkOvershoot(member: Member, window: Window, limits: readonly Limits[]): void {
    const world = this.#world;
    if (limits.some(({ maxOps }) => maxOps === null)) return;
    const cap = limits.reduce((most, { maxOps }) => (maxOps !== null && maxOps > most ? maxOps : most), 0n);
    const total = this.#namespace.members.reduce(
      (sum, { object }) => sum + countedIn(object.storage.rows, object.partition, window).ops,
      0n,
    );
    const sinceMs = world.nowMs - OVERSHOOT_PERIODS * world.plan.settings.rollupMs - SLACK_MS;
    this.#admissions = this.#admissions.filter(({ atMs }) => atMs >= sinceMs);
    const others = this.#admissions
      .filter((admission) => admission.member !== member && admission.window === window)
      .reduce((sum, { ops }) => sum + ops, 0n);
    world.count("checked G5");
    if (total > cap) world.count("overshoot");
    world.expect(total - cap <= others, "G5", () => `${total} of ${cap} ops, others ${others} in three periods`);
  }

  /** Limits that held at any time since then. */
  #limitsSince(sinceMs: number): readonly Limits[] {
    const first = this.#limits.findLastIndex(({ fromMs }) => fromMs <= sinceMs);
    return this.#limits.slice(Math.max(first, 0)).map(({ limits }) => limits);
  }

  /** Timers have an alarm that is not later than the first of them, and counts have timers. */
  #checkAlarm(member: Member): void {
    const { object } = member;
    const { alarmMs, rows } = object.storage;
    const timers = timersIn(rows);
    const dueMs = timers[0]?.timer.dueAtMs;
    if (dueMs !== undefined && !object.isTicking) {
      const latestMs = Math.max(dueMs, object.clock() + RETRY_DELAY_MS + 2 * this.#world.plan.maxSkewMs);
      const holds = alarmMs !== null && alarmMs <= latestMs;
      this.#world.expect(holds, "G7", () => `${nameOf(member)}: a timer due at ${dueMs}, the alarm at ${alarmMs}`);
    }
    for (const window of windowsIn(rows, isShard(member) ? ["qs"] : ["qt"])) {
      const hasTimer = timers.some((timer) => timer.window === window);
      this.#world.expect(hasTimer, "G7", () => `${nameOf(member)}: window ${window} is counted and has no timer`);
    }
  }
}

function isWithin(count: bigint, max: bigint | null): boolean {
  return max === null || count <= max;
}

export function nameOf({ object: { partition } }: Member): string {
  return partition.kind === "ref" ? `shard ${partition.repo} ${partition.ref}` : `coordinator ${partition.ns}`;
}
