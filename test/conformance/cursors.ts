import { describe, expect, it } from "vitest";
import { toKey } from "../../src/core/keys.ts";
import type { Partition } from "../../src/core/partition.ts";
import { ALL_ROWS, type Page, type Store } from "../../src/store/contract.ts";
import {
  expectFailure,
  key,
  onFreshStore,
  type OpenBackend,
  pagesOf,
  PARTITION,
  put,
  range,
  remove,
  write,
} from "./harness.ts";

const NAMES = ["a", "b", "c", "d", "e"];
const OTHER: Partition = { kind: "ref", ns: "acme", repo: "web", ref: "refs/heads/other" };

const seed = (store: Store): void => write(store, ...NAMES.map((name) => put(name, name)));
const keysOf = (page: Page): readonly string[] => page.rows.map((row) => String.fromCharCode(...row.key));

/** The cursor after `limit` rows, which must not be the last ones. */
function cursorAfter(store: Store, limit: number, of = ALL_ROWS): string {
  const { cursor } = store.scan(of, { limit });
  if (cursor === null) throw new Error("the range is exhausted");
  return cursor;
}

export function describeCursors(open: OpenBackend): void {
  describe("a cursor", () => {
    it.each([1, 2, 3, 4, 5, 6])("resumes exactly, %i rows a page", (limit) =>
      onFreshStore(open, (store) => {
        seed(store);
        const pages = pagesOf(store, ALL_ROWS, limit).map(keysOf);
        expect(pages.flat()).toEqual(NAMES);
        expect(pages.length).toBe(Math.ceil(5 / limit));
      })(),
    );

    it(
      "is null as soon as nothing is left, also when the last page is full",
      onFreshStore(open, (store) => {
        seed(store);
        expect(store.scan(ALL_ROWS, { limit: 5 }).cursor).toBeNull();
        expect(store.scan(range("a", "c"), { limit: 2 }).cursor).toBeNull();
        expect(store.scan(range("x", null), { limit: 1 }).cursor).toBeNull();
        expect(store.scan(range("c", "a"), { limit: 1 }).cursor).toBeNull();
      }),
    );

    it(
      "may be used with another limit, and again",
      onFreshStore(open, (store) => {
        seed(store);
        const cursor = cursorAfter(store, 2);
        expect(keysOf(store.scan(ALL_ROWS, { limit: 1, cursor }))).toEqual(["c"]);
        expect(keysOf(store.scan(ALL_ROWS, { limit: 1_000, cursor }))).toEqual(["c", "d", "e"]);
        expect(keysOf(store.scan(ALL_ROWS, { limit: 2, cursor }))).toEqual(["c", "d"]);
      }),
    );

    it(
      "goes on after its key when rows around it have come and gone",
      onFreshStore(open, (store) => {
        seed(store);
        const cursor = cursorAfter(store, 2);
        write(store, remove("b"), remove("c"), put("aa", "new"), put("b\0", "new"));
        expect(keysOf(store.scan(ALL_ROWS, { limit: 10, cursor }))).toEqual(["b\0", "d", "e"]);
        write(store, remove("b\0"), remove("d"), remove("e"));
        expect(store.scan(ALL_ROWS, { limit: 10, cursor })).toEqual({ rows: [], cursor: null });
      }),
    );

    it(
      "stays within its range",
      onFreshStore(open, (store) => {
        seed(store);
        const some = range("b", "e");
        const cursor = cursorAfter(store, 1, some);
        expect(store.scan(some, { limit: 10, cursor })).toMatchObject({
          rows: [{ key: key("c") }, { key: key("d") }],
          cursor: null,
        });
      }),
    );

    it(
      "resumes after the empty key, and after keys of zero and 0xFF bytes",
      onFreshStore(open, (store) => {
        const keys = [[], [0], [0, 0], [0xff], [0xff, 0xff]].map((name) => toKey(Uint8Array.from(name)));
        write(store, ...keys.map((name) => ({ kind: "put" as const, key: name, value: name })));
        for (const [index] of keys.slice(0, -1).entries()) {
          const cursor = cursorAfter(store, index + 1);
          expect(store.scan(ALL_ROWS, { limit: 1, cursor }).rows.map((row) => row.key)).toEqual([keys[index + 1]]);
        }
      }),
    );

    it(
      "resumes after a key of 1,024 bytes",
      onFreshStore(open, (store) => {
        const longest = toKey(new Uint8Array(1_024).fill(0x61));
        write(store, { kind: "put", key: longest, value: new Uint8Array() }, put("b", ""));
        expect(keysOf(store.scan(ALL_ROWS, { limit: 1, cursor: cursorAfter(store, 1) }))).toEqual(["b"]);
      }),
    );

    it("outlives the store it came from", async () => {
      const backend = open();
      const kept: string[] = [];
      await backend.use(PARTITION, (store) => {
        seed(store);
        kept.push(cursorAfter(store, 2));
      });
      await backend.use(PARTITION, (store) => {
        expect(kept.map((cursor) => keysOf(store.scan(ALL_ROWS, { limit: 10, cursor })))).toEqual([["c", "d", "e"]]);
      });
    });
  });

  describe("a cursor is invalid", () => {
    const refuses = (forge: (cursor: string) => readonly string[]) =>
      onFreshStore(open, (store) => {
        seed(store);
        for (const cursor of forge(cursorAfter(store, 2))) {
          expectFailure("invalid", () => store.scan(ALL_ROWS, { limit: 1, cursor }));
        }
      });

    it(
      "when it is made up",
      refuses(() => ["", "a", "b", "abcd", "AAAAAAAAAABi", "null", "%", "\u{1f680}", "A".repeat(2_000)]),
    );

    it(
      "when any bit of it was changed",
      refuses((cursor) => {
        const bytes = bytesOfCursor(cursor);
        expect(cursorOfBytes(bytes)).toBe(cursor);
        return [...bytes.keys()].flatMap((index) =>
          Array.from({ length: 8 }, (_, bit) =>
            cursorOfBytes(bytes.map((byte, at) => (at === index ? byte ^ (1 << bit) : byte))),
          ),
        );
      }),
    );

    it(
      "when it was cut short or grew",
      refuses((cursor) => {
        const bytes = bytesOfCursor(cursor);
        const shorter = [...bytes.keys()].map((length) => cursorOfBytes(bytes.slice(0, length)));
        return [...shorter, cursorOfBytes(Uint8Array.of(...bytes, 0)), cursorOfBytes(Uint8Array.of(0, ...bytes))];
      }),
    );

    it(
      "when it is of another range, even one that holds the same rows",
      onFreshStore(open, (store) => {
        seed(store);
        const cursor = cursorAfter(store, 2, range("a", "f"));
        const others = [ALL_ROWS, range("a", null), range("", "f"), range("a", "e"), range("a", "g"), range("c", "f")];
        for (const other of others) expectFailure("invalid", () => store.scan(other, { limit: 1, cursor }));
        expect(keysOf(store.scan(range("a", "f"), { limit: 1, cursor }))).toEqual(["c"]);
      }),
    );

    it("when it is of another partition, whose rows are the same", async () => {
      const backend = open();
      const foreign: string[] = [];
      await backend.use(OTHER, (store) => {
        seed(store);
        foreign.push(cursorAfter(store, 2));
      });
      await backend.use(PARTITION, (store) => {
        seed(store);
        expect(foreign.length).toBe(1);
        for (const cursor of foreign) expectFailure("invalid", () => store.scan(ALL_ROWS, { limit: 1, cursor }));
      });
    });

    it(
      "on a store that was never written, too",
      onFreshStore(open, (store) => {
        expectFailure("invalid", () => store.scan(ALL_ROWS, { limit: 1, cursor: "AAAAAAAAAABi" }));
      }),
    );
  });
}

function bytesOfCursor(cursor: string): Uint8Array {
  const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}

function cursorOfBytes(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
