// The Worker's methods for other Workers, over a service binding: the operations of the HTTP surface, with
// the same checks and codes, as plain values. A binding is trusted and needs no token. Nothing expected is
// thrown: an error would cross as a bare Error.
import { WorkerEntrypoint } from "cloudflare:workers";
import type { z } from "zod";
import { readSettings } from "../core/settings.ts";
import type { Env } from "../objects/env.ts";
import { QuotaClient } from "../objects/quota-client.ts";
import type { ChargeResult, MoveResult, QuotaState } from "../quota/charge.ts";
import type { LimitsReport } from "../quota/namespace-quota.ts";
import type { ContributionsPage, NamespaceReport } from "../quota/reports.ts";
import type { Found, InvalidRequest } from "../quota/result.ts";
import type { CallFailure } from "../objects/quota-client.ts";
import {
  type CostArgument,
  costArgument,
  type LimitsArgument,
  limitsArgument,
  type MoveArgument,
  moveArgument,
  namespaceArgument,
  type PageArgument,
  pageArgument,
  type RefArgument,
  refArgument,
  type TargetArgument,
  targetArgument,
} from "./arguments.ts";

export interface NotConfigured {
  readonly ok: false;
  readonly code: "not_configured";
  /** The settings at fault. */
  readonly settings: readonly string[];
}

export interface NotFound {
  readonly ok: false;
  readonly code: "not_found";
}

export type RpcFailure = CallFailure | InvalidRequest | NotConfigured;

/** A move's answer says where the ref then points. */
export type MoveAnswer =
  | Exclude<MoveResult, { ok: true }>
  | (Extract<MoveResult, { ok: true }> & { target: string | null });

export class QuotaRpc extends WorkerEntrypoint<Env> {
  /** Charges one write on a ref's shard, or exactly on the namespace when `target` names no ref. */
  async charge(target: TargetArgument, cost?: CostArgument): Promise<ChargeResult | RpcFailure> {
    return this.#withChecked([targetArgument, costArgument] as const, [target, cost], (client, [at, charge]) =>
      at.ref === undefined ? client.chargeNamespace(at.ns, charge) : client.chargeRef(at, charge),
    );
  }

  /** Moves a ref and charges the move, both or neither. */
  async moveRef(target: RefArgument, move: MoveArgument): Promise<MoveAnswer | RpcFailure> {
    return this.#withChecked([refArgument, moveArgument] as const, [target, move], async (client, [at, checked]) => {
      const { bytes, idempotencyKey, ...refMove } = checked;
      const result = await client.moveRef(at, refMove, { bytes, idempotencyKey });
      return result.ok ? { ...result, target: refMove.target } : result;
    });
  }

  /** Where a ref points. */
  async readRef(target: RefArgument): Promise<Found<{ readonly target: string }> | NotFound | RpcFailure> {
    return this.#withChecked([refArgument] as const, [target], async (client, [at]) => {
      const result = await client.readRef(at);
      if (!result.ok) return result;
      return result.target === null ? { ok: false, code: "not_found" } : { ok: true, target: result.target };
    });
  }

  /** The current window of a ref's shard, or of the namespace when `target` names no ref. Writes nothing. */
  async usage(target: TargetArgument): Promise<Found<QuotaState> | Found<NamespaceReport> | RpcFailure> {
    return this.#withChecked(
      [targetArgument] as const,
      [target],
      (client, [at]): Promise<Found<QuotaState> | Found<NamespaceReport> | CallFailure> =>
        at.ref === undefined ? client.namespaceUsage(at.ns) : client.refUsage(at),
    );
  }

  /** A page of the shards that have rolled up in one window. */
  async contributions(namespace: string, page?: PageArgument): Promise<Found<ContributionsPage> | RpcFailure> {
    return this.#withChecked([namespaceArgument, pageArgument] as const, [namespace, page], (client, [ns, query]) =>
      client.contributions(ns, query),
    );
  }

  /** The limits in force in a namespace, and whether they are its own. */
  async limits(namespace: string): Promise<Found<LimitsReport> | RpcFailure> {
    return this.#withChecked([namespaceArgument] as const, [namespace], (client, [ns]) => client.limits(ns));
  }

  /** Gives a namespace limits of its own; null takes them away. */
  async setLimits(namespace: string, limits: LimitsArgument): Promise<Found<LimitsReport> | RpcFailure> {
    return this.#withChecked([namespaceArgument, limitsArgument] as const, [namespace, limits], (client, [ns, own]) =>
      client.setLimits(ns, own),
    );
  }

  /** Rolls a ref's shard up now. */
  async rollUp(target: RefArgument): Promise<Found<QuotaState> | RpcFailure> {
    return this.#withChecked([refArgument] as const, [target], (client, [at]) => client.rollUpRef(at));
  }

  /** Runs `operation` on what the arguments say, once the deployment and they are found to be in order. */
  async #withChecked<const Schemas extends readonly z.ZodType[], Answer>(
    schemas: Schemas,
    given: readonly unknown[],
    operation: (client: QuotaClient, checked: Checked<Schemas>) => Promise<Answer>,
  ): Promise<Answer | InvalidRequest | NotConfigured> {
    const read = readSettings(this.env);
    if (read.kind === "misconfigured") return { ok: false, code: "not_configured", settings: read.names };
    const checked: unknown[] = [];
    for (const [index, schema] of schemas.entries()) {
      if (isOfAClass(given[index])) return refusal(index, "a plain object is expected");
      const result = schema.safeParse(given[index]);
      if (!result.success) return refusal(index, result.error);
      checked.push(result.data);
    }
    return operation(new QuotaClient(this.env), checked as unknown as Checked<Schemas>);
  }
}

type Checked<Schemas extends readonly z.ZodType[]> = { [Index in keyof Schemas]: z.output<Schemas[Index]> };

/** A Map or a Date crosses as what it is, and would pass for an object with no fields. */
function isOfAClass(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.getPrototypeOf(value) !== Object.prototype && !Array.isArray(value);
}

function refusal(index: number, error: string | z.ZodError): InvalidRequest {
  const issue = typeof error === "string" ? { message: error, path: [] } : error.issues[0];
  const place = [index + 1, ...(issue?.path ?? [])].join(".");
  return { ok: false, code: "invalid_request", detail: `argument ${place}: ${issue?.message ?? "not valid"}` };
}
