// The store contract: one partition's rows, ordered by key, and one way to write them.
//
// Rules every store keeps (test/conformance):
//  1. A batch commits wholly or not at all. Preconditions are judged before the first write, in
//     order, on one state; the first that fails is the outcome.
//  2. Writes apply in order, so a later write to a key wins. Deleting a missing key is no error.
//  3. A batch that breaks a limit is refused as `invalid` before anything is read.
//  4. `notAfter` is judged by the store's own clock, inside the batch. A clock that gives no time
//     fails the batch as `unavailable`.
//  5. Expected outcomes are values; a StoreError is a fault.
//  6. A store knows nothing of quotas, and one partition never sees another's rows.
//
// It is synchronous, as Durable Object SQLite is: a read and the write that depends on it stand in
// one block that nothing can interleave with, and the compiler says so.
import type { Key, KeyRange } from "../core/keys.ts";

export type Precondition =
  | { readonly kind: "absent"; readonly key: Key }
  | { readonly kind: "present"; readonly key: Key }
  | { readonly kind: "equals"; readonly key: Key; readonly value: Uint8Array }
  | { readonly kind: "notAfter"; readonly deadlineMs: number };

export type Write =
  | { readonly kind: "put"; readonly key: Key; readonly value: Uint8Array }
  | { readonly kind: "delete"; readonly key: Key };

export interface Batch {
  readonly preconditions: readonly Precondition[];
  readonly writes: readonly Write[];
}

export type BatchOutcome =
  | { readonly kind: "committed" }
  /** `observed` is the value found in place of what precondition `index` asked for; null when absent. */
  | { readonly kind: "preconditionFailed"; readonly index: number; readonly observed: Uint8Array | null }
  | { readonly kind: "deadlinePassed"; readonly backendNowMs: number };

export interface Row {
  readonly key: Key;
  readonly value: Uint8Array;
}

export interface Page {
  readonly rows: readonly Row[];
  /** Where the next page begins; null when the range is exhausted. */
  readonly cursor: string | null;
}

export interface ScanOptions {
  /** 1 to MAX_SCAN_ROWS. */
  readonly limit: number;
  /** From an earlier page of the same range of the same partition; any other is `invalid`. */
  readonly cursor?: string;
}

export interface Stats {
  readonly rows: number;
  /** Keys and values. */
  readonly bytes: number;
}

export interface Store {
  get(key: Key): Uint8Array | null;
  /** Values in the order of `keys`. */
  getMany(keys: readonly Key[]): readonly (Uint8Array | null)[];
  scan(range: KeyRange, options: ScanOptions): Page;
  stats(range: KeyRange): Stats;
  /**
   * `alongside` runs in the batch's own transaction, once its preconditions hold: when it throws, nothing of
   * the batch is written and the error goes on to the caller as it is.
   */
  apply(batch: Batch, alongside?: () => void): BatchOutcome;
}

export const MAX_KEY_BYTES = 1_024;
export const MAX_VALUE_BYTES = 512 * 1_024;
/** Writes in one batch; preconditions are bounded by the same number. */
export const MAX_BATCH_OPERATIONS = 100;
/** Keys and values of all preconditions and writes of one batch. */
export const MAX_BATCH_BYTES = 1_024 * 1_024;
export const MAX_SCAN_ROWS = 1_000;

/** A value up to this size is guarded by its bytes; a larger one only by being there, to keep batches small. */
const MAX_GUARDED_BYTES = 4_096;

/** Requires that a key still holds what was read. */
export function guardOf(key: Key, value: Uint8Array | null): Precondition {
  if (value === null) return { kind: "absent", key };
  return value.length <= MAX_GUARDED_BYTES ? { kind: "equals", key, value } : { kind: "present", key };
}

/** Every row of the partition. */
export const ALL_ROWS: KeyRange = { start: new Uint8Array() as Key, end: null };
