import { describe, expect, it } from "vitest";
import { quotaContributionKey, quotaTotalKey } from "../../src/core/keys.ts";
import { encodeUsage } from "../../src/core/codec.ts";
import { encodePartition } from "../../src/core/partition.ts";
import type { QuotaSettings } from "../../src/core/settings.ts";
import { toWindow } from "../../src/core/window.ts";
import { commitTogether, type Decide } from "../../src/quota/commit-together.ts";
import { pruneWindow } from "../../src/quota/prune.ts";
import { commitAlone } from "./commit-alone.ts";
import { decidePush } from "../../src/quota/contribution.ts";
import type { PushResult } from "../../src/quota/protocol.ts";
import type { BatchOutcome, Write } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { bytes, key, put, textRowsOf, write } from "../conformance/harness.ts";
import { StoreDouble } from "./store-double.ts";

const COUNTER = key("n");
const WINDOW = toWindow(7n);
const SETTINGS: QuotaSettings = {
  windowMs: 1_000,
  rollupMs: 100,
  clockGraceMs: 100,
  coordinatorTimeoutMs: 100,
  limits: { maxOps: 10n, maxBytes: 100n },
};

/** Counts up by one and answers the new count. */
const countUp: Decide<number> = (draft) => {
  const next = countIn(draft.get(COUNTER)) + 1;
  draft.put(COUNTER, bytes(String(next)));
  return next;
};

/** Reads the count and writes nothing, as a denial does. */
const look: Decide<number> = (draft) => countIn(draft.get(COUNTER));

const fail: Decide<number> = () => {
  throw new StoreError("corrupt", "a row");
};

describe("decisions committed together", () => {
  it("see what the earlier ones staged, and are one batch", () => {
    const store = new StoreDouble();
    expect(commitTogether(store, [countUp, countUp, look, countUp])).toEqual({
      settled: [1, 2, 2, 3].map((answer) => ({ kind: "answered", answer })),
      wrote: true,
    });
    expect(store.batches.length).toBe(1);
    expect(textRowsOf(store)).toEqual([["n", "3"]]);
  });

  it("that write nothing are no batch", () => {
    const store = new StoreDouble();
    expect(commitTogether(store, [look, look])).toEqual({
      settled: [
        { kind: "answered", answer: 0 },
        { kind: "answered", answer: 0 },
      ],
      wrote: false,
    });
    expect(store.batches).toEqual([]);
  });

  it("may be none at all", () => {
    const store = new StoreDouble();
    expect(commitTogether(store, [])).toEqual({ settled: [], wrote: false });
    expect(store.batches).toEqual([]);
  });

  it("that fill a batch go on in the next, in order", () => {
    const store = new StoreDouble();
    const decisions = Array.from({ length: 200 }, (_, index) => putAnswering(`k${index}`, index));
    expect(commitTogether(store, decisions)).toEqual({
      settled: decisions.map((_, answer) => ({ kind: "answered", answer })),
      wrote: true,
    });
    expect(store.batches.map((batch) => batch.writes.length)).toEqual([91, 91, 18]);
    expect(store.batches.flatMap((batch) => batch.writes.map(keyTextOf))).toEqual(
      decisions.map((_, index) => `k${index}`),
    );
  });

  it("have written when any of their batches did, the last one or not", () => {
    const store = new StoreDouble();
    const puts = Array.from({ length: 91 }, (_, index) => putAnswering(`k${index}`, index));
    expect(commitTogether(store, [...puts, look]).wrote).toBe(true);
    expect(store.batches.length).toBe(1);
  });

  it("that are large fill a batch by their bytes", () => {
    const store = new StoreDouble();
    const value = new Uint8Array(60_000);
    const decisions = Array.from({ length: 40 }, (_, index): Decide<number> => (draft) => {
      draft.put(key(`k${index}`), value);
      return index;
    });
    expect(commitTogether(store, decisions).settled.length).toBe(40);
    expect(store.batches.map((batch) => batch.writes.length)).toEqual([17, 17, 6]);
    expect(store.largestBatchBytes).toBeLessThanOrEqual(1_048_576);
  });
});

