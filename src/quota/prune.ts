// Removal of ended windows, in guarded batches of at most eight rows and a bounded number of them at a
// time: a huge leftover makes no huge batch, and does not keep an alarm from its other timers.
import { decodeU64 } from "../core/codec.ts";
import { classRange, decodeTimerKey, type KeyRange, type QuotaTag, quotaBefore, quotaWindow } from "../core/keys.ts";
import { toWindow, type Window, windowOf } from "../core/window.ts";
import { guardOf, MAX_SCAN_ROWS, type Row, type Store } from "../store/contract.ts";
import { QUOTA_TIMER_KIND } from "./rows.ts";

const ROWS_PER_BATCH = 8;
const MAX_BATCHES = 64;

export interface Pruned {
  readonly rows: number;
  /** False when rows were left for another time. */
  readonly isComplete: boolean;
}

/** Removes every row of one window of these classes. */
export function pruneWindow(store: Store, tags: readonly QuotaTag[], window: Window): Pruned {
  return pruneRanges(
    store,
    tags.map((tag) => quotaWindow(tag, window)),
  );
}

/**
 * Removes what a crash left behind of windows before `before`. A window that still has a timer of its own is
 * not left behind: its timer will end it, with whatever window length it was counted by.
 */
export function pruneBefore(store: Store, tags: readonly QuotaTag[], before: Window): Pruned {
  const kept = windowsWithTimers(store);
  return pruneRanges(
    store,
    tags.flatMap((tag) => gapsBetween(tag, kept, before)),
  );
}

/** Everything before this window may go once `ended` has: never the current one, whatever length the ended one had. */
export function leftBehindBy(ended: Window, nowMs: number, windowMs: number): Window {
  const current = windowOf(nowMs, windowMs);
  return ended < current ? ended : current;
}

export function bothPruned(first: Pruned, second: () => Pruned): Pruned {
  if (!first.isComplete) return first;
  const { rows, isComplete } = second();
  return { rows: first.rows + rows, isComplete };
}

function pruneRanges(store: Store, ranges: readonly KeyRange[]): Pruned {
  let removed = 0;
  let batches = 0;
  for (const range of ranges) {
    for (;;) {
      const { rows } = store.scan(range, { limit: ROWS_PER_BATCH });
      if (rows.length === 0) break;
      if (batches >= MAX_BATCHES || !removeRows(store, rows)) return { rows: removed, isComplete: false };
      batches++;
      removed += rows.length;
    }
  }
  return { rows: removed, isComplete: true };
}

function removeRows(store: Store, rows: readonly Row[]): boolean {
  const outcome = store.apply({
    preconditions: rows.map(({ key, value }) => guardOf(key, value)),
    writes: rows.map(({ key }) => ({ kind: "delete", key })),
  });
  return outcome.kind === "committed";
}

/** The class's keys before a window, without the windows to keep. `kept` is in ascending order. */
function gapsBetween(tag: QuotaTag, kept: readonly Window[], before: Window): readonly KeyRange[] {
  let { start } = classRange(tag);
  const gaps: KeyRange[] = [];
  for (const window of kept.filter((other) => other < before)) {
    const range = quotaWindow(tag, window);
    gaps.push({ start, end: range.start });
    start = range.end ?? start;
  }
  return [...gaps, { start, end: quotaBefore(tag, before).end }];
}

function windowsWithTimers(store: Store): readonly Window[] {
  const windows = new Set<Window>();
  for (const { key } of store.scan(classRange("w"), { limit: MAX_SCAN_ROWS }).rows) {
    const timer = decodeTimerKey(key);
    const window = timer?.kind === QUOTA_TIMER_KIND ? decodeU64(timer.reference) : null;
    if (window !== null) windows.add(toWindow(window));
  }
  return [...windows].toSorted((left, right) => (left < right ? -1 : 1));
}
