// What a charge is compared with: an object that upserts one 16-byte row per call and does nothing else.
// The value changes with every call, because writing the same bytes again costs no fsync.
import { DurableObject } from "cloudflare:workers";
import { encodeUsage } from "../../src/core/codec.ts";
import type { Usage } from "../../src/core/usage.ts";
import type { BenchEnv } from "./env.ts";

export const CREATE_TABLE =
  "CREATE TABLE IF NOT EXISTS rows (key BLOB PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID";
export const PUT = "INSERT INTO rows (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
export const KEY = new TextEncoder().encode("qs\0counter1");

export class BareObject extends DurableObject<BenchEnv> {
  #usage: Usage = { ops: 0n, bytes: 0n };

  constructor(ctx: DurableObjectState, env: BenchEnv) {
    super(ctx, env);
    ctx.storage.sql.exec(CREATE_TABLE);
  }

  /** The floor under every other figure: a call that touches no storage. */
  async nothing(bytes: bigint): Promise<Usage> {
    this.#usage = { ops: this.#usage.ops + 1n, bytes: this.#usage.bytes + bytes };
    return this.#usage;
  }

  async upsert(bytes: bigint): Promise<Usage> {
    this.#usage = { ops: this.#usage.ops + 1n, bytes: this.#usage.bytes + bytes };
    this.ctx.storage.sql.exec(PUT, KEY, encodeUsage(this.#usage));
    return this.#usage;
  }
}
