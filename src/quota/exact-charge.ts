// How a partition that holds the namespace's own total decides a charge: exactly, and with no view.
import { evaluateCharge } from "../core/admission.ts";
import { LIMITS_KEY, quotaTotalKey } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { ZERO_USAGE } from "../core/usage.ts";
import { windowOf } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import { type ChargeRequest, costOf, type Decision, exactState, neverFits, windowSpan } from "./charge.ts";
import { readLimits, readUsage } from "./rows.ts";
import { putTotal } from "./total.ts";

/** Throws StoreError `corrupt` when the total or the limits cannot be read. */
export function decideExactCharge(draft: Draft, request: ChargeRequest, settings: QuotaSettings): Decision {
  const { windowMs, rollupMs } = settings;
  const limits = readLimits(draft.get(LIMITS_KEY)) ?? settings.limits;
  const cost = costOf(request);
  const over = neverFits(cost, limits);
  if (over !== null) return { ok: false, code: "cost_exceeds_limit", dimension: over, limits };

  const window = windowOf(request.nowMs, windowMs);
  const stored = readUsage(draft.get(quotaTotalKey(window)));
  const current = stored ?? ZERO_USAGE;
  const admission = evaluateCharge({
    limits,
    current,
    cost,
    view: null,
    exact: true,
    nowMs: request.nowMs,
    rollupMs,
  });
  const span = windowSpan(window, windowMs);
  if (admission.kind === "exhausted") {
    return {
      ok: false,
      code: "quota_exhausted",
      scope: admission.scope,
      dimension: admission.dimension,
      retryAfterMs: Math.max(span.endsAtMs - request.nowMs, 0),
      ...exactState(span, current, limits, request.nowMs),
    };
  }
  putTotal(draft, { window, windowMs, graceMs: settings.clockGraceMs }, stored, admission.usage);
  return {
    ok: true,
    decision: "allowed",
    countedAt: "coordinator",
    replayed: false,
    ...exactState(span, admission.usage, limits, request.nowMs),
  };
}
