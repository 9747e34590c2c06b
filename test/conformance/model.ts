// What a store is, said as simply as it can be: a map from keys in hex, read by filtering and sorting.
import { compareBytes, fromHex, toHex } from "../../src/core/bytes.ts";
import type { KeyRange } from "../../src/core/keys.ts";
import type { Batch, BatchOutcome, Stats } from "../../src/store/contract.ts";

export type ModelRow = readonly [key: string, value: string];

export class ModelStore {
  #rows = new Map<string, string>();

  apply({ preconditions, writes }: Batch, nowMs: number): BatchOutcome {
    for (const [index, precondition] of preconditions.entries()) {
      if (precondition.kind === "notAfter") {
        if (nowMs > precondition.deadlineMs) return { kind: "deadlinePassed", backendNowMs: nowMs };
        continue;
      }
      const stored = this.#rows.get(toHex(precondition.key));
      const holds =
        precondition.kind === "equals"
          ? stored === toHex(precondition.value)
          : (stored === undefined) === (precondition.kind === "absent");
      if (!holds) return { kind: "preconditionFailed", index, observed: stored === undefined ? null : fromHex(stored) };
    }
    for (const write of writes) {
      if (write.kind === "put") this.#rows.set(toHex(write.key), toHex(write.value));
      else this.#rows.delete(toHex(write.key));
    }
    return { kind: "committed" };
  }

  get(key: Uint8Array): string | null {
    return this.#rows.get(toHex(key)) ?? null;
  }

  rowsIn({ start, end }: KeyRange): readonly ModelRow[] {
    return [...this.#rows]
      .map(([hex, value]) => ({ key: fromHex(hex) ?? new Uint8Array(), value }))
      .filter(({ key }) => compareBytes(key, start) >= 0 && (end === null || compareBytes(key, end) < 0))
      .toSorted((left, right) => compareBytes(left.key, right.key))
      .map(({ key, value }) => [toHex(key), value] as const);
  }

  stats(range: KeyRange): Stats {
    const rows = this.rowsIn(range);
    return { rows: rows.length, bytes: rows.reduce((sum, [key, value]) => sum + (key.length + value.length) / 2, 0) };
  }
}
