// What can be read of a partition without writing anything: a shard's current window, a namespace's
// stored windows, and the shards that contributed.
import { viewStatus } from "../core/admission.ts";
import { decodePartition } from "../core/partition.ts";
import {
  classRange,
  LIMITS_KEY,
  quotaShardKey,
  quotaTotalKey,
  quotaWindow,
  type QuotaTag,
  sourceOfContributionKey,
  windowOfKey,
} from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { type Limits, type Remaining, remainingUnder, type Usage, ZERO_USAGE } from "../core/usage.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { type QuotaState, shardState, type WindowSpan, windowSpan } from "./charge.ts";
import { readLimits, readUsage } from "./rows.ts";
import type { Known } from "./view-source.ts";

/** More windows than can be stored by anything but a change of the window length. */
const MAX_WINDOWS = 1_000;

export interface WindowTotal {
  readonly window: Window;
  readonly total: Usage;
  /** Shards that have rolled up. */
  readonly sources: number;
}

export interface NamespaceReport {
  readonly window: WindowSpan;
  readonly total: Usage;
  readonly sources: number;
  readonly limits: Limits;
  readonly remaining: Remaining;
  /** Every window still stored, in order. */
  readonly windows: readonly WindowTotal[];
}

export interface Contribution {
  readonly repo: string;
  readonly ref: string;
  readonly ops: bigint;
  readonly bytes: bigint;
}

export interface ContributionsPage {
  readonly items: readonly Contribution[];
  readonly next: string | null;
}

export interface ContributionsQuery {
  /** Null is the current window. */
  readonly window: Window | null;
  readonly limit: number;
  readonly cursor: string | null;
}

/** Throws StoreError `corrupt`. */
export function reportShard(
  store: Store,
  settings: QuotaSettings,
  nowMs: number,
  knownOf: (window: Window) => Known,
): QuotaState {
  const window = windowOf(nowMs, settings.windowMs);
  const usage = readUsage(store.get(quotaShardKey(window))) ?? ZERO_USAGE;
  const { view, limits } = knownOf(window);
  const status = viewStatus(view, nowMs, settings.rollupMs);
  return shardState(windowSpan(window, settings.windowMs), usage, limits, { view, status });
}

/** Throws StoreError `corrupt`. */
export function reportNamespace(store: Store, settings: QuotaSettings, nowMs: number): NamespaceReport {
  const window = windowOf(nowMs, settings.windowMs);
  const windows = storedWindows(store).map((stored) => totalOf(store, stored));
  const limits = readLimits(store.get(LIMITS_KEY)) ?? settings.limits;
  const current = windows.find((stored) => stored.window === window) ?? { window, total: ZERO_USAGE, sources: 0 };
  return {
    window: windowSpan(window, settings.windowMs),
    total: current.total,
    sources: current.sources,
    limits,
    remaining: remainingUnder(limits, current.total),
    windows,
  };
}

/** Throws StoreError `invalid` for a cursor of another window or none of ours, `corrupt` for a bad row. */
export function reportContributions(store: Store, window: Window, query: ContributionsQuery): ContributionsPage {
  const page = store.scan(quotaWindow("qc", window), {
    limit: query.limit,
    ...(query.cursor === null ? {} : { cursor: query.cursor }),
  });
  const items = page.rows.map(({ key, value }): Contribution => {
    const source = decodePartition(sourceOfContributionKey(key));
    const usage = readUsage(value);
    if (source?.kind !== "ref" || usage === null) throw new StoreError("corrupt", "a contribution's key is malformed");
    return { repo: source.repo, ref: source.ref, ...usage };
  });
  return { items, next: page.cursor };
}

function totalOf(store: Store, window: Window): WindowTotal {
  const total = readUsage(store.get(quotaTotalKey(window))) ?? ZERO_USAGE;
  return { window, total, sources: store.stats(quotaWindow("qc", window)).rows };
}

function storedWindows(store: Store): readonly Window[] {
  const windows = new Set([...windowsOf(store, "qt"), ...windowsOf(store, "qc")]);
  return [...windows].toSorted((left, right) => (left < right ? -1 : 1));
}

/** One look per window, however many rows it has. */
function windowsOf(store: Store, tag: QuotaTag): readonly Window[] {
  const windows: Window[] = [];
  let range = classRange(tag);
  while (windows.length < MAX_WINDOWS) {
    const [row] = store.scan(range, { limit: 1 }).rows;
    const window = row === undefined ? null : windowOfKey(tag, row.key);
    if (window === null) break;
    windows.push(window);
    range = { start: quotaWindow(tag, window).end ?? range.start, end: range.end };
  }
  return windows;
}
