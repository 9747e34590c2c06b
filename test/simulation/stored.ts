// What an object's rows say, by window: read from the bytes, not through the code that is being tested.
import { readU64 } from "../../src/core/bytes.ts";
import { decodeLimits, decodeUsage } from "../../src/core/codec.ts";
import {
  classRange,
  decodeTimerKey,
  type Key,
  type KeyRange,
  LIMITS_KEY,
  type QuotaTag,
  quotaWindow,
  sourceOfContributionKey,
  type Tag,
  type Timer,
} from "../../src/core/keys.ts";
import { decodePartition, type Partition } from "../../src/core/partition.ts";
import { type Limits, type Usage, ZERO_USAGE } from "../../src/core/usage.ts";
import { toWindow, type Window } from "../../src/core/window.ts";
import { MAX_SCAN_ROWS, type Row } from "../../src/store/contract.ts";
import type { MemoryStore } from "../../src/store/memory-store.ts";

const QUOTA_TAGS = ["qs", "qv", "qc", "qt", "qi"] as const;
const TAG_BYTES = 3;
/** Made once: they are asked for at every step. */
const RANGES = new Map<Tag, KeyRange>([...QUOTA_TAGS, "w" as const].map((tag) => [tag, classRange(tag)]));

export interface StoredTimer {
  readonly timer: Timer;
  readonly window: Window;
}

/** Whether the key is of this class. */
export function isOf(tag: QuotaTag | "rt", key: Key): boolean {
  return key[0] === tag.charCodeAt(0) && key[1] === tag.charCodeAt(1) && key[2] === 0;
}

/** Null when the key is of another class. */
export function windowOf(tag: QuotaTag, key: Key): Window | null {
  return isOf(tag, key) ? toWindow(readU64(key, TAG_BYTES)) : null;
}

/** In key order, the earliest first. */
export function timersIn(store: MemoryStore): readonly StoredTimer[] {
  return rowsOf(store, "w").flatMap(({ key }) => {
    const timer = decodeTimerKey(key);
    return timer === null ? [] : [{ timer, window: toWindow(readU64(timer.reference)) }];
  });
}

/** Windows of which the object has rows of these classes. */
export function windowsIn(store: MemoryStore, tags: readonly QuotaTag[] = QUOTA_TAGS): readonly Window[] {
  const windows = tags.flatMap((tag) => rowsOf(store, tag).map(({ key }) => windowOf(tag, key)));
  return [...new Set(windows.filter((window) => window !== null))];
}

/** What the object itself has counted: a shard its usage, a coordinator what is no shard's contribution. */
export function countedIn(store: MemoryStore, partition: Partition, window: Window): Usage {
  if (partition.kind === "ref") return sumOf(store, "qs", window);
  const total = sumOf(store, "qt", window);
  const contributions = sumOf(store, "qc", window);
  return { ops: total.ops - contributions.ops, bytes: total.bytes - contributions.bytes };
}

export function contributionsIn(
  store: MemoryStore,
  window: Window,
): readonly { readonly source: Partition | null; readonly usage: Usage }[] {
  return rowsIn(store, quotaWindow("qc", window)).map(({ key, value }) => ({
    source: decodePartition(sourceOfContributionKey(key)),
    usage: usageOf(value),
  }));
}

export function storedLimits(store: MemoryStore): Limits | null {
  const value = store.get(LIMITS_KEY);
  return value === null ? null : decodeLimits(value);
}

export function usageOf(value: Uint8Array): Usage {
  const usage = decodeUsage(value);
  if (usage === null) throw new Error("a count has the wrong length");
  return usage;
}

/** The sum of a class's counts in one window. */
function sumOf(store: MemoryStore, tag: "qs" | "qc" | "qt", window: Window): Usage {
  return rowsIn(store, quotaWindow(tag, window)).reduce((sum, { value }) => add(sum, usageOf(value)), ZERO_USAGE);
}

function rowsOf(store: MemoryStore, tag: Tag): readonly Row[] {
  return rowsIn(store, RANGES.get(tag) ?? classRange(tag));
}

function rowsIn(store: MemoryStore, range: KeyRange): readonly Row[] {
  return store.scan(range, { limit: MAX_SCAN_ROWS }).rows;
}

function add(left: Usage, right: Usage): Usage {
  return { ops: left.ops + right.ops, bytes: left.bytes + right.bytes };
}
