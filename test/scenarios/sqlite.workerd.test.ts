import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import { overshootScenario } from "./overshoot-scenario.ts";
import { partitionScenarios } from "./partition-scenarios.ts";
import { rollupScenarios } from "./rollup-scenarios.ts";
import { type Backend, type OpenWorld, World } from "./world.ts";

/** One object for each partition; its store is used only inside it, as the runtime demands. */
class SqliteBackend implements Backend {
  readonly #name = crypto.randomUUID();
  readonly #stores = new Map<string, SqliteStore>();

  use: Backend["use"] = (partition, work) => {
    const id = toHex(encodePartition(partition));
    const stub = env.STORE_HOST.get(env.STORE_HOST.idFromName(`${this.#name}/${id}`));
    return runInDurableObject(stub, (_instance, { storage }) => work(this.#storeIn(storage, partition, id)));
  };

  #storeIn(storage: DurableObjectStorage, partition: Partition, id: string): SqliteStore {
    const store = this.#stores.get(id) ?? new SqliteStore(storage, partition, () => 0);
    this.#stores.set(id, store);
    return store;
  }
}

describe("on Durable Object SQLite", () => {
  const open: OpenWorld = (options) => new World(new SqliteBackend(), options);
  rollupScenarios(open);
  partitionScenarios(open);
  overshootScenario(open);
});
