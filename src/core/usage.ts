// What is counted, and against what. Counters are u64; null means unlimited.
import { addU64, subtractToZero } from "./u64.ts";

export interface Usage {
  readonly ops: bigint;
  readonly bytes: bigint;
}

/** A shard's copy of the namespace's total. `pushed` is the shard's own contribution inside it. */
export interface View {
  readonly total: Usage;
  readonly pushed: Usage;
  /** Unix ms by the shard's clock, u64. */
  readonly observedAtMs: bigint;
}

export interface Limits {
  readonly maxOps: bigint | null;
  readonly maxBytes: bigint | null;
}

/** What is left under each limit, never negative; null where unlimited. */
export interface Remaining {
  readonly ops: bigint | null;
  readonly bytes: bigint | null;
}

export type Dimension = "ops" | "bytes";

export const ZERO_USAGE: Usage = { ops: 0n, bytes: 0n };

/** Null when either counter overflows. */
export function addUsage(left: Usage, right: Usage): Usage | null {
  const ops = addU64(left.ops, right.ops);
  const bytes = addU64(left.bytes, right.bytes);
  return ops === null || bytes === null ? null : { ops, bytes };
}

export function sameUsage(left: Usage, right: Usage): boolean {
  return left.ops === right.ops && left.bytes === right.bytes;
}

/** A count of null is one that cannot be known, and leaves nothing. */
export function remainingUnder(limits: Limits, used: Record<Dimension, bigint | null>): Remaining {
  return { ops: leftUnder(limits.maxOps, used.ops), bytes: leftUnder(limits.maxBytes, used.bytes) };
}

function leftUnder(max: bigint | null, count: bigint | null): bigint | null {
  return max === null ? null : subtractToZero(max, count ?? max);
}
