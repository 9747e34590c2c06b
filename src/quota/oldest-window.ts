// How far back an object's rows reach, for whoever watches that ended windows do end.
import type { Observe } from "../core/events.ts";
import { classRange, type QuotaTag, windowOfKey } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Store } from "../store/contract.ts";

interface Watched {
  readonly store: Store;
  readonly settings: QuotaSettings;
  readonly observe: Observe;
}

/** Reports the oldest window of which a row of these classes is stored, if there is one. */
export function observeOldestWindow(
  { store, settings, observe }: Watched,
  tags: readonly QuotaTag[],
  nowMs: number,
): void {
  const windows = tags.map((tag) => oldestOf(store, tag)).filter((window) => window !== null);
  const [first, ...rest] = windows;
  if (first === undefined) return;
  const oldest = rest.reduce((least, window) => (window < least ? window : least), first);
  const behind = Number(windowOf(nowMs, settings.windowMs) - oldest);
  observe({ kind: "oldestWindow", window: oldest, behind: Math.max(behind, 0) });
}

function oldestOf(store: Store, tag: QuotaTag): Window | null {
  const [row] = store.scan(classRange(tag), { limit: 1 }).rows;
  return row === undefined ? null : windowOfKey(tag, row.key);
}
