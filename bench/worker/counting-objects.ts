// The two object classes with their storage watched: they do what the originals do and count what it costs.
import { toHex } from "../../src/core/bytes.ts";
import { encodePartition } from "../../src/core/partition.ts";
import type { Env } from "../../src/objects/env.ts";
import { readIdentity } from "../../src/objects/identity.ts";
import { NamespaceCoordinator } from "../../src/objects/namespace-coordinator.ts";
import { RefShard } from "../../src/objects/ref-shard.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import { ALL_ROWS } from "../../src/store/contract.ts";
import { namespaceOf, shardsInAlarm, talliesOf, type Tally } from "./tallies.ts";

export interface StoredSize {
  readonly rows: number;
  /** Keys and values. */
  readonly rowBytes: number;
  readonly fileBytes: number;
}

export class CountingRefShard extends RefShard {
  readonly #tally: Tally;

  constructor(ctx: DurableObjectState, env: Env) {
    const tally = talliesOf(namespaceOf(ctx.id)).shards;
    countWrites(ctx.storage, tally);
    super(ctx, env);
    this.#tally = tally;
  }

  /** As its coordinator knows it; null before its first write when the runtime does not tell its name. */
  get #source(): string | null {
    const partition = readIdentity(this.ctx);
    return partition === null ? null : toHex(encodePartition(partition));
  }

  override charge(...request: Parameters<RefShard["charge"]>): ReturnType<RefShard["charge"]> {
    this.#tally.calls++;
    return super.charge(...request);
  }

  override async alarm(): Promise<void> {
    const source = this.#source;
    if (source !== null) shardsInAlarm.add(source);
    this.#tally.alarmsRun++;
    await super.alarm();
    this.#tally.alarmsEnded++;
    if ((await this.ctx.storage.getAlarm()) === null) this.#tally.lastAlarms++;
    if (source !== null) shardsInAlarm.delete(source);
  }

  async storedSize(): Promise<StoredSize> {
    const { storage } = this.ctx;
    const partition = readIdentity(this.ctx);
    const { rows, bytes } =
      partition === null ? { rows: 0, bytes: 0 } : new SqliteStore(storage, partition, Date.now).stats(ALL_ROWS);
    return { rows, rowBytes: bytes, fileBytes: storage.sql.databaseSize };
  }
}

export class CountingCoordinator extends NamespaceCoordinator {
  readonly #tally: Tally;

  constructor(ctx: DurableObjectState, env: Env) {
    const tally = talliesOf(namespaceOf(ctx.id)).coordinator;
    countWrites(ctx.storage, tally);
    super(ctx, env);
    this.#tally = tally;
  }

  override push(...request: Parameters<NamespaceCoordinator["push"]>): ReturnType<NamespaceCoordinator["push"]> {
    this.#tally.calls++;
    if (!shardsInAlarm.has(toHex(request[0].source))) this.#tally.asks++;
    return super.push(...request);
  }

  override async alarm(): Promise<void> {
    this.#tally.alarmsRun++;
    await super.alarm();
    this.#tally.alarmsEnded++;
  }
}

/** A statement that writes has run to its end when `exec` returns; one that reads writes nothing. */
function countWrites(storage: DurableObjectStorage, tally: Tally): void {
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  sql.exec = <Row extends Record<string, SqlStorageValue>>(query: string, ...bindings: unknown[]) => {
    const cursor = exec<Row>(query, ...bindings);
    tally.rows += cursor.rowsWritten;
    return cursor;
  };
  const put = kv.put.bind(kv);
  kv.put = (key, value) => {
    tally.rows++;
    put(key, value);
  };
  const setAlarm = storage.setAlarm.bind(storage);
  storage.setAlarm = (scheduledTime, options) => {
    tally.alarmsSet++;
    return setAlarm(scheduledTime, options);
  };
}
