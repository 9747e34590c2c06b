import { describe, expect, it } from "vitest";
import type { Key } from "../../src/core/keys.ts";
import { ALL_ROWS, type Store } from "../../src/store/contract.ts";
import { StoreError } from "../../src/store/errors.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { CommitQueue, MAX_WAITING } from "../../src/quota/commit-queue.ts";
import type { Decide } from "../../src/quota/commit-together.ts";
import { bytes, key, PARTITION, textRowsOf } from "../conformance/harness.ts";

const COUNTER = key("n");

/** Counts up by one and answers the new count. */
const countUp: Decide<number> = (draft) => {
  const next = countIn(draft.get(COUNTER)) + 1;
  draft.put(COUNTER, bytes(String(next)));
  return next;
};

/** Reads the count and writes nothing, as a denial does. */
const look: Decide<number> = (draft) => countIn(draft.get(COUNTER));

describe("a lone decision", () => {
  it("is committed before submit returns", () => {
    const { store, queue } = queueInHand();
    void queue.submit(countUp);
    expect(textRowsOf(store)).toEqual([["n", "1"]]);
  });

  it("is answered when flush resolves and not before", async () => {
    const { queue, flushes } = queueInHand();
    const answer = watch(queue.submit(countUp));
    await settleTasks();
    expect(flushes.length).toBe(1);
    expect(answer.outcome).toBe("pending");
    flushes[0]?.resolve();
    await settleTasks();
    expect(answer.outcome).toEqual({ kind: "answered", answer: 1 });
  });

  it("that finds an idle queue again is committed at once again", async () => {
    const { store, queue, flushes } = queueInHand();
    const first = queue.submit(countUp);
    flushes[0]?.resolve();
    expect(await first).toEqual({ kind: "answered", answer: 1 });
    await settleTasks();
    void queue.submit(countUp);
    expect(textRowsOf(store)).toEqual([["n", "2"]]);
    expect(flushes.length).toBe(2);
  });

  it("that writes nothing waits for no flush", async () => {
    const { queue, flushes } = queueInHand();
    expect(await queue.submit(look)).toEqual({ kind: "answered", answer: 0 });
    expect(flushes.length).toBe(0);
  });

  it("that fails by a fault of the store waits for no flush", async () => {
    const { queue, flushes, store } = queueInHand();
    const settled = queue.submit(() => {
      throw new StoreError("corrupt", "a row");
    });
    expect(await settled).toEqual({ kind: "failed", reason: "corrupt" });
    expect(flushes.length).toBe(0);
    expect(textRowsOf(store)).toEqual([]);
  });
});

describe("decisions submitted during a flush", () => {
  it("wait, and then share one commit in order of arrival", async () => {
    const { store, queue, flushes, commits } = queueInHand();
    const first = watch(queue.submit(countUp));
    const others = [1, 2, 3, 4, 5].map(() => watch(queue.submit(countUp)));
    await settleTasks();
    expect(textRowsOf(store)).toEqual([["n", "1"]]);
    expect(commits()).toBe(1);

    flushes[0]?.resolve();
    await settleTasks();
    expect(first.outcome).toEqual({ kind: "answered", answer: 1 });
    expect(textRowsOf(store)).toEqual([["n", "6"]]);
    expect(commits()).toBe(2);
    expect(flushes.length).toBe(2);
    expect(others.map((other) => other.outcome)).toEqual(others.map(() => "pending"));

    flushes[1]?.resolve();
    await settleTasks();
    expect(others.map((other) => other.outcome)).toEqual(
      [2, 3, 4, 5, 6].map((answer) => ({ kind: "answered", answer })),
    );
    expect(flushes.length).toBe(2);
  });

  it("that write nothing are answered without another flush", async () => {
    const { queue, flushes } = queueInHand();
    void queue.submit(countUp);
    const denials = [queue.submit(look), queue.submit(look)];
    flushes[0]?.resolve();
    expect(await Promise.all(denials)).toEqual([
      { kind: "answered", answer: 1 },
      { kind: "answered", answer: 1 },
    ]);
    expect(flushes.length).toBe(1);
  });

  it("wait with what they share a commit with, though they write nothing themselves", async () => {
    const { queue, flushes } = queueInHand();
    void queue.submit(countUp);
    const [write2, denial] = [watch(queue.submit(countUp)), watch(queue.submit(look))];
    flushes[0]?.resolve();
    await settleTasks();
    expect([write2.outcome, denial.outcome]).toEqual(["pending", "pending"]);
    flushes[1]?.resolve();
    await settleTasks();
    expect([write2.outcome, denial.outcome]).toEqual([
      { kind: "answered", answer: 2 },
      { kind: "answered", answer: 2 },
    ]);
  });

  it("fail alone when one of them fails by itself", async () => {
    const { queue, flushes } = queueInHand();
    void queue.submit(countUp);
    const broken = queue.submit<number>(() => {
      throw new StoreError("corrupt", "a row");
    });
    const sound = queue.submit(countUp);
    flushes[0]?.resolve();
    await settleTasks();
    flushes[1]?.resolve();
    expect(await Promise.all([broken, sound])).toEqual([
      { kind: "failed", reason: "corrupt" },
      { kind: "answered", answer: 2 },
    ]);
  });
});

