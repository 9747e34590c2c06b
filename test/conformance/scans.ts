import { describe, expect, it } from "vitest";
import { toKey } from "../../src/core/keys.ts";
import { ALL_ROWS, type Store } from "../../src/store/contract.ts";
import {
  expectFailure,
  key,
  onFreshStore,
  type OpenBackend,
  put,
  range,
  rowsOf,
  textRowsOf,
  write,
} from "./harness.ts";

const keysIn = (store: Store, start: string, end: string | null): readonly string[] =>
  textRowsOf(store, range(start, end)).map(([name]) => name);

const seed = (store: Store): void => write(store, ...["c", "a", "bb", "b", "d"].map((name) => put(name, name)));

export function describeScans(open: OpenBackend): void {
  describe("a scan", () => {
    it.each([
      { of: "everything", start: "", end: null, found: ["a", "b", "bb", "c", "d"] },
      { of: "all from a key that is there", start: "b", end: null, found: ["b", "bb", "c", "d"] },
      { of: "all from a key that is not there", start: "ba", end: null, found: ["bb", "c", "d"] },
      { of: "all before a key that is there", start: "", end: "c", found: ["a", "b", "bb"] },
      { of: "all before a key that is not there", start: "", end: "cc", found: ["a", "b", "bb", "c"] },
      { of: "its start and not its end", start: "b", end: "c", found: ["b", "bb"] },
      { of: "one key alone", start: "b", end: "b\0", found: ["b"] },
      { of: "a gap", start: "ca", end: "cz", found: [] },
      { of: "all past the last key", start: "e", end: null, found: [] },
      { of: "nothing before the empty key", start: "", end: "", found: [] },
      { of: "nothing when it ends where it starts", start: "b", end: "b", found: [] },
      { of: "nothing when it ends before it starts", start: "c", end: "a", found: [] },
    ])("gives $of", ({ start, end, found }) =>
      onFreshStore(open, (store) => {
        seed(store);
        expect(keysIn(store, start, end)).toEqual(found);
        expect(store.stats(range(start, end)).rows).toBe(found.length);
      })(),
    );

    it(
      "of a store that was never written is empty",
      onFreshStore(open, (store) => {
        expect(store.scan(ALL_ROWS, { limit: 1 })).toEqual({ rows: [], cursor: null });
        expect(store.get(key("a"))).toBeNull();
        expect(store.getMany([key("a"), key("b")])).toEqual([null, null]);
      }),
    );

    it(
      "gives keys with their values",
      onFreshStore(open, (store) => {
        write(store, put("b", "2"), put("a", "1"));
        expect(store.scan(ALL_ROWS, { limit: 10 })).toEqual({
          rows: [
            { key: Uint8Array.of(0x61), value: Uint8Array.of(0x31) },
            { key: Uint8Array.of(0x62), value: Uint8Array.of(0x32) },
          ],
          cursor: null,
        });
      }),
    );

    it(
      "compares keys as unsigned bytes, a prefix first",
      onFreshStore(open, (store) => {
        const hexes = ["", "00", "0000", "0001", "01", "7f", "80", "fe", "ff", "ff00", "ffff"];
        const keys = hexes.map((hex) => toKey(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number(`0x${pair}`))));
        write(store, ...keys.toReversed().map((name) => ({ kind: "put" as const, key: name, value: name })));
        expect(rowsOf(store)).toEqual(hexes.map((hex) => [hex, hex]));
        for (const [index, start] of keys.entries()) {
          expect(rowsOf(store, { start, end: null }).map(([hex]) => hex)).toEqual(hexes.slice(index));
          expect(rowsOf(store, { start: toKey(new Uint8Array()), end: start }).map(([hex]) => hex)).toEqual(
            hexes.slice(0, index),
          );
        }
      }),
    );
  });

  describe("a scan's limit", () => {
    it.each([0, -1, 1.5, 1_001, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
      "must not be %s",
      (limit) =>
        onFreshStore(open, (store) => {
          expectFailure("invalid", () => store.scan(ALL_ROWS, { limit }));
          write(store, put("a", "1"));
          expectFailure("invalid", () => store.scan(ALL_ROWS, { limit }));
        })(),
    );

    it(
      "may be 1 to 1,000, and is kept",
      onFreshStore(open, (store) => {
        const names = Array.from({ length: 1_001 }, (_, index) => `k${String(index).padStart(4, "0")}`);
        for (let from = 0; from < names.length; from += 100) {
          write(store, ...names.slice(from, from + 100).map((name) => put(name, "")));
        }
        const one = store.scan(ALL_ROWS, { limit: 1 });
        expect(one.rows.map((row) => row.key)).toEqual([key("k0000")]);
        const most = store.scan(ALL_ROWS, { limit: 1_000 });
        expect(most.rows.length).toBe(1_000);
        expect(most.rows.at(-1)?.key).toEqual(key("k0999"));
        const rest = store.scan(ALL_ROWS, { limit: 1_000, cursor: most.cursor ?? "none" });
        expect(rest).toEqual({ rows: [{ key: key("k1000"), value: new Uint8Array() }], cursor: null });
      }),
    );
  });
}
