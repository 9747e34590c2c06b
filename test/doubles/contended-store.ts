// A store on which somebody else is always first: no batch finds what it was planned on. Reads go through.
import type { Batch, BatchOutcome, Store } from "../../src/store/contract.ts";

export function contendedStore(inner: Store): Store {
  return {
    get: (key) => inner.get(key),
    getMany: (keys) => inner.getMany(keys),
    scan: (range, options) => inner.scan(range, options),
    stats: (range) => inner.stats(range),
    apply: (batch) => loseFirstGuard(inner, batch),
  };
}

function loseFirstGuard(inner: Store, batch: Batch): BatchOutcome {
  const [guard] = batch.preconditions;
  if (guard === undefined || guard.kind === "notAfter") throw new Error("a batch without a guard cannot lose it");
  return { kind: "preconditionFailed", index: 0, observed: inner.get(guard.key) };
}
