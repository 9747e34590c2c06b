import { describe, expect, it } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { toKey } from "../../src/core/keys.ts";
import { ALL_ROWS } from "../../src/store/contract.ts";
import {
  absent,
  batch,
  bytes,
  key,
  onFreshStore,
  type OpenBackend,
  put,
  range,
  remove,
  rowsOf,
  textRowsOf,
  write,
} from "./harness.ts";

const ODD_KEYS = ["", "00", "0000", "00ff", "ff", "ff00", "ffff"];

export function describeWrites(open: OpenBackend): void {
  describe("writes", () => {
    it(
      "put, replace and delete",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), put("b", "2"));
        write(store, put("a", "3"), remove("b"), put("c", ""));
        expect(textRowsOf(store)).toEqual([
          ["a", "3"],
          ["c", ""],
        ]);
        expect(store.get(key("a"))).toEqual(bytes("3"));
        expect(store.get(key("b"))).toBeNull();
        expect(store.get(key("c"))).toEqual(new Uint8Array());
      }),
    );

    it(
      "apply in order, so that the later write to a key wins",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), put("b", "1"), put("a", "2"), put("a", "3"));
        expect(textRowsOf(store)).toEqual([
          ["a", "3"],
          ["b", "1"],
        ]);
      }),
    );

    it(
      "leave nothing of a put that the same batch deletes",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), remove("a"));
        expect(textRowsOf(store)).toEqual([]);
        expect(store.get(key("a"))).toBeNull();
      }),
    );

    it(
      "keep a put that follows a delete in the same batch",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"));
        write(store, remove("a"), put("a", "2"));
        expect(textRowsOf(store)).toEqual([["a", "2"]]);
      }),
    );

    it(
      "may delete what is not there, even twice",
      onFreshStore(open, (store) => {
        write(store, remove("a"));
        write(store, put("b", "1"), remove("a"), remove("a"));
        expect(textRowsOf(store)).toEqual([["b", "1"]]);
      }),
    );

    it(
      "of a batch that fails are not there, none of them",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), put("b", "2"));
        const writes = [put("a", "9"), remove("b"), put("c", "9"), put("d", "9")];
        expect(store.apply(batch([absent("c"), absent("b")], writes))).toEqual({
          kind: "preconditionFailed",
          index: 1,
          observed: bytes("2"),
        });
        expect(textRowsOf(store)).toEqual([
          ["a", "1"],
          ["b", "2"],
        ]);
        expect(store.stats(ALL_ROWS)).toEqual({ rows: 2, bytes: 4 });
      }),
    );

    it(
      "may have an empty key, and keys of zero and 0xFF bytes, sorted by byte",
      onFreshStore(open, (store) => {
        const keys = ODD_KEYS.map(keyOfHex);
        write(store, ...keys.toReversed().map((name) => ({ kind: "put" as const, key: name, value: name })));
        expect(rowsOf(store)).toEqual(ODD_KEYS.map((hex) => [hex, hex]));
        expect(keys.map((name) => toHex(store.get(name) ?? bytes("none")))).toEqual(ODD_KEYS);
        write(store, ...keys.map((name) => ({ kind: "delete" as const, key: name })));
        expect(rowsOf(store)).toEqual([]);
      }),
    );

    it(
      "keep every byte of a value",
      onFreshStore(open, (store) => {
        const value = Uint8Array.from({ length: 256 }, (_, byte) => byte);
        write(store, { kind: "put", key: key("a"), value });
        expect(store.get(key("a"))).toEqual(value);
        expect(store.apply(batch([{ kind: "equals", key: key("a"), value }], []))).toEqual({ kind: "committed" });
      }),
    );

    it(
      "take only the bytes that a view into a larger buffer shows",
      onFreshStore(open, (store) => {
        const buffer = bytes("xxkeyvaluexx");
        write(store, { kind: "put", key: toKey(buffer.subarray(2, 5)), value: buffer.subarray(5, 10) });
        expect(textRowsOf(store)).toEqual([["key", "value"]]);
        expect(store.get(toKey(buffer.subarray(2, 5)))).toEqual(bytes("value"));
        const guard = { kind: "equals" as const, key: toKey(buffer.subarray(2, 5)), value: buffer.subarray(5, 10) };
        expect(store.apply(batch([guard], []))).toEqual({ kind: "committed" });
      }),
    );
  });

  describe("what is read and written", () => {
    it(
      "is copied when it is stored: the caller may change its bytes afterwards",
      onFreshStore(open, (store) => {
        const [name, value] = [key("a"), bytes("1")];
        write(store, { kind: "put", key: name, value });
        name.fill(0x7a);
        value.fill(0x7a);
        expect(textRowsOf(store)).toEqual([["a", "1"]]);
        expect(store.get(key("a"))).toEqual(bytes("1"));
      }),
    );

    it(
      "is copied when it is read: changing it changes nothing stored",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), put("b", "2"));
        store.get(key("a"))?.fill(0x7a);
        for (const value of store.getMany([key("a"), key("b")])) value?.fill(0x7a);
        for (const row of store.scan(ALL_ROWS, { limit: 10 }).rows) {
          row.key.fill(0x7a);
          row.value.fill(0x7a);
        }
        const outcome = store.apply(batch([absent("a")], []));
        if (outcome.kind === "preconditionFailed") outcome.observed?.fill(0x7a);
        expect(textRowsOf(store)).toEqual([
          ["a", "1"],
          ["b", "2"],
        ]);
        expect(store.getMany([key("a"), key("b")])).toEqual([bytes("1"), bytes("2")]);
      }),
    );
  });

  describe("getMany", () => {
    it(
      "gives values in the order of the keys, null where there is none, one for each time a key is named",
      onFreshStore(open, (store) => {
        write(store, put("a", "1"), put("b", "2"));
        const keys = ["b", "none", "a", "b"].map(key);
        expect(store.getMany(keys)).toEqual([bytes("2"), null, bytes("1"), bytes("2")]);
        expect(store.getMany([])).toEqual([]);
      }),
    );

    it(
      "reads 101 keys",
      onFreshStore(open, (store) => {
        const names = Array.from({ length: 101 }, (_, index) => `k${String(index).padStart(3, "0")}`);
        write(store, ...names.slice(0, 100).map((name) => put(name, name)));
        write(store, ...names.slice(100).map((name) => put(name, name)));
        expect(store.getMany(names.map(key))).toEqual(names.map(bytes));
      }),
    );
  });

  it(
    "101 rows are deleted over two batches",
    onFreshStore(open, (store) => {
      const names = Array.from({ length: 101 }, (_, index) => `k${String(index).padStart(3, "0")}`);
      write(store, ...names.slice(0, 100).map((name) => put(name, "v")));
      write(store, ...names.slice(100).map((name) => put(name, "v")));
      expect(store.stats(ALL_ROWS)).toEqual({ rows: 101, bytes: 505 });
      write(store, ...names.slice(0, 100).map(remove));
      expect(textRowsOf(store)).toEqual([["k100", "v"]]);
      write(store, ...names.slice(100).map(remove));
      expect(textRowsOf(store)).toEqual([]);
    }),
  );

  describe("stats", () => {
    it(
      "count rows, and the bytes of their keys and values",
      onFreshStore(open, (store) => {
        expect(store.stats(ALL_ROWS)).toEqual({ rows: 0, bytes: 0 });
        write(store, put("a", "12"), put("bb", ""), put("c", "3"), put("", "0"));
        expect(store.stats(ALL_ROWS)).toEqual({ rows: 4, bytes: 8 });
        expect(store.stats(range("a", "c"))).toEqual({ rows: 2, bytes: 5 });
        expect(store.stats(range("b", null))).toEqual({ rows: 2, bytes: 4 });
        expect(store.stats(range("c", "c"))).toEqual({ rows: 0, bytes: 0 });
        expect(store.stats(range("c", "a"))).toEqual({ rows: 0, bytes: 0 });
        write(store, put("a", "1"), remove("bb"));
        expect(store.stats(ALL_ROWS)).toEqual({ rows: 3, bytes: 5 });
      }),
    );
  });
}

function keyOfHex(hex: string) {
  return toKey(Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
}
