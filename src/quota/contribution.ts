// The coordinator's part of a rollup: one guarded batch in which a shard's contribution becomes its
// cumulative usage and the namespace's total moves by the difference, down as well as up. Because
// contributions are cumulative, the same push again changes nothing.
import { equalBytes } from "../core/bytes.ts";
import { addU64, subtractToZero } from "../core/u64.ts";
import { decodeLimits, decodeUsage, encodeUsage } from "../core/codec.ts";
import { LIMITS_KEY, quotaContributionKey, quotaTotalKey, quotaWindow } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { sameUsage, type Usage, ZERO_USAGE } from "../core/usage.ts";
import { windowExpiryMs } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import type { OwnLimits, Push, PushResult } from "./protocol.ts";
import { readUsage } from "./rows.ts";
import { expiryTimerKey, putTotal, type WindowTerms } from "./total.ts";

export interface CoordinatorContext {
  readonly settings: QuotaSettings;
  /** The coordinator's own clock. */
  readonly nowMs: number;
  /** A newer push of the same shard has been decided: this one only asks what the total is. */
  readonly isOvertaken: boolean;
}

/** Throws StoreError `corrupt` when a row that the push needs cannot be read. */
export function decidePush(draft: Draft, push: Push, context: CoordinatorContext): PushResult {
  const terms = { window: push.window, windowMs: push.windowMs, graceMs: context.settings.clockGraceMs };
  const hasExpired = context.nowMs >= windowExpiryMs(terms.window, terms.windowMs, terms.graceMs);
  if (hasExpired) return removeContribution(draft, push, terms);

  const contributionKey = quotaContributionKey(push.window, push.source);
  const before = readUsage(draft.get(contributionKey));
  const stored = readUsage(draft.get(quotaTotalKey(push.window)));
  const usage = context.isOvertaken ? (before ?? ZERO_USAGE) : push.usage;
  const total = moveTotal(stored ?? ZERO_USAGE, before ?? ZERO_USAGE, usage);
  if (total === null) return { kind: "failed", reason: "overflow" };
  const limits = ownLimits(draft);
  if (!sameUsage(total, stored ?? ZERO_USAGE)) putTotal(draft, terms, stored, total);
  if (!sameUsage(usage, before ?? ZERO_USAGE)) draft.put(contributionKey, encodeUsage(usage));
  const rebasedFrom = before !== null && isBelow(usage, before) ? before : null;
  return { kind: "accepted", total, limits, rebasedFrom };
}

/**
 * A window that has expired keeps nothing: a push for it only takes its contribution away, and the last one
 * takes the total too. Rows are not read for what they say, so a corrupt one cannot keep the window alive.
 */
function removeContribution(draft: Draft, push: Push, terms: WindowTerms): PushResult {
  const contributionKey = quotaContributionKey(push.window, push.source);
  const totalKey = quotaTotalKey(push.window);
  const timerKey = expiryTimerKey(terms);
  const stored = draft.get(totalKey);
  const doomed = [draft.get(contributionKey) === null ? null : contributionKey];
  if (stored !== null && isLastContribution(draft, push)) {
    // Charges made here with keys leave rows that the coordinator's own timer is still to end.
    const hasMore = draft.rowsIn(quotaWindow("qi", push.window), 1).length > 0;
    doomed.push(totalKey, hasMore || draft.get(timerKey) === null ? null : timerKey);
  }
  const total = stored === null ? null : decodeUsage(stored);
  const limits = ownLimits(draft);
  for (const key of doomed) if (key !== null) draft.delete(key);
  return { kind: "accepted", total: total ?? ZERO_USAGE, limits, rebasedFrom: null };
}

function isLastContribution(draft: Draft, push: Push): boolean {
  const own = quotaContributionKey(push.window, push.source);
  return draft.rowsIn(quotaWindow("qc", push.window), 2).every(({ key }) => equalBytes(key, own));
}

function ownLimits(draft: Draft): OwnLimits {
  const stored = draft.get(LIMITS_KEY);
  if (stored === null) return { kind: "none" };
  const limits = decodeLimits(stored);
  return limits === null ? { kind: "unreadable" } : { kind: "own", limits };
}

/** The total with `before` replaced by `after`, never below `after`; null when it does not fit in a u64. */
function moveTotal(total: Usage, before: Usage, after: Usage): Usage | null {
  const ops = addU64(subtractToZero(total.ops, before.ops), after.ops);
  const bytes = addU64(subtractToZero(total.bytes, before.bytes), after.bytes);
  return ops === null || bytes === null ? null : { ops, bytes };
}

function isBelow(usage: Usage, before: Usage): boolean {
  return usage.ops < before.ops || usage.bytes < before.bytes;
}
