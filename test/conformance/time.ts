import { describe, expect, it } from "vitest";
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

export function describeTime(open: OpenBackend): void {
  describe("notAfter", () => {
    it(
      "holds at its deadline, by the store's own clock",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 60_000;
        expect(store.apply(batch([notAfter(60_000)], [put("a", "1")]))).toEqual({ kind: "committed" });
        expect(textRowsOf(store)).toEqual([["a", "1"]]);
      }),
    );

    it(
      "has passed 1 ms later, tells the store's time, and nothing is written",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 60_001;
        expect(store.apply(batch([notAfter(60_000)], [put("a", "1")]))).toEqual({
          kind: "deadlinePassed",
          backendNowMs: 60_001,
        });
        expect(textRowsOf(store)).toEqual([]);
      }),
    );

    it(
      "is judged at each batch anew, also when the clock steps back",
      onFreshStore(open, (store, backend) => {
        const guarded = batch([notAfter(60_000)], [put("a", "1")]);
        backend.nowMs = 60_001;
        expect(store.apply(guarded)).toEqual({ kind: "deadlinePassed", backendNowMs: 60_001 });
        backend.nowMs = 59_999;
        expect(store.apply(guarded)).toEqual({ kind: "committed" });
      }),
    );

    it(
      "takes its turn among the preconditions",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 2;
        expect(store.apply(batch([present("a"), notAfter(1)], []))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: null,
        });
        expect(store.apply(batch([absent("a"), notAfter(1), present("a")], []))).toEqual({
          kind: "deadlinePassed",
          backendNowMs: 2,
        });
      }),
    );

    it.each([
      { deadlineMs: Number.POSITIVE_INFINITY, outcome: { kind: "committed" } },
      { deadlineMs: Number.NEGATIVE_INFINITY, outcome: { kind: "deadlinePassed", backendNowMs: 0 } },
      { deadlineMs: -1, outcome: { kind: "deadlinePassed", backendNowMs: 0 } },
      { deadlineMs: 0, outcome: { kind: "committed" } },
    ])("may be of any time: $deadlineMs", ({ deadlineMs, outcome }) =>
      onFreshStore(open, (store, backend) => {
        backend.nowMs = 0;
        expect(store.apply(batch([notAfter(deadlineMs)], []))).toEqual(outcome);
      })(),
    );

    it(
      "that is no time is invalid",
      onFreshStore(open, (store) => {
        expectFailure("invalid", () => store.apply(batch([notAfter(Number.NaN)], [put("a", "1")])));
        expect(textRowsOf(store)).toEqual([]);
      }),
    );
  });

  describe("a clock that gives no time", () => {
    it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1])(
      "fails a notAfter as unavailable, and nothing is written: %s",
      (nowMs) =>
        onFreshStore(open, (store, backend) => {
          write(store, put("a", "1"));
          backend.nowMs = nowMs;
          const deadlines = [notAfter(Number.POSITIVE_INFINITY)];
          expectFailure("unavailable", () => store.apply(batch(deadlines, [put("a", "2"), put("b", "2")])));
          expectFailure("unavailable", () => store.apply(batch(deadlines, [remove("a")])));
          expect(textRowsOf(store)).toEqual([["a", "1"]]);
          backend.nowMs = 0;
          expect(store.apply(batch(deadlines, [put("a", "3")]))).toEqual({ kind: "committed" });
          expect(store.get(key("a"))).toEqual(bytes("3"));
        })(),
    );

    it(
      "fails the first batch of a store too, and the store works afterwards",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = Number.NaN;
        expectFailure("unavailable", () => store.apply(batch([notAfter(1)], [put("a", "1")])));
        expect(textRowsOf(store)).toEqual([]);
        write(store, put("a", "2"));
        expect(textRowsOf(store)).toEqual([["a", "2"]]);
      }),
    );

    it(
      "stops nothing that asks for no time",
      onFreshStore(open, (store, backend) => {
        backend.nowMs = Number.NaN;
        write(store, put("a", "1"));
        expect(store.apply(batch([present("b"), notAfter(1)], []))).toEqual({
          kind: "preconditionFailed",
          index: 0,
          observed: null,
        });
        expect(textRowsOf(store)).toEqual([["a", "1"]]);
      }),
    );
  });
}
