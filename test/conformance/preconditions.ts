import { describe, expect, it } from "vitest";
import type { Precondition, Store } from "../../src/store/contract.ts";
import {
  absent,
  batch,
  bytes,
  equals,
  notAfter,
  onFreshStore,
  type OpenBackend,
  present,
  put,
  remove,
  textRowsOf,
  write,
} from "./harness.ts";

const HOLDING: readonly (readonly [when: string, precondition: Precondition])[] = [
  ["absent of a key that is not there", absent("none")],
  ["present of a key that is there", present("a")],
  ["present of an empty value", present("empty")],
  ["equals of the same value", equals("a", "1")],
  ["equals of an empty value", equals("empty", "")],
  ["notAfter of a later time", notAfter(1_001)],
];

const FAILING: readonly (readonly [when: string, precondition: Precondition, observed: string | null])[] = [
  ["absent of a key that is there", absent("a"), "1"],
  ["absent of an empty value", absent("empty"), ""],
  ["present of a key that is not there", present("none"), null],
  ["equals of a key that is not there", equals("none", "1"), null],
  ["equals of an empty value where there is none", equals("none", ""), null],
  ["equals of another value", equals("a", "2"), "1"],
  ["equals of a longer value", equals("a", "1 "), "1"],
  ["equals of a value that it begins with", equals("long", "lon"), "long"],
  ["equals of an empty value where there is another", equals("a", ""), "1"],
];

const seed = (store: Store): void => write(store, put("a", "1"), put("empty", ""), put("long", "long"));

export function describePreconditions(open: OpenBackend): void {
  describe("preconditions", () => {
    it.each(HOLDING)("hold: %s", (_, precondition) =>
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 1_000;
        seed(store);
        expect(store.apply(batch([precondition], [put("b", "2")]))).toEqual({ kind: "committed" });
        expect(store.get(put("b", "").key)).toEqual(bytes("2"));
      })(),
    );

    it.each(FAILING)("fail, tell what was observed, and write nothing: %s", (_, precondition, observed) =>
      onFreshStore(open, (store) => {
        seed(store);
        expect(store.apply(batch([precondition], [put("b", "2"), remove("a")]))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: observed === null ? null : bytes(observed),
        });
        expect(textRowsOf(store)).toEqual([
          ["a", "1"],
          ["empty", ""],
          ["long", "long"],
        ]);
      })(),
    );

    it(
      "are judged in order, and the first that fails is the outcome",
      onFreshStore(open, (store) => {
        seed(store);
        const preconditions = [present("a"), absent("none"), equals("a", "2"), present("none"), absent("long")];
        expect(store.apply(batch(preconditions, [put("b", "2")]))).toEqual({
          kind: "preconditionFailed",
          index: 2,
          observed: bytes("1"),
        });
      }),
    );

    it(
      "count a notAfter that holds in the index",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 1_000;
        expect(store.apply(batch([notAfter(1_000), absent("a"), present("a")], []))).toEqual({
          kind: "preconditionFailed",
          index: 2,
          observed: null,
        });
      }),
    );

    it(
      "are judged on the state before the first write",
      onFreshStore(open, (store) => {
        expect(store.apply(batch([absent("a"), absent("a")], [put("a", "1")]))).toEqual({ kind: "committed" });
        expect(store.apply(batch([present("b")], [put("b", "1")]))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: null,
        });
        expect(textRowsOf(store)).toEqual([["a", "1"]]);
      }),
    );

    it(
      "may stand alone, without a write",
      onFreshStore(open, (store) => {
        seed(store);
        expect(store.apply(batch([equals("a", "1")], []))).toEqual({ kind: "committed" });
        expect(store.apply(batch([absent("a")], []))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: bytes("1"),
        });
      }),
    );

    it(
      "hold and fail on a store that was never written",
      onFreshStore(open, (store) => {
        expect(store.apply(batch([], []))).toEqual({ kind: "committed" });
        expect(store.apply(batch([absent("a")], [remove("a")]))).toEqual({ kind: "committed" });
        expect(store.apply(batch([present("a")], [put("a", "1")]))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: null,
        });
        expect(textRowsOf(store)).toEqual([]);
      }),
    );
  });
}
