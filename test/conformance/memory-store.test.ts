import { toHex } from "../../src/core/bytes.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import type { Store } from "../../src/store/contract.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import type { Backend } from "./harness.ts";
import { describeStore } from "./store-suite.ts";

class MemoryBackend implements Backend {
  nowMs = 0;
  readonly #stores = new Map<string, MemoryStore>();

  async use(partition: Partition, work: (store: Store) => void): Promise<void> {
    const id = toHex(encodePartition(partition));
    const store = this.#stores.get(id) ?? new MemoryStore(partition, () => this.nowMs);
    this.#stores.set(id, store);
    work(store);
  }
}

describeStore("the memory store", () => new MemoryBackend());
