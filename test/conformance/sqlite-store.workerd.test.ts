import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { toHex } from "../../src/core/bytes.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import type { Store } from "../../src/store/contract.ts";
import type { Backend } from "./harness.ts";
import { describeStore } from "./store-suite.ts";

let backends = 0;

/** One object for each partition, under a name that no other test uses. */
class SqliteBackend implements Backend {
  nowMs = 0;
  readonly #name = `conformance-${backends++}`;

  async use(partition: Partition, work: (store: Store) => void): Promise<void> {
    const id = env.STORE_HOST.idFromName(`${this.#name}-${toHex(encodePartition(partition))}`);
    await runInDurableObject(env.STORE_HOST.get(id), (_host, { storage }) => {
      work(new SqliteStore(storage, partition, () => this.nowMs));
    });
  }
}

describeStore("the SQLite store", () => new SqliteBackend());
