// The store on Durable Object SQLite: one table of opaque keys and values, and beside it the identity
// of the partition they belong to. Both come into being with the first row; until then reading creates
// nothing. One batch is one `transactionSync`.
// https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/
import type { Clock } from "../core/clock.ts";
import { type Key, type KeyRange, toKey } from "../core/keys.ts";
import { encodePartition, type Partition } from "../core/partition.ts";
import {
  ALL_ROWS,
  type Batch,
  type BatchOutcome,
  type Page,
  type Row,
  type ScanOptions,
  type Stats,
  type Store,
  type Write,
} from "../store/contract.ts";
import { decodeCursor, encodeCursor } from "../store/cursor.ts";
import { StoreError, type StoreFailure } from "../store/errors.ts";
import { firstFailing } from "../store/preconditions.ts";
import { validateBatch, validateKey, validateScan } from "../store/validation.ts";
import { rememberIdentity } from "./identity.ts";

const TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'rows'";
// WITHOUT ROWID: the key is the table, so a put writes one row and not also an index entry.
const CREATE_TABLE =
  "CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID";
const GET = "SELECT value FROM rows WHERE key = ?";
const PUT = "INSERT INTO rows (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const DELETE = "DELETE FROM rows WHERE key = ?";
const SCAN = "SELECT key, value FROM rows WHERE key >= ? ORDER BY key LIMIT ?";
const SCAN_UNTIL = "SELECT key, value FROM rows WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
const STATS = "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) FROM rows WHERE key >= ?";
const STATS_UNTIL = `${STATS} AND key < ?`;

export class SqliteStore implements Store {
  readonly #storage: DurableObjectStorage;
  readonly #partition: Partition;
  readonly #scope: Uint8Array;
  readonly #clock: Clock;
  #hasTable: boolean;

  constructor(storage: DurableObjectStorage, partition: Partition, clock: Clock) {
    this.#storage = storage;
    this.#partition = partition;
    this.#scope = encodePartition(partition);
    this.#clock = clock;
    this.#hasTable = this.#findTable();
  }

  get(key: Key): Uint8Array | null {
    validateKey(key);
    if (!this.#hasTable) return null;
    const [row] = this.#read(GET, key);
    return row === undefined ? null : blob(row[0]);
  }

  getMany(keys: readonly Key[]): readonly (Uint8Array | null)[] {
    return keys.map((key) => this.get(key));
  }

  scan(range: KeyRange, options: ScanOptions): Page {
    validateScan(options);
    const after = options.cursor === undefined ? null : decodeCursor(this.#scope, range, options.cursor);
    if (!this.#hasTable) return { rows: [], cursor: null };
    // The shortest key after another is that key and one zero byte.
    const start = after === null ? range.start : toKey(Uint8Array.of(...after, 0));
    const found = this.#scanRows({ start, end: range.end }, options.limit + 1);
    const rows = found.slice(0, options.limit);
    const last = rows.at(-1);
    const isMore = last !== undefined && found.length > rows.length;
    return { rows, cursor: isMore ? encodeCursor(this.#scope, range, last.key) : null };
  }

  stats(range: KeyRange): Stats {
    if (!this.#hasTable) return { rows: 0, bytes: 0 };
    const [row] = range.end === null ? this.#read(STATS, range.start) : this.#read(STATS_UNTIL, range.start, range.end);
    return { rows: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
  }

  apply(batch: Batch): BatchOutcome {
    validateBatch(batch);
    try {
      return this.#storage.transactionSync(() => {
        const failing = firstFailing(batch.preconditions, (key) => this.get(key), this.#clock);
        if (failing !== null) return failing;
        if (batch.writes.some((write) => write.kind === "put")) this.#createTable();
        if (this.#hasTable) for (const write of batch.writes) this.#write(write);
        return { kind: "committed" };
      });
    } catch (error) {
      this.#hasTable = this.#findTable();
      throw storeError(error);
    }
  }

  /** Whether nothing is stored; an object like that need not exist. */
  get isEmpty(): boolean {
    return this.scan(ALL_ROWS, { limit: 1 }).rows.length === 0;
  }

  /**
   * Removes the emptied table, the identity and the alarm, so that nothing is left of the object. It takes
   * effect at once: a write in the same turn begins anew.
   */
  deleteAll(): Promise<void> {
    this.#hasTable = false;
    return this.#storage.deleteAll();
  }

  #createTable(): void {
    if (this.#hasTable) return;
    this.#storage.sql.exec(CREATE_TABLE);
    rememberIdentity(this.#storage, this.#partition);
    this.#hasTable = true;
  }

  #write(write: Write): void {
    if (write.kind === "put") this.#storage.sql.exec(PUT, write.key, write.value);
    else this.#storage.sql.exec(DELETE, write.key);
  }

  #scanRows(range: KeyRange, limit: number): readonly Row[] {
    const found =
      range.end === null ? this.#read(SCAN, range.start, limit) : this.#read(SCAN_UNTIL, range.start, range.end, limit);
    return found.map(([key, value]) => ({ key: toKey(blob(key)), value: blob(value) }));
  }

  /** Reads the cursor to its end: a cursor left open would see later writes. */
  #read(query: string, ...bindings: (Uint8Array | number)[]): SqlStorageValue[][] {
    try {
      return [...this.#storage.sql.exec(query, ...bindings).raw()];
    } catch (error) {
      throw storeError(error);
    }
  }

  #findTable(): boolean {
    return this.#read(TABLE_EXISTS).length > 0;
  }
}

function blob(value: SqlStorageValue | undefined): Uint8Array {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  throw new StoreError("corrupt", "a stored key or value is not a blob");
}

/** SQLite's own faults by the name the contract gives them. */
function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(failureOf(String(error)), String(error), { cause: error });
}

function failureOf(detail: string): StoreFailure {
  if (/SQLITE_FULL|database or disk is full/.test(detail)) return "full";
  if (/SQLITE_CORRUPT|SQLITE_NOTADB/.test(detail)) return "corrupt";
  return "unavailable";
}
