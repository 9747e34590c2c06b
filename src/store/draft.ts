// A batch in the making, read through: what was staged is what is read back. Decisions taken one
// after another on a draft are those that would be taken one after another on the store, and they
// commit together. What is read by `get` is required to be unchanged when the batch is applied.
import { toBinaryText } from "../core/bytes.ts";
import { isInRange, type Key, type KeyRange } from "../core/keys.ts";
import {
  type Batch,
  guardOf,
  MAX_BATCH_BYTES,
  MAX_BATCH_OPERATIONS,
  MAX_SCAN_ROWS,
  type Precondition,
  type Row,
  type Store,
  type Write,
} from "./contract.ts";
import { sizeOf } from "./validation.ts";

/** Room kept for one more decision: what a single one may read or write, and how much. */
const RESERVED_OPERATIONS = 10;
const RESERVED_BYTES = 64 * 1_024;

const MAX_ROWS_IN = MAX_SCAN_ROWS - MAX_BATCH_OPERATIONS;

export class Draft {
  readonly #store: Store;
  readonly #guards = new Map<string, Precondition>();
  readonly #writes = new Map<string, Write>();
  #bytes = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The value, guarded: the batch commits only if the store still holds what was read. */
  get(key: Key): Uint8Array | null {
    const id = toBinaryText(key);
    const staged = this.#writes.get(id);
    if (staged !== undefined) return valueOf(staged);
    const value = this.#store.get(key);
    if (!this.#guards.has(id)) {
      const guard = guardOf(key, value);
      this.#guards.set(id, guard);
      this.#bytes += sizeOf(guard);
    }
    return value;
  }

  /** The value, unguarded: a change of what is stored does not force another plan. */
  peek(key: Key): Uint8Array | null {
    const staged = this.#writes.get(toBinaryText(key));
    return staged === undefined ? this.#store.get(key) : valueOf(staged);
  }

  /** The first stored row of a range, unguarded and without what was staged. */
  firstStored(range: KeyRange): Row | null {
    return this.#store.scan(range, { limit: 1 }).rows[0] ?? null;
  }

  /**
   * Rows of a range that will be there after the batch, in no particular order: at most `limit`, which leaves
   * room for the batch's own writes in one scan.
   */
  rowsIn(range: KeyRange, limit: number): readonly Row[] {
    const stored = this.#store.scan(range, { limit: Math.min(limit, MAX_ROWS_IN) + this.#writes.size }).rows;
    const rows = stored.filter((row) => !this.#writes.has(toBinaryText(row.key)));
    for (const write of this.#writes.values()) {
      if (write.kind === "put" && isInRange(range, write.key)) rows.push(write);
    }
    return rows.slice(0, limit);
  }

  put(key: Key, value: Uint8Array): void {
    this.#stage({ kind: "put", key, value });
  }

  delete(key: Key): void {
    this.#stage({ kind: "delete", key });
  }

  stageAll(writes: readonly Write[]): void {
    for (const write of writes) this.#stage(write);
  }

  get hasWrites(): boolean {
    return this.#writes.size > 0;
  }

  /** Whether one more decision is sure to fit. */
  get hasRoom(): boolean {
    const operations = Math.max(this.#guards.size, this.#writes.size);
    return operations <= MAX_BATCH_OPERATIONS - RESERVED_OPERATIONS && this.#bytes <= MAX_BATCH_BYTES - RESERVED_BYTES;
  }

  batch(): Batch {
    return { preconditions: [...this.#guards.values()], writes: [...this.#writes.values()] };
  }

  #stage(write: Write): void {
    const id = toBinaryText(write.key);
    const replaced = this.#writes.get(id);
    this.#bytes += sizeOf(write) - (replaced === undefined ? 0 : sizeOf(replaced));
    this.#writes.set(id, write);
  }
}

/** What is stored after a write. */
function valueOf(write: Write): Uint8Array | null {
  return write.kind === "put" ? write.value : null;
}
