// The store on Durable Object SQLite: one table of opaque keys and values, and beside it the identity
// of the partition they belong to. Both come into being with the first row; until then reading creates
// nothing. One batch is one `transactionSync`, or one statement, which is atomic by itself.
//
// The instance is the only writer of its table, so rows it has read or written are kept in memory and
// need no query; after anything that failed they are dropped and read again.
// https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/
import { toBinaryText } from "../core/bytes.ts";
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
import { hasForeignKeys, rememberIdentity } from "./identity.ts";

const TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'quota_rows'";
const FOREIGN_TABLES =
  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name <> 'quota_rows' AND substr(name, 1, 4) <> '_cf_' LIMIT 1";
// WITHOUT ROWID: the key is the table, so a put writes one row and not also an index entry.
const CREATE_TABLE =
  "CREATE TABLE IF NOT EXISTS quota_rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID";
const GET = "SELECT value FROM quota_rows WHERE key = ?";
const PUT = "INSERT INTO quota_rows (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
const DELETE = "DELETE FROM quota_rows WHERE key = ?";
const SCAN = "SELECT key, value FROM quota_rows WHERE key >= ? ORDER BY key LIMIT ?";
const SCAN_UNTIL = "SELECT key, value FROM quota_rows WHERE key >= ? AND key < ? ORDER BY key LIMIT ?";
const STATS = "SELECT count(*), coalesce(sum(length(key) + length(value)), 0) FROM quota_rows WHERE key >= ?";
const STATS_UNTIL = `${STATS} AND key < ?`;

/** Bounds of what is kept in memory: rows, and bytes of one value. */
const MAX_KNOWN_ROWS = 32_768;
const MAX_KNOWN_BYTES = 256;

export class SqliteStore implements Store {
  readonly #storage: DurableObjectStorage;
  readonly #partition: Partition;
  readonly #scope: Uint8Array;
  readonly #clock: Clock;
  readonly #known = new Map<string, Uint8Array | null>();
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
    const id = toBinaryText(key);
    const known = this.#known.get(id);
    if (known !== undefined) return known?.slice() ?? null;
    const [row] = this.#read(GET, key);
    const value = row === undefined ? null : blob(row[0]);
    this.#remember(id, value);
    return value?.slice() ?? null;
  }

  /** Drops what is kept in memory, to begin again from what is stored. */
  forget(): void {
    this.#known.clear();
    this.#hasTable = this.#findTable();
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

  apply(batch: Batch, alongside?: () => void): BatchOutcome {
    validateBatch(batch);
    let isAlongside = false;
    try {
      const failing = firstFailing(batch.preconditions, (key) => this.get(key), this.#clock);
      if (failing !== null) return failing;
      this.#inTransaction(batch, alongside === undefined, () => {
        if (batch.writes.some((write) => write.kind === "put")) this.#createTable();
        if (this.#hasTable) for (const write of batch.writes) this.#write(write);
        isAlongside = true;
        alongside?.();
        isAlongside = false;
      });
      return { kind: "committed" };
    } catch (error) {
      this.forget();
      throw isAlongside ? error : storeError(error);
    }
  }

  /**
   * Removes an emptied object altogether: table, identity and alarm. It takes effect at once: a write in the
   * same turn begins anew. Where somebody else keeps something in the object, it stays as it is.
   */
  async removeIfEmpty(): Promise<void> {
    const isEmpty = this.scan(ALL_ROWS, { limit: 1 }).rows.length === 0;
    if (!isEmpty || this.#read(FOREIGN_TABLES).length > 0 || hasForeignKeys(this.#storage)) return;
    this.#known.clear();
    this.#hasTable = false;
    await this.#storage.deleteAll();
  }

  /** One statement is atomic by itself, and a transaction around it would cost half as much again as its commit. */
  #inTransaction({ writes }: Batch, isAlone: boolean, write: () => void): void {
    if (isAlone && this.#hasTable && writes.length <= 1) write();
    else this.#storage.transactionSync(write);
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
    this.#remember(toBinaryText(write.key), write.kind === "put" ? write.value.slice() : null);
  }

  #remember(id: string, value: Uint8Array | null): void {
    if (this.#known.size >= MAX_KNOWN_ROWS) this.#known.clear();
    if (value === null || value.length <= MAX_KNOWN_BYTES) this.#known.set(id, value);
    else this.#known.delete(id);
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
export function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(failureOf(String(error)), String(error), { cause: error });
}

function failureOf(detail: string): StoreFailure {
  if (/SQLITE_FULL|database or disk is full/.test(detail)) return "full";
  if (/SQLITE_CORRUPT|SQLITE_NOTADB/.test(detail)) return "corrupt";
  return "unavailable";
}
