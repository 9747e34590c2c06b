import { describe } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { overshootScenario } from "./overshoot-scenario.ts";
import { partitionScenarios } from "./partition-scenarios.ts";
import { rollupScenarios } from "./rollup-scenarios.ts";
import { type Backend, type OpenWorld, World } from "./world.ts";

class MemoryBackend implements Backend {
  readonly #stores = new Map<string, MemoryStore>();

  use: Backend["use"] = async (partition, work) => work(this.#storeOf(partition));

  #storeOf(partition: Partition): MemoryStore {
    const id = toHex(encodePartition(partition));
    const store = this.#stores.get(id) ?? new MemoryStore(partition, () => 0);
    this.#stores.set(id, store);
    return store;
  }
}

describe("on the memory store", () => {
  const open: OpenWorld = (options) => new World(new MemoryBackend(), options);
  rollupScenarios(open);
  partitionScenarios(open);
  overshootScenario(open);
});
