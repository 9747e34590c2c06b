// A charge, from request to decision: what it asks, what it is answered, and how the answer is put
// together from the decision. How each kind of partition decides is in shard-charge.ts and
// exact-charge.ts.
import { estimateTotal, type ViewStatus } from "../core/admission.ts";
import { isU64 } from "../core/u64.ts";
import { type Dimension, type Limits, type Remaining, remainingUnder, type Usage, type View } from "../core/usage.ts";
import { type Window, windowEndMs, windowStartMs } from "../core/window.ts";
import type { Unavailable } from "./result.ts";

/** What a caller asks of a partition. */
export interface Charge {
  readonly bytes: bigint;
  /** Visible ASCII, 1–128 characters; null: every request is charged anew. */
  readonly idempotencyKey: string | null;
}

/** A charge as it is sent to an object: `callId` tells a repeated delivery from another charge. */
export interface ChargeCall extends Charge {
  readonly callId: string;
}

/** A charge as it is decided. */
export interface ChargeRequest {
  /** The request's one time, Unix ms; it says which window is charged. */
  readonly nowMs: number;
  readonly bytes: bigint;
}

export interface WindowSpan {
  readonly number: Window;
  readonly startsAtMs: number;
  /** First ms after the window. */
  readonly endsAtMs: number;
}

export type ViewReport =
  | { readonly status: "missing" }
  | { readonly status: Exclude<ViewStatus, "missing"> | "exact"; readonly total: Usage; readonly observedAtMs: number };

/** What a partition knows of one window. `usage` is its own. */
export interface QuotaState {
  readonly window: WindowSpan;
  readonly usage: Usage;
  readonly view: ViewReport;
  readonly limits: Limits;
  readonly remaining: Remaining;
}

export interface Allowed extends QuotaState {
  readonly ok: true;
  readonly decision: "allowed";
  readonly countedAt: "shard" | "coordinator";
  /** The answer of an earlier request with the same idempotency key; nothing was charged. */
  readonly replayed: boolean;
}

export interface Exhausted extends QuotaState {
  readonly ok: false;
  readonly code: "quota_exhausted";
  readonly scope: "shard" | "namespace";
  readonly dimension: Dimension;
  readonly retryAfterMs: number;
}

export interface CostExceedsLimit {
  readonly ok: false;
  readonly code: "cost_exceeds_limit";
  readonly dimension: Dimension;
  readonly limits: Limits;
}

export interface IdempotencyMismatch {
  readonly ok: false;
  readonly code: "idempotency_mismatch";
}

/** A lost compare: the ref is not where the move expected it. */
export interface Conflict {
  readonly ok: false;
  readonly code: "conflict";
  /** Where the ref points; null when it does not exist. */
  readonly current: string | null;
}

export type Decision = Allowed | Exhausted | CostExceedsLimit;
export type ChargeResult = Decision | IdempotencyMismatch | Unavailable;
export type MoveResult = ChargeResult | Conflict;

/** Throws RangeError for bytes that are no u64: whoever calls this has not checked what it was given. */
export function chargeRequest(nowMs: number, bytes: bigint): ChargeRequest {
  if (!isU64(bytes)) throw new RangeError("a charge's bytes are a u64");
  return { nowMs, bytes };
}

export function costOf(request: ChargeRequest): Usage {
  return { ops: 1n, bytes: request.bytes };
}

/** The dimension in which the cost is over the whole limit, so that no wait can help; null when it can fit. */
export function neverFits(cost: Usage, limits: Limits): Dimension | null {
  if (limits.maxOps !== null && cost.ops > limits.maxOps) return "ops";
  if (limits.maxBytes !== null && cost.bytes > limits.maxBytes) return "bytes";
  return null;
}

export function windowSpan(window: Window, windowMs: number): WindowSpan {
  return {
    number: window,
    startsAtMs: windowStartMs(window, windowMs),
    endsAtMs: windowEndMs(window, windowMs),
  };
}

/** The state of a partition whose own count is the namespace's total. */
export function exactState(window: WindowSpan, total: Usage, limits: Limits, nowMs: number): QuotaState {
  return {
    window,
    usage: total,
    view: { status: "exact", total, observedAtMs: nowMs },
    limits,
    remaining: remainingUnder(limits, total),
  };
}

/** The state of a shard: what it believes is left follows from the same figures its decisions do. */
export function shardState(
  window: WindowSpan,
  usage: Usage,
  limits: Limits,
  known: { readonly view: View | null; readonly status: ViewStatus },
): QuotaState {
  const { view, status } = known;
  const total = view !== null && status === "fresh" ? estimateTotal(view, usage) : usage;
  return {
    window,
    usage,
    view: view === null || status === "missing" ? { status: "missing" } : reportOf(view, status),
    limits,
    remaining: remainingUnder(limits, total),
  };
}

function reportOf(view: View, status: Exclude<ViewStatus, "missing">): ViewReport {
  return { status, total: view.total, observedAtMs: Number(view.observedAtMs) };
}
