// How a ref shard decides a charge: by its own exact count first, then by its view of the namespace.
// What it admits commits with the timer that will roll it up; what it refuses writes nothing.
import { evaluateCharge } from "../core/admission.ts";
import { decodeView, encodeUsage } from "../core/codec.ts";
import { classRange, decodeTimerKey, quotaShardKey, quotaViewKey, timerKey } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { sameUsage, type Usage, ZERO_USAGE } from "../core/usage.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import { type ChargeRequest, costOf, type Decision, neverFits, shardState, windowSpan } from "./charge.ts";
import { encodeWindowMs, isTimerOf, quotaTimer, readUsage } from "./rows.ts";
import type { Known } from "./view-source.ts";

export interface ShardContext {
  readonly settings: QuotaSettings;
  /** The object's own clock, by which timers run; a request's time may differ from it. */
  readonly nowMs: number;
  /** The newest view and limits known, stored or not. */
  readonly knownOf: (window: Window) => Known;
}

/** Timers a shard can have at once, far above what it ever has: one for each window still stored. */
const MAX_TIMERS = 500;

/** Throws StoreError `corrupt` when the shard's own count or its limits cannot be read. */
export function decideShardCharge(draft: Draft, request: ChargeRequest, context: ShardContext): Decision {
  const { windowMs, rollupMs } = context.settings;
  const window = windowOf(request.nowMs, windowMs);
  const { view, limits } = context.knownOf(window);
  const cost = costOf(request);
  const over = neverFits(cost, limits);
  if (over !== null) return { ok: false, code: "cost_exceeds_limit", dimension: over, limits };

  const usageKey = quotaShardKey(window);
  const current = readUsage(draft.get(usageKey)) ?? ZERO_USAGE;
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
  const state = shardState(span, admission.usage, limits, known);
  return { ok: true, decision: "allowed", countedAt: "shard", replayed: false, ...state };
}

/** Whether the coordinator already has all of the shard's count, so that its timer may have slid away. */
function isRolledUp(draft: Draft, window: Window, current: Usage): boolean {
  const value = draft.peek(quotaViewKey(window));
  const pushed = value === null ? null : (decodeView(value)?.pushed ?? null);
  return sameUsage(current, pushed ?? ZERO_USAGE);
}

/**
 * Sees to it that the window's timer is due within one rollup period. One that slid away comes back to where
 * its periods would have it, so that what the shard knew before is renewed within a period, too.
 */
function armRollup(draft: Draft, window: Window, context: ShardContext): void {
  const { nowMs, settings } = context;
  const latestMs = nowMs + settings.rollupMs;
  const standing = draft.rowsIn(classRange("w"), MAX_TIMERS).find((row) => isTimerOf(row.key, window));
  let dueAtMs = latestMs;
  if (standing !== undefined) {
    const slidToMs = decodeTimerKey(standing.key)?.dueAtMs ?? latestMs;
    if (slidToMs <= latestMs) return;
    dueAtMs = slidToMs - Math.ceil((slidToMs - latestMs) / settings.rollupMs) * settings.rollupMs;
    draft.delete(standing.key);
  }
  draft.put(timerKey(quotaTimer(window, dueAtMs)), encodeWindowMs(settings.windowMs));
}
