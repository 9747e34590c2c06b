// The namespace's total in one window, and the timer that will remove it: whoever writes the first
// total of a window also arms its expiry, so that no total outlives its window for want of a visitor.
import { encodeUsage } from "../core/codec.ts";
import { type Key, quotaTotalKey, timerKey } from "../core/keys.ts";
import type { Usage } from "../core/usage.ts";
import { type Window, windowExpiryMs } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import { encodeWindowMs, quotaTimer } from "./rows.ts";

export interface WindowTerms {
  readonly window: Window;
  readonly windowMs: number;
  readonly graceMs: number;
}

/** `stored` is the total that was read, null when there was none. */
export function putTotal(draft: Draft, terms: WindowTerms, stored: Usage | null, total: Usage): void {
  if (stored === null) draft.put(expiryTimerKey(terms), encodeWindowMs(terms.windowMs));
  draft.put(quotaTotalKey(terms.window), encodeUsage(total));
}

export function expiryTimerKey({ window, windowMs, graceMs }: WindowTerms): Key {
  return timerKey(quotaTimer(window, windowExpiryMs(window, windowMs, graceMs)));
}
