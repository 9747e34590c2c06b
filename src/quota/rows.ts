// Quota rows read as what their keys say they are. A value that is not is `corrupt`: it stops the
// request or timer that needs it, and nothing else.
import { encodeU64, equalBytes } from "../core/bytes.ts";
import { decodeLimits, decodeU64, decodeUsage } from "../core/codec.ts";
import { decodeTimerKey, type Key, type Timer } from "../core/keys.ts";
import type { Limits, Usage } from "../core/usage.ts";
import { toWindow, type Window } from "../core/window.ts";
import { StoreError } from "../store/errors.ts";
import type { Firing, TimerHandler } from "../timers/registry.ts";

/** The one kind of timer that quotas have: rollup at a shard, expiry at an exact partition. */
export const QUOTA_TIMER_KIND = 5;

/** Null when there is no row. Throws StoreError `corrupt`. */
export function readUsage(value: Uint8Array | null): Usage | null {
  if (value === null) return null;
  const usage = decodeUsage(value);
  if (usage === null) throw new StoreError("corrupt", "a usage row has the wrong length");
  return usage;
}

/** Null when there is no row. Throws StoreError `corrupt`. */
export function readLimits(value: Uint8Array | null): Limits | null {
  if (value === null) return null;
  const limits = decodeLimits(value);
  if (limits === null) throw new StoreError("corrupt", "a limits row is malformed");
  return limits;
}

export function quotaTimer(window: Window, dueAtMs: number): Timer {
  return { dueAtMs, kind: QUOTA_TIMER_KIND, reference: encodeU64(window) };
}

/** Whether this is the key of the window's own quota timer. */
export function isTimerOf(key: Key, window: Window): boolean {
  const timer = decodeTimerKey(key);
  return timer?.kind === QUOTA_TIMER_KIND && equalBytes(timer.reference, encodeU64(window));
}

export function encodeWindowMs(windowMs: number): Uint8Array {
  return encodeU64(BigInt(windowMs));
}

/** The window a quota timer is for, and its length; null when the row is malformed. */
export function readQuotaTimer(firing: Firing): { window: Window; windowMs: number } | null {
  const window = decodeU64(firing.timer.reference);
  const windowMs = decodeU64(firing.value);
  if (window === null || windowMs === null || windowMs > BigInt(Number.MAX_SAFE_INTEGER)) return null;
  return { window: toWindow(window), windowMs: Number(windowMs) };
}

/** Stands in for the quota timer while the deployment is not configured: rows stay, and are tried again. */
export const retryLater: TimerHandler = {
  kind: QUOTA_TIMER_KIND,
  maxPerTick: 1,
  runsOn: () => true,
  fire: async () => ({ kind: "retry" }),
};
