// The rows as one instance sees them, for as long as it lives. Faults of storage are injected here, and
// crashes right before or right after a batch.
import type { Key, KeyRange } from "../../src/core/keys.ts";
import type { Batch, BatchOutcome, Page, ScanOptions, Stats, Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import type { MemoryStore } from "../../src/store/memory-store.ts";
import type { SimulatedStorage } from "./simulated-storage.ts";

export interface Fuse {
  /** Batches until it goes off; 0 is the next. */
  batches: number;
  readonly side: "before" | "after";
}

export interface InstanceStoreOptions {
  readonly storage: SimulatedStorage;
  readonly isAlive: () => boolean;
  readonly failsWrite: () => boolean;
  readonly crash: () => void;
  readonly committed: (batch: Batch, before: readonly (Uint8Array | null)[]) => void;
}

export class InstanceStore implements Store {
  fuse: Fuse | null = null;
  readonly #options: InstanceStoreOptions;

  constructor(options: InstanceStoreOptions) {
    this.#options = options;
  }

  get(key: Key): Uint8Array | null {
    return this.#rows.get(key);
  }

  getMany(keys: readonly Key[]): readonly (Uint8Array | null)[] {
    return this.#rows.getMany(keys);
  }

  scan(range: KeyRange, options: ScanOptions): Page {
    return this.#rows.scan(range, options);
  }

  stats(range: KeyRange): Stats {
    return this.#rows.stats(range);
  }

  apply(batch: Batch, alongside?: () => void): BatchOutcome {
    const rows = this.#rows;
    const side = this.#burn();
    if (side === "before") {
      this.#options.crash();
      throw new Error("the instance is gone");
    }
    if (this.#options.failsWrite()) throw new StoreError("unavailable", "simulated");
    const before = rows.getMany(batch.writes.map(({ key }) => key));
    const outcome = rows.apply(batch, alongside);
    if (outcome.kind === "committed") {
      this.#options.storage.record(batch.writes);
      this.#options.committed(batch, before);
    }
    if (side === "after") queueMicrotask(() => this.#crashIfAlive());
    return outcome;
  }

  get #rows(): MemoryStore {
    if (!this.#options.isAlive()) throw new Error("the instance is gone");
    return this.#options.storage.rows;
  }

  #burn(): Fuse["side"] | null {
    const { fuse } = this;
    if (fuse === null) return null;
    if (fuse.batches > 0) {
      fuse.batches--;
      return null;
    }
    this.fuse = null;
    return fuse.side;
  }

  #crashIfAlive(): void {
    if (this.#options.isAlive()) this.#options.crash();
  }
}
