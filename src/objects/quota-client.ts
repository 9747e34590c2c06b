// The edge's side of every call: finds the object that owns what is asked for and turns a call that
// failed into a value. What was charged is never repeated here: a charge whose answer was lost may have
// been counted.
import type { ChargeResult, QuotaState } from "../quota/charge.ts";
import type { ContributionsPage, ContributionsQuery, NamespaceReport } from "../quota/reports.ts";
import { type Found, type InvalidRequest, type Unavailable, unavailable } from "../quota/result.ts";
import type { Env } from "./env.ts";
import { hasFlag } from "./error-flags.ts";
import { objectName } from "./identity.ts";
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";
import type { RefShard } from "./ref-shard.ts";

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
  readonly #env: Env;

  constructor(env: Env) {
    this.#env = env;
  }

  chargeRef(target: RefTarget, bytes: bigint): Promise<ChargeResult | CallFailure> {
    return called(async () => this.#shard(target).charge(bytes));
  }

  refUsage(target: RefTarget): Promise<Found<QuotaState> | CallFailure> {
    return called(async () => this.#shard(target).usage());
  }

  rollUpRef(target: RefTarget): Promise<Found<QuotaState> | CallFailure> {
    return called(async () => this.#shard(target).rollUp());
  }

  chargeNamespace(ns: string, bytes: bigint): Promise<ChargeResult | CallFailure> {
    return called(async () => this.#coordinator(ns).charge(bytes));
  }

  namespaceUsage(ns: string): Promise<Found<NamespaceReport> | CallFailure> {
    return called(async () => this.#coordinator(ns).usage());
  }

  contributions(
    ns: string,
    query: ContributionsQuery,
  ): Promise<Found<ContributionsPage> | InvalidRequest | CallFailure> {
    return called(async () => this.#coordinator(ns).contributions(query));
  }

  #shard(target: RefTarget): DurableObjectStub<RefShard> {
    const objects = this.#env.REF_SHARD;
    return objects.get(objects.idFromName(objectName({ kind: "ref", ...target })));
  }

  #coordinator(ns: string): DurableObjectStub<NamespaceCoordinator> {
    const objects = this.#env.NS_COORDINATOR;
    return objects.get(objects.idFromName(objectName({ kind: "coordinator", ns })));
  }
}

async function called<Answer>(call: () => Promise<Answer>): Promise<Answer | CallFailure> {
  try {
    return await call();
  } catch (error) {
    console.error(JSON.stringify({ kind: "callFailed", detail: String(error) }));
    return isOfPlatform(error) ? unavailable("unavailable") : { ok: false, code: "internal" };
  }
}

/**
 * Whether the platform, not the code of the object, ended the call.
 * https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
 */
function isOfPlatform(error: unknown): boolean {
  return hasFlag(error, "retryable") || hasFlag(error, "overloaded") || hasFlag(error, "durableObjectReset");
}
