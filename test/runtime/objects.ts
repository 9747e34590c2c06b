// A look into the real objects: what is stored, and what their alarm is set to. Reads only.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toHex } from "../../src/core/bytes.ts";
import { objectName } from "../../src/objects/identity.ts";
import type { NamespaceCoordinator } from "../../src/objects/namespace-coordinator.ts";
import type { RefShard } from "../../src/objects/ref-shard.ts";

export interface Stored {
  /** Keys and values in hex, in key order. */
  readonly rows: readonly (readonly [key: string, value: string])[];
  /** Names of tables of ours. */
  readonly tables: readonly string[];
  readonly alarmMs: number | null;
}

export function shardOf(ns: string, ref = "refs/heads/main", repo = "web"): DurableObjectStub<RefShard> {
  return env.REF_SHARD.get(env.REF_SHARD.idFromName(objectName({ kind: "ref", ns, repo, ref })));
}

export function coordinatorOf(ns: string): DurableObjectStub<NamespaceCoordinator> {
  return env.NS_COORDINATOR.get(env.NS_COORDINATOR.idFromName(objectName({ kind: "coordinator", ns })));
}

export function storedIn(stub: DurableObjectStub<RefShard> | DurableObjectStub<NamespaceCoordinator>): Promise<Stored> {
  return runInDurableObject(stub as DurableObjectStub<RefShard>, async (_instance, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master");
    const names = [...tables].map(({ name }) => name).filter((name) => !name.startsWith("_cf_"));
    const rows = names.includes("quota_rows")
      ? storage.sql.exec("SELECT key, value FROM quota_rows ORDER BY key").raw()
      : [];
    return {
      rows: [...rows].map(([key, value]) => [hex(key), hex(value)] as const),
      tables: names,
      alarmMs: await storage.getAlarm(),
    };
  });
}

export const NOTHING_STORED: Stored = { rows: [], tables: [], alarmMs: null };

function hex(value: SqlStorageValue | undefined): string {
  if (!(value instanceof ArrayBuffer)) throw new TypeError("a key or value is not a blob");
  return toHex(new Uint8Array(value));
}
