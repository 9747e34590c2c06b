// A store that remembers every batch it was asked to apply, committed or not.
import type { Batch, Store } from "../../src/store/contract.ts";

export function recordingStore(inner: Store, batches: Batch[]): Store {
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    scan: (range, options) => inner.scan(range, options),
    stats: (range) => inner.stats(range),
    apply: (batch) => {
      batches.push(batch);
      return inner.apply(batch);
    },
  };
}
