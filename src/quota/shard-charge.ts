// How a ref shard decides a charge: by its own exact count first, then by its view of the namespace.
// What it admits commits with the timer that will roll it up; what it refuses writes nothing.
import { evaluateCharge } from "../core/admission.ts";
import { compareBytes } from "../core/bytes.ts";
import { decodeView, encodeUsage } from "../core/codec.ts";
import { classRange, quotaShardKey, quotaViewKey, timerKey } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { sameUsage, type Usage, type View, ZERO_USAGE } from "../core/usage.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import { type ChargeAnswer, type ChargeRequest, costOf, neverFits, shardState, windowSpan } from "./charge.ts";
import { encodeWindowMs, isTimerOf, quotaTimer, readUsage } from "./rows.ts";

export interface ShardContext {
  readonly settings: QuotaSettings;
  /** The object's own clock, by which timers run; a request's time may differ from it. */
  readonly nowMs: number;
  /** The newest view known, stored or not. */
  readonly viewOf: (window: Window) => View | null;
}

/** Timers a shard can have at once, far above what it ever has: one for each window still stored. */
const MAX_TIMERS = 1_000;

/** Throws StoreError `corrupt` when the shard's own count cannot be read. */
export function decideShardCharge(draft: Draft, request: ChargeRequest, context: ShardContext): ChargeAnswer {
  const { limits, windowMs, rollupMs } = context.settings;
  const cost = costOf(request);
  const over = neverFits(cost, limits);
  if (over !== null) return { ok: false, code: "cost_exceeds_limit", dimension: over, limits };

  const window = windowOf(request.nowMs, windowMs);
  const usageKey = quotaShardKey(window);
  const current = readUsage(draft.get(usageKey)) ?? ZERO_USAGE;
  const view = context.viewOf(window);
  const admission = evaluateCharge({ limits, current, cost, view, exact: false, nowMs: request.nowMs, rollupMs });
  const span = windowSpan(window, windowMs);
  const known = { view, status: admission.view };
  if (admission.kind === "exhausted") {
    return {
      ok: false,
      code: "quota_exhausted",
      scope: admission.scope,
      dimension: admission.dimension,
      retryAfterMs: Math.max(span.endsAtMs - request.nowMs, 0),
      ...shardState(span, current, limits, known),
    };
  }
  if (isRolledUp(draft, window, current)) armRollup(draft, window, context);
  draft.put(usageKey, encodeUsage(admission.usage));
  return { ok: true, decision: "allowed", countedAt: "shard", ...shardState(span, admission.usage, limits, known) };
}

/** Whether the coordinator already has all of the shard's count, so that its timer may have slid away. */
function isRolledUp(draft: Draft, window: Window, current: Usage): boolean {
  const value = draft.peek(quotaViewKey(window));
  const pushed = value === null ? null : (decodeView(value)?.pushed ?? null);
  return sameUsage(current, pushed ?? ZERO_USAGE);
}

/** Sees to it that the window's timer is due within one rollup period. */
function armRollup(draft: Draft, window: Window, context: ShardContext): void {
  const dueAtMs = context.nowMs + context.settings.rollupMs;
  const wanted = timerKey(quotaTimer(window, dueAtMs));
  const standing = draft.rowsIn(classRange("w"), MAX_TIMERS).find((row) => isTimerOf(row.key, window));
  if (standing !== undefined) {
    if (compareBytes(standing.key, wanted) <= 0) return;
    draft.delete(standing.key);
  }
  draft.put(wanted, encodeWindowMs(context.settings.windowMs));
}
