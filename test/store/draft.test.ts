import { describe, expect, it } from "vitest";
import { toKey } from "../../src/core/keys.ts";
import { ALL_ROWS, type Row, type Store } from "../../src/store/contract.ts";
import { Draft } from "../../src/store/draft.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import {
  absent,
  bytes,
  equals,
  expectFailure,
  key,
  PARTITION,
  put,
  range,
  remove,
  textRowsOf,
  write,
} from "../conformance/harness.ts";

describe("a draft's get", () => {
  it("reads the store, and guards the value that it read", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    expect(draft.get(key("a"))).toEqual(bytes("1"));
    expect(draft.batch()).toEqual({ preconditions: [equals("a", "1")], writes: [] });
  });

  it("guards the absence of a row that is not there", () => {
    const draft = new Draft(storeOf({}));
    expect(draft.get(key("a"))).toBeNull();
    expect(draft.batch()).toEqual({ preconditions: [absent("a")], writes: [] });
  });

  it("guards each key once, in the order of the first reads", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    for (const name of ["b", "a", "b", "a"]) draft.get(key(name));
    expect(draft.batch().preconditions).toEqual([absent("b"), equals("a", "1")]);
  });

  it("gives back what was put, and asks neither the store nor for a guard", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    draft.put(key("a"), bytes("2"));
    draft.put(key("b"), bytes(""));
    expect(draft.get(key("a"))).toEqual(bytes("2"));
    expect(draft.get(key("b"))).toEqual(new Uint8Array());
    expect(draft.batch()).toEqual({ preconditions: [], writes: [put("a", "2"), put("b", "")] });
  });

  it("gives null for what was deleted", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    draft.delete(key("a"));
    expect(draft.get(key("a"))).toBeNull();
    expect(draft.batch()).toEqual({ preconditions: [], writes: [remove("a")] });
  });

  it("keeps the guard of the value that was stored when it reads a staged one", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    draft.get(key("a"));
    draft.put(key("a"), bytes("2"));
    expect(draft.get(key("a"))).toEqual(bytes("2"));
    expect(draft.batch()).toEqual({ preconditions: [equals("a", "1")], writes: [put("a", "2")] });
  });

  it("passes on what the store throws, and guards nothing for it", () => {
    const draft = new Draft(storeOf({}));
    const tooLong = toKey(new Uint8Array(1_025));
    expectFailure("invalid", () => draft.get(tooLong));
    expect(draft.batch()).toEqual({ preconditions: [], writes: [] });
  });
});

describe("a draft's peek", () => {
  it("reads the store without a guard", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    expect(draft.peek(key("a"))).toEqual(bytes("1"));
    expect(draft.peek(key("b"))).toBeNull();
    expect(draft.batch()).toEqual({ preconditions: [], writes: [] });
  });
});

describe("a draft's writes", () => {
  it("are each key's last one, in the order of the first", () => {
    const draft = new Draft(storeOf({}));
    draft.put(key("a"), bytes("1"));
    draft.put(key("b"), bytes("1"));
    draft.delete(key("a"));
    draft.put(key("b"), bytes("2"));
    draft.delete(key("c"));
    draft.put(key("c"), bytes("3"));
    expect(draft.batch().writes).toEqual([remove("a"), put("b", "2"), put("c", "3")]);
    expect(draft.get(key("a"))).toBeNull();
    expect(draft.get(key("c"))).toEqual(bytes("3"));
  });

  it("are not in the store before the batch is applied, and are afterwards", () => {
    const store = storeOf({ a: "1", b: "1" });
    const draft = new Draft(store);
    draft.put(key("a"), bytes("2"));
    draft.delete(key("b"));
    expect(textRowsOf(store)).toEqual([
      ["a", "1"],
      ["b", "1"],
    ]);
    expect(store.apply(draft.batch())).toEqual({ kind: "committed" });
    expect(textRowsOf(store)).toEqual([["a", "2"]]);
  });

  it("are said to be there by hasWrites, reads are not", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    draft.get(key("a"));
    draft.peek(key("a"));
    draft.rowsIn(ALL_ROWS, 1);
    expect(draft.hasWrites).toBe(false);
    draft.delete(key("none"));
    expect(draft.hasWrites).toBe(true);
  });
});

describe("a draft's batch", () => {
  it.each([
    { change: "the row changed", by: put("a", "2"), observed: bytes("2") },
    { change: "the row went away", by: remove("a"), observed: null },
  ])("fails when $change after it was read", ({ by, observed }) => {
    const store = storeOf({ a: "1" });
    const draft = new Draft(store);
    draft.get(key("a"));
    draft.put(key("a"), bytes("mine"));
    write(store, by);
    expect(store.apply(draft.batch())).toEqual({ kind: "preconditionFailed", index: 0, observed });
  });

  it("fails when a row came to be where none was read", () => {
    const store = storeOf({});
    const draft = new Draft(store);
    draft.get(key("a"));
    draft.put(key("b"), bytes("mine"));
    write(store, put("a", "1"));
    expect(store.apply(draft.batch())).toEqual({ kind: "preconditionFailed", index: 0, observed: bytes("1") });
  });

  it("commits when a row changed that was only peeked at or listed", () => {
    const store = storeOf({ a: "1" });
    const draft = new Draft(store);
    draft.peek(key("a"));
    draft.rowsIn(ALL_ROWS, 10);
    draft.put(key("b"), bytes("mine"));
    write(store, put("a", "2"));
    expect(store.apply(draft.batch())).toEqual({ kind: "committed" });
  });
});