describe("a decision that fails by itself", () => {
  it("leaves those before and after it alone", () => {
    const store = new StoreDouble();
    expect(commitTogether(store, [countUp, fail, countUp])).toEqual({
      settled: [
        { kind: "answered", answer: 1 },
        { kind: "failed", reason: "corrupt" },
        { kind: "answered", answer: 2 },
      ],
      wrote: true,
    });
    expect(textRowsOf(store)).toEqual([["n", "2"]]);
  });

  it("alone writes nothing", () => {
    const store = new StoreDouble();
    expect(commitAlone(store, fail)).toEqual({ kind: "failed", reason: "corrupt" });
    expect(store.batches).toEqual([]);
  });

  it("by a corrupt contribution does not stop another shard's push", () => {
    const store = new StoreDouble();
    const [broken, sound] = [sourceOf("broken"), sourceOf("sound")];
    const corrupt = { kind: "put" as const, key: quotaContributionKey(WINDOW, broken), value: bytes("corrupt") };
    write(store.inner, corrupt);
    const settled = commitTogether(store, [pushOf(broken), pushOf(sound), pushOf(broken)]).settled;
    expect(settled).toEqual([
      { kind: "failed", reason: "corrupt" },
      {
        kind: "answered",
        answer: { kind: "accepted", total: { ops: 2n, bytes: 20n }, limits: { kind: "none" }, rebasedFrom: null },
      },
      { kind: "failed", reason: "corrupt" },
    ]);
    expect(store.get(corrupt.key)).toEqual(bytes("corrupt"));
    expect(store.get(quotaTotalKey(WINDOW))).toEqual(encodeUsage({ ops: 2n, bytes: 20n }));
  });

  it("by corrupt rows of any size does not stop another shard's push, nor the end of their window", () => {
    const store = new StoreDouble();
    const [first, second, sound] = [sourceOf("first"), sourceOf("second"), sourceOf("sound")];
    const huge = new Uint8Array(512 * 1_024);
    for (const source of [first, second]) {
      write(store.inner, { kind: "put", key: quotaContributionKey(WINDOW, source), value: huge });
    }
    const settled = commitTogether(store, [pushOf(sound), pushOf(first), pushOf(second)]).settled;
    expect(settled.map(({ kind }) => kind)).toEqual(["answered", "failed", "failed"]);
    expect(pruneWindow(store, ["qc", "qt"], WINDOW)).toEqual({ rows: 4, isComplete: true });
    expect(store.oversized).toEqual([]);
  });

  it("by a fault of our own goes on up, and nothing is written", () => {
    const store = new StoreDouble();
    const bug: Decide<number> = () => {
      throw new TypeError("our own bug");
    };
    expect(() => commitTogether(store, [countUp, bug])).toThrow(new TypeError("our own bug"));
    expect(store.batches).toEqual([]);
  });
});

