// Random programs: whatever is done to a store, in whatever order, it answers as the model does.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { type Key, type KeyRange, toKey } from "../../src/core/keys.ts";
import { ALL_ROWS, type Batch, type Precondition, type Row, type Store, type Write } from "../../src/store/contract.ts";
import { type Backend, onFreshStore, type OpenBackend, pagesOf, rowsOf } from "./harness.ts";
import { type ModelRow, ModelStore } from "./model.ts";

const PROGRAMS = 1_000;
const MAX_STEPS = 8;

type Step =
  | { readonly kind: "apply"; readonly batch: Batch; readonly nowMs: number }
  | { readonly kind: "read"; readonly keys: readonly Key[] }
  | { readonly kind: "scan"; readonly range: KeyRange; readonly limit: number };

// Few bytes and short keys, so that programs often come back to the same rows.
const keys = fc
  .array(fc.constantFrom(0x00, 0x01, 0x61, 0xff), { maxLength: 2 })
  .map((bytes) => toKey(Uint8Array.from(bytes)));
const values = fc.array(fc.constantFrom(0x00, 0x61, 0xff), { maxLength: 2 }).map((bytes) => Uint8Array.from(bytes));
const ranges: fc.Arbitrary<KeyRange> = fc.record({ start: keys, end: fc.option(keys) });
const preconditions: fc.Arbitrary<Precondition> = fc.oneof(
  fc.record({ kind: fc.constant("absent" as const), key: keys }),
  fc.record({ kind: fc.constant("present" as const), key: keys }),
  fc.record({ kind: fc.constant("equals" as const), key: keys, value: values }),
  fc.record({ kind: fc.constant("notAfter" as const), deadlineMs: fc.nat(9) }),
);
const writes: fc.Arbitrary<Write> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("put" as const), key: keys, value: values }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), key: keys }) },
);
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("apply" as const),
      batch: fc.record({
        preconditions: fc.oneof(fc.constant([]), fc.array(preconditions, { maxLength: 3 })),
        writes: fc.array(writes, { maxLength: 6 }),
      }),
      nowMs: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("read" as const), keys: fc.array(keys, { maxLength: 4 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("scan" as const), range: ranges, limit: fc.integer({ min: 1, max: 4 }) }),
  },
);

export function describePrograms(open: OpenBackend): void {
  describe("random programs", () => {
    it(
      `do to a store what they do to a map, ${PROGRAMS} times`,
      onFreshStore(open, (store, backend) => {
        fc.assert(
          fc.property(fc.array(steps, { minLength: 1, maxLength: MAX_STEPS }), (program) => {
            runProgram(store, backend, program);
          }),
          { numRuns: PROGRAMS },
        );
      }),
      60_000,
    );
  });
}

function runProgram(store: Store, backend: Backend, program: readonly Step[]): void {
  clear(store);
  const model = new ModelStore();
  for (const step of program) {
    runStep(store, backend, model, step);
    expect(rowsOf(store)).toEqual(model.rowsIn(ALL_ROWS));
  }
}

function runStep(store: Store, backend: Backend, model: ModelStore, step: Step): void {
  switch (step.kind) {
    case "apply":
      backend.nowMs = step.nowMs;
      expect(store.apply(step.batch)).toEqual(model.apply(step.batch, step.nowMs));
      return;
    case "read": {
      const expected = step.keys.map((key) => model.get(key));
      expect(step.keys.map((key) => hexOrNull(store.get(key)))).toEqual(expected);
      expect(store.getMany(step.keys).map(hexOrNull)).toEqual(expected);
      return;
    }
    case "scan":
      expect(pagesOf(store, step.range, step.limit).map((page) => page.rows.map(modelRow))).toEqual(
        chunksOf(model.rowsIn(step.range), step.limit),
      );
      expect(store.stats(step.range)).toEqual(model.stats(step.range));
  }
}

/** As pages are: only the last one may be short, and there is always one. */
function chunksOf(rows: readonly ModelRow[], size: number): readonly (readonly ModelRow[])[] {
  const count = Math.max(Math.ceil(rows.length / size), 1);
  return Array.from({ length: count }, (_, index) => rows.slice(index * size, (index + 1) * size));
}

function clear(store: Store): void {
  const { rows } = store.scan(ALL_ROWS, { limit: 1_000 });
  store.apply({ preconditions: [], writes: rows.map(({ key }) => ({ kind: "delete", key })) });
}

function modelRow(row: Row): ModelRow {
  return [toHex(row.key), toHex(row.value)];
}

function hexOrNull(value: Uint8Array | null): string | null {
  return value === null ? null : toHex(value);
}