describe("a draft's rowsIn", () => {
  it("gives stored rows with staged ones, and without the deleted", () => {
    const draft = new Draft(storeOf({ a: "1", b: "1", c: "1", x: "1" }));
    draft.put(key("b"), bytes("2"));
    draft.put(key("bb"), bytes("2"));
    draft.delete(key("c"));
    draft.put(key("y"), bytes("2"));
    expect(namesOf(draft.rowsIn(range("a", "d"), 10))).toEqual(["a=1", "b=2", "bb=2"]);
    expect(namesOf(draft.rowsIn(ALL_ROWS, 10))).toEqual(["a=1", "b=2", "bb=2", "x=1", "y=2"]);
    expect(draft.batch().preconditions).toEqual([]);
  });

  it("does not give a row twice, whatever was staged for it", () => {
    const draft = new Draft(storeOf({ a: "1" }));
    draft.delete(key("a"));
    draft.put(key("a"), bytes("2"));
    expect(namesOf(draft.rowsIn(ALL_ROWS, 10))).toEqual(["a=2"]);
    draft.delete(key("a"));
    expect(namesOf(draft.rowsIn(ALL_ROWS, 10))).toEqual([]);
  });

  it("keeps its range half-open for staged rows too", () => {
    const draft = new Draft(storeOf({}));
    for (const name of ["a", "b", "c"]) draft.put(key(name), bytes("1"));
    expect(namesOf(draft.rowsIn(range("a", "c"), 10))).toEqual(["a=1", "b=1"]);
  });

  it("finds a row behind any number of deleted ones", () => {
    const names = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    const draft = new Draft(storeOf(Object.fromEntries(names.map((name) => [name, "1"]))));
    for (const name of names.slice(0, 59)) draft.delete(key(name));
    expect(namesOf(draft.rowsIn(ALL_ROWS, 1))).toEqual(["k59=1"]);
    draft.delete(key("k59"));
    expect(namesOf(draft.rowsIn(ALL_ROWS, 1))).toEqual([]);
  });

  it("gives no more than its limit", () => {
    const draft = new Draft(storeOf({ a: "1", b: "1" }));
    draft.put(key("c"), bytes("2"));
    expect(draft.rowsIn(ALL_ROWS, 1).length).toBe(1);
    expect(draft.rowsIn(ALL_ROWS, 2).length).toBe(2);
    expect(draft.rowsIn(ALL_ROWS, 3).length).toBe(3);
  });
});

describe("a draft has room", () => {
  it("for one more decision up to 90 writes", () => {
    const draft = new Draft(storeOf({}));
    for (let count = 1; count <= 90; count++) draft.put(key(`k${count}`), bytes("v"));
    expect(draft.hasRoom).toBe(true);
    draft.put(key("k1"), bytes("again"));
    expect(draft.hasRoom).toBe(true);
    draft.delete(key("k91"));
    expect(draft.hasRoom).toBe(false);
  });

  it("for one more decision up to 90 guards", () => {
    const draft = new Draft(storeOf({}));
    for (let count = 1; count <= 90; count++) draft.get(key(`k${count}`));
    expect(draft.hasRoom).toBe(true);
    draft.get(key("k1"));
    expect(draft.hasRoom).toBe(true);
    draft.get(key("k91"));
    expect(draft.hasRoom).toBe(false);
  });

  it("up to 64 KiB below the largest batch, counting keys, values and guards", () => {
    const room = 1_024 * 1_024 - 64 * 1_024;
    const draft = new Draft(storeOf({ guard: "12345" }));
    draft.get(key("guard"));
    draft.delete(key("gone"));
    draft.put(key("a"), new Uint8Array(400_000));
    draft.put(key("b"), new Uint8Array(room - 400_000 - "guard12345gone".length - "ab".length));
    expect(draft.hasRoom).toBe(true);
    draft.put(key("a"), new Uint8Array(400_001));
    expect(draft.hasRoom).toBe(false);
    draft.put(key("a"), new Uint8Array(1));
    expect(draft.hasRoom).toBe(true);
  });
});

function storeOf(rows: Readonly<Record<string, string>>): Store {
  const store = new MemoryStore(PARTITION, () => 0);
  write(store, ...Object.entries(rows).map(([name, value]) => put(name, value)));
  return store;
}

function namesOf(rows: readonly Row[]): readonly string[] {
  const text = (part: Uint8Array): string => String.fromCharCode(...part);
  return rows.map((row) => `${text(row.key)}=${text(row.value)}`).toSorted();
}