describe("a batch that loses a guard", () => {
  it("is planned again on what is stored then", () => {
    const store = new StoreDouble();
    write(store.inner, put("n", "1"));
    store.beforeApply = (attempt) => {
      if (attempt === 1) write(store.inner, put("n", "40"));
      return null;
    };
    expect(commitTogether(store, [countUp, countUp]).settled).toEqual([
      { kind: "answered", answer: 41 },
      { kind: "answered", answer: 42 },
    ]);
    expect(store.batches.length).toBe(2);
    expect(textRowsOf(store)).toEqual([["n", "42"]]);
  });

  it("seven times commits at the eighth", () => {
    const store = new StoreDouble();
    store.beforeApply = (attempt) => (attempt <= 7 ? LOST : null);
    expect(commitAlone(store, countUp)).toEqual({ kind: "answered", answer: 1 });
    expect(store.batches.length).toBe(8);
  });

  it("always is tried exactly 8 times, and then all of it is contention", () => {
    const store = new StoreDouble();
    store.beforeApply = () => LOST;
    let decided = 0;
    const counted: Decide<number> = (draft) => {
      decided++;
      return countUp(draft);
    };
    expect(commitTogether(store, [counted, look, fail])).toEqual({
      settled: [1, 2, 3].map(() => ({ kind: "failed", reason: "contention" })),
      wrote: false,
    });
    expect(store.batches.length).toBe(8);
    expect(decided).toBe(8);
    expect(textRowsOf(store)).toEqual([]);
  });

  it("costs the decisions of the next batch nothing", () => {
    const store = new StoreDouble();
    store.beforeApply = (attempt) => (attempt <= 8 ? LOST : null);
    const decisions = Array.from({ length: 92 }, (_, index) => putAnswering(`k${index}`, index));
    const { settled, wrote } = commitTogether(store, decisions);
    expect(settled.slice(0, 91)).toEqual(decisions.slice(1).map(() => ({ kind: "failed", reason: "contention" })));
    expect(settled.slice(91)).toEqual([{ kind: "answered", answer: 91 }]);
    expect(wrote).toBe(true);
    expect(textRowsOf(store)).toEqual([["k91", "v"]]);
  });
});

describe("a commit that fails", () => {
  it.each(["full", "unavailable", "corrupt", "invalid", "unsupported"] as const)(
    "fails all that were decided on it as %s, at the first try",
    (failure) => {
      const store = new StoreDouble();
      store.beforeApply = () => {
        throw new StoreError(failure, "broken disk");
      };
      expect(commitTogether(store, [countUp, look, countUp])).toEqual({
        settled: [1, 2, 3].map(() => ({ kind: "failed", reason: failure })),
        wrote: false,
      });
      expect(store.batches.length).toBe(1);
      expect(textRowsOf(store)).toEqual([]);
    },
  );

  it("fails its own batch alone: those before and after it stand", () => {
    const store = new StoreDouble();
    store.beforeApply = (attempt) => {
      if (attempt === 2) throw new StoreError("full", "no room");
      return null;
    };
    const decisions = Array.from({ length: 200 }, (_, index) => putAnswering(`k${index}`, index));
    const { settled, wrote } = commitTogether(store, decisions);
    expect(settled.slice(0, 91).every(({ kind }) => kind === "answered")).toBe(true);
    expect(settled.slice(91, 182)).toEqual(decisions.slice(91, 182).map(() => ({ kind: "failed", reason: "full" })));
    expect(settled.slice(182).every(({ kind }) => kind === "answered")).toBe(true);
    expect(wrote).toBe(true);
    expect(textRowsOf(store).length).toBe(109);
  });

  it("by a fault that is not the store's goes on up", () => {
    const store = new StoreDouble();
    store.beforeApply = () => {
      throw new TypeError("our own bug");
    };
    expect(() => commitTogether(store, [countUp])).toThrow(new TypeError("our own bug"));
  });
});

const LOST: BatchOutcome = { kind: "preconditionFailed", index: 0, observed: null };

function putAnswering(name: string, answer: number): Decide<number> {
  return (draft) => {
    draft.put(key(name), bytes("v"));
    return answer;
  };
}

function sourceOf(repo: string): Uint8Array {
  return encodePartition({ kind: "ref", ns: "acme", repo, ref: "refs/heads/main" });
}

function pushOf(source: Uint8Array): Decide<PushResult> {
  const push = { source, window: WINDOW, windowMs: 1_000, usage: { ops: 2n, bytes: 20n }, sentAtMs: 0 };
  return (draft) => decidePush(draft, push, { settings: SETTINGS, nowMs: 7_500, isOvertaken: false });
}

function keyTextOf(change: Write): string {
  return String.fromCharCode(...change.key);
}

function countIn(value: Uint8Array | null): number {
  return value === null ? 0 : Number(String.fromCharCode(...value));
}
