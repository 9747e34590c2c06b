import { describe, expect, it } from "vitest";
import { toKey } from "../../src/core/keys.ts";
import {
  MAX_BATCH_BYTES,
  MAX_BATCH_OPERATIONS,
  MAX_KEY_BYTES,
  MAX_SCAN_ROWS,
  MAX_VALUE_BYTES,
  type Precondition,
  type Write,
} from "../../src/store/contract.ts";
import {
  absent,
  batch,
  bytes,
  expectFailure,
  key,
  notAfter,
  onFreshStore,
  type OpenBackend,
  present,
  put,
  remove,
  textRowsOf,
  write,
} from "./harness.ts";

const keyOfLength = (length: number) => toKey(new Uint8Array(length).fill(0x6b));
const putOf = (keyBytes: number, valueBytes: number): Write => ({
  kind: "put",
  key: keyOfLength(keyBytes),
  value: new Uint8Array(valueBytes).fill(0x76),
});
const puts = (count: number): Write[] => Array.from({ length: count }, (_, index) => put(`k${index}`, "v"));
const absents = (count: number): Precondition[] => Array.from({ length: count }, (_, index) => absent(`k${index}`));

export function describeLimits(open: OpenBackend): void {
  /** Refused before anything is read: a precondition that fails by what is stored is not even looked at. */
  const refuses = (preconditions: readonly Precondition[], writes: readonly Write[]) =>
    onFreshStore(open, (store) => {
      write(store, put("a", "1"));
      expectFailure("invalid", () => store.apply(batch([absent("a"), ...preconditions], [put("a", "2"), ...writes])));
      expect(textRowsOf(store)).toEqual([["a", "1"]]);
    });

  it("the limits are those of the contract", () => {
    expect([MAX_KEY_BYTES, MAX_VALUE_BYTES, MAX_BATCH_OPERATIONS, MAX_BATCH_BYTES, MAX_SCAN_ROWS]).toEqual([
      1_024, 524_288, 100, 1_048_576, 1_000,
    ]);
  });

  describe("a key", () => {
    it(
      "of 1,024 bytes is written, read, scanned and deleted",
      onFreshStore(open, (store) => {
        write(store, putOf(1_024, 1));
        expect(store.get(keyOfLength(1_024))).toEqual(bytes("v"));
        expect(store.scan({ start: keyOfLength(1_024), end: null }, { limit: 1 }).rows.length).toBe(1);
        expect(store.apply(batch([{ kind: "present", key: keyOfLength(1_024) }], []))).toEqual({ kind: "committed" });
        write(store, { kind: "delete", key: keyOfLength(1_024) });
        expect(store.get(keyOfLength(1_024))).toBeNull();
      }),
    );

    it("of 1,025 bytes is refused in a put", refuses([], [putOf(1_025, 1)]));
    it("of 1,025 bytes is refused in a delete", refuses([], [{ kind: "delete", key: keyOfLength(1_025) }]));
    it("of 1,025 bytes is refused in a present", refuses([{ kind: "present", key: keyOfLength(1_025) }], []));
    it("of 1,025 bytes is refused in an absent", refuses([{ kind: "absent", key: keyOfLength(1_025) }], []));
    it(
      "of 1,025 bytes is refused in an equals",
      refuses([{ kind: "equals", key: keyOfLength(1_025), value: bytes("v") }], []),
    );

    it(
      "of 1,025 bytes is refused in a read",
      onFreshStore(open, (store) => {
        expectFailure("invalid", () => store.get(keyOfLength(1_025)));
        expectFailure("invalid", () => store.getMany([key("a"), keyOfLength(1_025)]));
        write(store, put("a", "1"));
        expectFailure("invalid", () => store.get(keyOfLength(1_025)));
        expectFailure("invalid", () => store.getMany([key("a"), keyOfLength(1_025)]));
      }),
    );
  });

  describe("a value", () => {
    it(
      "of 512 KiB is written, read and compared",
      onFreshStore(open, (store) => {
        const largest = putOf(1, MAX_VALUE_BYTES);
        write(store, largest);
        const value = store.get(largest.key) ?? new Uint8Array();
        expect(value.length).toBe(524_288);
        expect(value.every((byte) => byte === 0x76)).toBe(true);
        expect(store.apply(batch([{ kind: "equals", key: largest.key, value }], []))).toEqual({ kind: "committed" });
      }),
    );

    it("one byte longer is refused in a put", refuses([], [putOf(1, MAX_VALUE_BYTES + 1)]));
    it(
      "one byte longer is refused in an equals",
      refuses([{ kind: "equals", key: key("b"), value: new Uint8Array(MAX_VALUE_BYTES + 1) }], []),
    );
  });

  describe("a batch", () => {
    it(
      "of 100 preconditions and 100 writes commits",
      onFreshStore(open, (store) => {
        expect(store.apply(batch(absents(100), puts(100)))).toEqual({ kind: "committed" });
        expect(textRowsOf(store).length).toBe(100);
        expect(store.apply(batch([...puts(99).map(guardOf), present("none")], []))).toEqual({
          kind: "preconditionFailed",
          index: 99,
          observed: null,
        });
      }),
    );

    it("of 101 writes is refused", refuses([], puts(100)));
    it(
      "of 101 deletes is refused",
      refuses(
        [],
        Array.from({ length: 100 }, () => remove("a")),
      ),
    );
    it("of 101 preconditions is refused", refuses(absents(100), []));
    it(
      "of 101 deadlines is refused",
      refuses(
        Array.from({ length: 100 }, () => notAfter(1)),
        [],
      ),
    );

    it(
      "of 1 MiB of keys and values commits",
      onFreshStore(open, (store) => {
        const half: Write = { kind: "put", key: key("b"), value: new Uint8Array(MAX_VALUE_BYTES - 2) };
        write(store, putOf(1, MAX_VALUE_BYTES), half);
        const guards = [{ kind: "present" as const, key: keyOfLength(1) }];
        const values = MAX_BATCH_BYTES - 3 - MAX_VALUE_BYTES;
        const writes = [putOf(1, MAX_VALUE_BYTES), { ...half, value: new Uint8Array(values) }];
        expect(store.apply(batch(guards, writes))).toEqual({ kind: "committed" });
        expect(store.get(key("b"))?.length).toBe(values);
      }),
    );

    it(
      "one byte larger is refused, whether by a put, a delete or a precondition",
      onFreshStore(open, (store) => {
        const writes = [putOf(1, MAX_VALUE_BYTES), { ...putOf(1, MAX_VALUE_BYTES - 2), key: key("b") }];
        expectFailure("invalid", () => store.apply(batch([], [...writes, putOf(1, 0)])));
        expectFailure("invalid", () => store.apply(batch([], [...writes, remove("a")])));
        expectFailure("invalid", () => store.apply(batch([absent("a")], writes)));
        const [first, second] = [key("b"), key("c")];
        const value = new Uint8Array(MAX_VALUE_BYTES - 1);
        const guards: Precondition[] = [
          { kind: "equals", key: first, value },
          { kind: "equals", key: second, value },
        ];
        expectFailure("invalid", () => store.apply(batch([...guards, absent("a")], [])));
        expect(store.apply(batch(guards, []))).toEqual({ kind: "preconditionFailed", index: 0, observed: null });
        expect(textRowsOf(store)).toEqual([]);
      }),
    );

    it(
      "that is refused does not look at the clock",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = Number.NaN;
        expectFailure("invalid", () => store.apply(batch([notAfter(1)], [putOf(1_025, 1)])));
      }),
    );
  });
}

function guardOf({ key: name }: Write): Precondition {
  return { kind: "present", key: name };
}
