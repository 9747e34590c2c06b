// The admission decision: a pure function of counters, view, limits and time, pinned by
// test/fixtures/admission.json. The partition's own count is judged first and is exact; the
// namespace's total is judged only on a view that is fresh. Whatever does not fit in a u64 is
// refused: a counter that cannot be trusted admits nothing.
import { addU64 } from "./u64.ts";
import type { Dimension, Limits, Usage, View } from "./usage.ts";

/** A view older than this many rollup periods says nothing about the namespace any more. */
const FRESH_PERIODS = 2;

export type ViewStatus = "fresh" | "stale" | "missing";

export interface ChargeState {
  readonly limits: Limits;
  /** This partition's counter before the charge. */
  readonly current: Usage;
  readonly cost: Usage;
  readonly view: View | null;
  /** The partition holds the namespace's total itself, so no view is needed or looked at. */
  readonly exact: boolean;
  readonly nowMs: number;
  readonly rollupMs: number;
}

export type Admission =
  | { readonly kind: "allowed"; readonly usage: Usage; readonly view: ViewStatus }
  | {
      readonly kind: "exhausted";
      readonly scope: "shard" | "namespace";
      readonly dimension: Dimension;
      readonly view: ViewStatus;
    };

export function evaluateCharge(state: ChargeState): Admission {
  const { limits, current, cost, exact } = state;
  const view = exact ? "fresh" : viewStatus(state.view, state.nowMs, state.rollupMs);
  const ops = addU64(current.ops, cost.ops);
  const bytes = addU64(current.bytes, cost.bytes);
  if (exceeds(limits.maxOps, ops)) return refused(exact ? "namespace" : "shard", "ops", view);
  if (exceeds(limits.maxBytes, bytes)) return refused(exact ? "namespace" : "shard", "bytes", view);
  const usage = { ops, bytes };
  if (!exact && state.view !== null && view === "fresh") {
    const total = estimateTotal(state.view, usage);
    if (exceeds(limits.maxOps, total.ops)) return refused("namespace", "ops", view);
    if (exceeds(limits.maxBytes, total.bytes)) return refused("namespace", "bytes", view);
  }
  return { kind: "allowed", usage, view };
}

/** A view observed in the future is fresh: clocks step back. */
export function viewStatus(view: View | null, nowMs: number, rollupMs: number): ViewStatus {
  if (view === null) return "missing";
  return BigInt(nowMs) - view.observedAtMs <= BigInt(FRESH_PERIODS * rollupMs) ? "fresh" : "stale";
}

/**
 * What the namespace has used, by this view and the partition's own newer count: the others' share of the
 * total, plus `own`. A dimension is null when the view contradicts itself there, or the sum overflows.
 */
export function estimateTotal(view: View, own: Usage): Record<Dimension, bigint | null> {
  return {
    ops: replaceShare(view.total.ops, view.pushed.ops, own.ops),
    bytes: replaceShare(view.total.bytes, view.pushed.bytes, own.bytes),
  };
}

function replaceShare(total: bigint, pushed: bigint, own: bigint): bigint | null {
  return pushed > total ? null : addU64(total - pushed, own);
}

function exceeds(max: bigint | null, used: bigint | null): used is null {
  return used === null || (max !== null && used > max);
}

function refused(scope: "shard" | "namespace", dimension: Dimension, view: ViewStatus): Admission {
  return { kind: "exhausted", scope, dimension, view };
}