describe("a flush that rejects", () => {
  it("rejects all that shared its commit, and nobody else", async () => {
    const { queue, flushes } = queueInHand();
    const first = watch(queue.submit(countUp));
    const shared = [watch(queue.submit(countUp)), watch(queue.submit(look))];
    flushes[0]?.resolve();
    await settleTasks();
    const later = watch(queue.submit(countUp));
    flushes[1]?.reject(new Error("broken disk"));
    await settleTasks();
    flushes[2]?.resolve();
    await settleTasks();
    expect(first.outcome).toEqual({ kind: "answered", answer: 1 });
    expect(shared.map((other) => other.outcome)).toEqual(["broken disk", "broken disk"]);
    expect(later.outcome).toEqual({ kind: "answered", answer: 3 });
  });

  it("leaves a queue that works", async () => {
    const { store, queue, flushes } = queueInHand();
    const first = queue.submit(countUp);
    flushes[0]?.reject(new Error("broken disk"));
    await expect(first).rejects.toThrow("broken disk");
    await settleTasks();
    const second = queue.submit(countUp);
    expect(textRowsOf(store)).toEqual([["n", "2"]]);
    flushes[1]?.resolve();
    expect(await second).toEqual({ kind: "answered", answer: 2 });
  });
});

describe("a fault of our own in a decision", () => {
  it("rejects all that shared the commit, writes none of it, and leaves a queue that works", async () => {
    const { store, queue, flushes } = queueInHand();
    void queue.submit(countUp);
    const sound = watch(queue.submit(countUp));
    const broken = watch(
      queue.submit(() => {
        throw new TypeError("our own bug");
      }),
    );
    flushes[0]?.resolve();
    await settleTasks();
    expect([sound.outcome, broken.outcome]).toEqual(["our own bug", "our own bug"]);
    expect(textRowsOf(store)).toEqual([["n", "1"]]);
    const next = queue.submit(countUp);
    flushes[1]?.resolve();
    expect(await next).toEqual({ kind: "answered", answer: 2 });
  });
});

describe("a backlog", () => {
  it("takes MAX_WAITING decisions and fails any more as unavailable", async () => {
    const { queue, flushes, store } = queueInHand();
    void queue.submit(countUp);
    const waiting = Array.from({ length: MAX_WAITING }, () => queue.submit(countUp));
    expect(await queue.submit(countUp)).toEqual({ kind: "failed", reason: "unavailable" });
    flushes[0]?.resolve();
    await settleTasks();
    flushes[1]?.resolve();
    const settled = await Promise.all(waiting);
    expect(settled.at(0)).toEqual({ kind: "answered", answer: 2 });
    expect(settled.at(-1)).toEqual({ kind: "answered", answer: MAX_WAITING + 1 });
    expect(textRowsOf(store)).toEqual([["n", "10001"]]);
    await settleTasks();
    void queue.submit(countUp);
    expect(textRowsOf(store)).toEqual([["n", "10002"]]);
  });

  it("larger than a batch is several commits and one flush", async () => {
    const { queue, flushes, store, commits } = queueInHand();
    void queue.submit(countUp);
    const waiting = Array.from({ length: 250 }, (_, index) => queue.submit(putRow(key(`row-${index}`))));
    flushes[0]?.resolve();
    await settleTasks();
    expect(store.stats(ALL_ROWS).rows).toBe(251);
    expect(commits()).toBe(4);
    expect(flushes.length).toBe(2);
    flushes[1]?.resolve();
    expect(await Promise.all(waiting)).toEqual(
      Array.from({ length: 250 }, () => ({ kind: "answered", answer: "put" })),
    );
  });
});

interface QueueInHand {
  readonly store: Store;
  readonly queue: CommitQueue;
  /** Every flush that was asked for, to be ended by the test. */
  readonly flushes: PromiseWithResolvers<void>[];
  /** Batches applied so far. */
  readonly commits: () => number;
}

function queueInHand(): QueueInHand {
  const rows = new MemoryStore(PARTITION, () => 0);
  const flushes: PromiseWithResolvers<void>[] = [];
  let commits = 0;
  const store: Store = {
    get: (name) => rows.get(name),
    getMany: (names) => rows.getMany(names),
    scan: (range, options) => rows.scan(range, options),
    stats: (range) => rows.stats(range),
    apply: (batch) => {
      commits++;
      return rows.apply(batch);
    },
  };
  const flush = (): Promise<void> => {
    const asked = Promise.withResolvers<void>();
    flushes.push(asked);
    return asked.promise;
  };
  return { store, queue: new CommitQueue(store, flush), flushes, commits: () => commits };
}

/** What has become of a promise: pending, what it resolved to, or the message it was rejected with. */
function watch(promise: Promise<unknown>): { readonly outcome: unknown } {
  const watched: { outcome: unknown } = { outcome: "pending" };
  promise.then(
    (value) => (watched.outcome = value),
    (error: unknown) => (watched.outcome = error instanceof Error ? error.message : error),
  );
  return watched;
}

/** Lets everything run that waits for nothing outside. */
function settleTasks(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

function putRow(name: Key): Decide<string> {
  return (draft) => {
    draft.put(name, bytes("v"));
    return "put";
  };
}

function countIn(value: Uint8Array | null): number {
  return value === null ? 0 : Number(String.fromCharCode(...value));
}
