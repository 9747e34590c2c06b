// The edge's side of every call: finds the object that owns what is asked for, and turns a call that
// failed into a value. Reads and calls that carry an idempotency key are tried again where the platform
// says they may be; a charge without a key is not, because it may have been counted.
import type { Limits } from "../core/usage.ts";
import type { Charge, ChargeCall, ChargeResult, MoveResult, QuotaState } from "../quota/charge.ts";
import type { LimitsReport } from "../quota/namespace-quota.ts";
import type { RefMove } from "../quota/ref-move.ts";
import type { ContributionsPage, ContributionsQuery, NamespaceReport } from "../quota/reports.ts";
import { type Found, type InvalidRequest, type Unavailable, unavailable } from "../quota/result.ts";
import type { QuotaObjects } from "./env.ts";
import { startDelay } from "./delay.ts";
import { objectName } from "./identity.ts";
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";
import { hasFlag, MAX_ATTEMPTS, withRetries } from "./retries.ts";

/** Names that have been checked. */
export interface RefTarget {
  readonly ns: string;
  readonly repo: string;
  readonly ref: string;
}

/** A fault of our own, not of the platform. */
export interface Internal {
  readonly ok: false;
  readonly code: "internal";
}

export type CallFailure = Unavailable | Internal;

export class QuotaClient {
  readonly #env: QuotaObjects;

  constructor(env: QuotaObjects) {
    this.#env = env;
  }

  chargeRef(target: RefTarget, charge: Charge): Promise<ChargeResult | CallFailure> {
    const call = callOf(charge);
    return attempt(attemptsFor(charge), async () => this.#shard(target).charge(call));
  }

  moveRef(target: RefTarget, move: RefMove, charge: Charge): Promise<MoveResult | CallFailure> {
    const call = callOf(charge);
    return attempt(attemptsFor(charge), async () => this.#shard(target).move(move, call));
  }

  readRef(target: RefTarget): Promise<Found<{ readonly target: string | null }> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#shard(target).target());
  }

  refUsage(target: RefTarget): Promise<Found<QuotaState> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#shard(target).usage());
  }

  rollUpRef(target: RefTarget): Promise<Found<QuotaState> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#shard(target).rollUp());
  }

  chargeNamespace(ns: string, charge: Charge): Promise<ChargeResult | CallFailure> {
    const call = callOf(charge);
    return attempt(attemptsFor(charge), async () => this.#coordinator(ns).charge(call));
  }

  limits(ns: string): Promise<Found<LimitsReport> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#coordinator(ns).limits());
  }

  /** Null takes the namespace's own limits away. */
  setLimits(ns: string, limits: Limits | null): Promise<Found<LimitsReport> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#coordinator(ns).setLimits(limits));
  }

  namespaceUsage(ns: string): Promise<Found<NamespaceReport> | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#coordinator(ns).usage());
  }

  contributions(
    ns: string,
    query: ContributionsQuery,
  ): Promise<Found<ContributionsPage> | InvalidRequest | CallFailure> {
    return attempt(MAX_ATTEMPTS, async () => this.#coordinator(ns).contributions(query));
  }

  #shard(target: RefTarget): ReturnType<QuotaObjects["REF_SHARD"]["get"]> {
    const objects = this.#env.REF_SHARD;
    return objects.get(objects.idFromName(objectName({ kind: "ref", ...target })));
  }

  #coordinator(ns: string): DurableObjectStub<NamespaceCoordinator> {
    const objects = this.#env.NS_COORDINATOR;
    return objects.get(objects.idFromName(objectName({ kind: "coordinator", ns })));
  }
}

function callOf(charge: Charge): ChargeCall {
  return { ...charge, callId: crypto.randomUUID() };
}

function attemptsFor(charge: Charge): number {
  return charge.idempotencyKey === null ? 1 : MAX_ATTEMPTS;
}

/** Each attempt takes its own stub: one that has failed stays broken. */
async function attempt<Answer>(attempts: number, call: () => Promise<Answer>): Promise<Answer | CallFailure> {
  try {
    return await withRetries(attempts, startDelay, call);
  } catch (error) {
    console.error(JSON.stringify({ kind: "callFailed", detail: String(error) }));
    return isOfPlatform(error) ? unavailable("unavailable") : { ok: false, code: "internal" };
  }
}

/** What the runtime says in place of a fault of its own, a full disk for one, which comes without a flag. */
const HIDDEN_FAULT = "internal error";

/**
 * Whether the platform, not the code of the object, ended the call.
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
function isOfPlatform(error: unknown): boolean {
  if (error instanceof Error && error.message.startsWith(HIDDEN_FAULT)) return true;
  return hasFlag(error, "retryable") || hasFlag(error, "overloaded") || hasFlag(error, "durableObjectReset");
}
