// A memory store that records the batches it is given and can be told to lose or to fail one.
import type { Key, KeyRange } from "../../src/core/keys.ts";
import {
  type Batch,
  type BatchOutcome,
  MAX_BATCH_BYTES,
  MAX_BATCH_OPERATIONS,
  type Page,
  type ScanOptions,
  type Stats,
  type Store,
} from "../../src/store/contract.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { sizeOf } from "../../src/store/validation.ts";
import { PARTITION } from "../conformance/harness.ts";

export class StoreDouble implements Store {
  /** What is stored, past the recording. */
  readonly inner = new MemoryStore(PARTITION, () => 0);
  /** Every batch that was tried, whatever became of it. */
  readonly batches: Batch[] = [];
  /** Called with the number of the attempt, from 1; an outcome other than null is the batch's. May throw. */
  beforeApply: (attempt: number) => BatchOutcome | null = () => null;

  get(key: Key): Uint8Array | null {
    return this.inner.get(key);
  }

  getMany(keys: readonly Key[]): readonly (Uint8Array | null)[] {
    return this.inner.getMany(keys);
  }

  scan(range: KeyRange, options: ScanOptions): Page {
    return this.inner.scan(range, options);
  }

  stats(range: KeyRange): Stats {
    return this.inner.stats(range);
  }

  apply(batch: Batch): BatchOutcome {
    this.batches.push(batch);
    return this.beforeApply(this.batches.length) ?? this.inner.apply(batch);
  }

  get largestBatchBytes(): number {
    return Math.max(0, ...this.batches.map(bytesOf));
  }

  /** Batches that break a limit of the contract. */
  get oversized(): readonly Batch[] {
    return this.batches.filter(
      (batch) =>
        batch.preconditions.length > MAX_BATCH_OPERATIONS ||
        batch.writes.length > MAX_BATCH_OPERATIONS ||
        bytesOf(batch) > MAX_BATCH_BYTES,
    );
  }
}

function bytesOf({ preconditions, writes }: Batch): number {
  return [...preconditions, ...writes].reduce((sum, part) => sum + sizeOf(part), 0);
}
