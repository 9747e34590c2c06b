// A store in memory, for tests and the simulation: a sorted list of keys and a map of their values.
import { compareBytes, toBinaryText } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import { type Key, type KeyRange, toKey } from "../core/keys.ts";
import { encodePartition, type Partition } from "../core/partition.ts";
import type { Batch, BatchOutcome, Page, Row, ScanOptions, Stats, Store, Write } from "./contract.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { firstFailing } from "./preconditions.ts";
import { validateBatch, validateKey, validateScan } from "./validation.ts";

export class MemoryStore implements Store {
  readonly #scope: Uint8Array;
  readonly #clock: Clock;
  readonly #rows: Row[] = [];
  readonly #values = new Map<string, Uint8Array>();

  constructor(partition: Partition, clock: Clock) {
    this.#scope = encodePartition(partition);
    this.#clock = clock;
  }

  get(key: Key): Uint8Array | null {
    validateKey(key);
    return this.#values.get(toBinaryText(key))?.slice() ?? null;
  }

  getMany(keys: readonly Key[]): readonly (Uint8Array | null)[] {
    return keys.map((key) => this.get(key));
  }

  scan(range: KeyRange, options: ScanOptions): Page {
    validateScan(options);
    const after = options.cursor === undefined ? null : decodeCursor(this.#scope, range, options.cursor);
    let from = this.#indexOf(after ?? range.start);
    if (after !== null && this.#holdsAt(from, after)) from++;
    const to = range.end === null ? this.#rows.length : this.#indexOf(range.end);
    const rows = this.#rows.slice(from, Math.max(from, Math.min(to, from + options.limit)));
    const last = rows.at(-1);
    const isMore = last !== undefined && from + rows.length < to;
    return {
      rows: rows.map(({ key, value }) => ({ key: toKey(key.slice()), value: value.slice() })),
      cursor: isMore ? encodeCursor(this.#scope, range, last.key) : null,
    };
  }

  stats(range: KeyRange): Stats {
    const to = range.end === null ? this.#rows.length : this.#indexOf(range.end);
    const rows = this.#rows.slice(this.#indexOf(range.start), to);
    return { rows: rows.length, bytes: rows.reduce((sum, row) => sum + row.key.length + row.value.length, 0) };
  }

  apply(batch: Batch, alongside?: () => void): BatchOutcome {
    validateBatch(batch);
    const failing = firstFailing(batch.preconditions, (key) => this.get(key), this.#clock);
    if (failing !== null) return failing;
    alongside?.();
    for (const write of batch.writes) this.#write(write);
    return { kind: "committed" };
  }

  #write(write: Write): void {
    const index = this.#indexOf(write.key);
    const isThere = this.#holdsAt(index, write.key) ? 1 : 0;
    if (write.kind === "delete") {
      this.#rows.splice(index, isThere);
      this.#values.delete(toBinaryText(write.key));
      return;
    }
    const row = { key: toKey(write.key.slice()), value: write.value.slice() };
    this.#rows.splice(index, isThere, row);
    this.#values.set(toBinaryText(row.key), row.value);
  }

  #holdsAt(index: number, key: Key): boolean {
    const row = this.#rows[index];
    return row !== undefined && compareBytes(row.key, key) === 0;
  }

  /** Where `key` is, or would be put. */
  #indexOf(key: Key): number {
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.#rows[middle];
      if (row !== undefined && compareBytes(row.key, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
