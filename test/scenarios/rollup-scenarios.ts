// Scenarios 1–8: what a rollup does to a shard and its coordinator, while the window lasts and after it.
import { describe, expect, it } from "vitest";
import { encodeUsage } from "../../src/core/codec.ts";
import { quotaViewKey } from "../../src/core/keys.ts";
import { toWindow } from "../../src/core/window.ts";
import {
  contributionKey,
  contributionRow,
  type Count,
  countOf,
  dueTimes,
  rollupTimerKey,
  shardRow,
  timerRow,
  totalKey,
  totalRow,
  usage,
  viewKey,
  viewOf,
  viewRow,
} from "./rows.ts";
import { COORDINATOR, type OpenWorld, SETTINGS, shard, type World } from "./world.ts";

const { windowMs, rollupMs, clockGraceMs: graceMs } = SETTINGS;
const EMPTY: readonly never[] = [];

/** A shard as its charges left it: a count in the window, and the timer that will roll it up. */
function counted(world: World, index: number, count: Count, window = 0): Promise<void> {
  const dueAtMs = window * windowMs + rollupMs;
  return world.put(shard(index), shardRow(window, count), timerRow(window, dueAtMs, windowMs));
}

async function totalOf(world: World, window = 0): Promise<string | null> {
  return countOf(await world.get(COORDINATOR, totalKey(window)));
}

export function rollupScenarios(open: OpenWorld): void {
  describe("a rollup while the window lasts", () => duringTheWindow(open));
  describe("a rollup after the window's end", () => afterTheWindow(open));
  describe("a rollup that fails", () => thatFails(open));
}

function duringTheWindow(open: OpenWorld): void {
  it("scenario 1: converges across shards, and a refire after a coordinator crash is idempotent", async () => {
    const world = open();
    const counts: readonly Count[] = ["1/0", "2/1", "3/2", "4/3"];
    for (const [index, count] of counts.entries()) await counted(world, index, count);

    expect(await world.tick(shard(0), 60_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 120_000 });
    expect(await totalOf(world)).toBe("1/0");
    expect(guardsOfViewWrites(world, 0)).toEqual([[rollupTimerKey(0, 60_000)]]);

    await world.delete(shard(0), viewKey(0), rollupTimerKey(0, 120_000));
    await world.put(shard(0), timerRow(0, 60_000, windowMs));
    expect(await world.tick(shard(0), 60_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 120_000 });
    expect(await totalOf(world)).toBe("1/0");
    expect(guardsOfViewWrites(world, 0)).toEqual([[rollupTimerKey(0, 60_000)], [rollupTimerKey(0, 60_000)]]);

    for (const index of [1, 2, 3]) expect((await world.tick(shard(index), 60_000)).fired).toBe(1);
    expect(await totalOf(world)).toBe("10/6");

    for (const [index, pushed] of counts.entries()) {
      expect((await world.tick(shard(index), 120_000)).fired).toBe(1);
      const view = viewOf(await world.get(shard(index), viewKey(0)));
      expect(view).toEqual({ total: "10/6", pushed, observedAtMs: 120_000 });
      expect(countOf(await world.get(COORDINATOR, contributionKey(0, shard(index))))).toBe(pushed);
    }
    expect(await totalOf(world)).toBe("10/6");
  });

  it("scenario 4: a direct coordinator charge stays in the aggregate", async () => {
    const world = open();
    await world.charge(COORDINATOR, 1_000, 9n);
    expect(await totalOf(world)).toBe("1/9");
    await counted(world, 0, "2/0");

    expect(await world.tick(shard(0), 60_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 120_000 });
    expect(await totalOf(world)).toBe("3/9");
    expect(dueTimes(await world.rows(shard(0)))).toEqual([120_000]);
  });

  it("scenario 5: a decreased contribution rebaselines, then prunes after idling", async () => {
    const world = open();
    await counted(world, 0, "2/12", 2);
    await world.put(COORDINATOR, contributionRow(2, shard(0), "5/10"), totalRow(2, "5/10"));

    expect((await world.tick(shard(0), 2 * windowMs + rollupMs)).fired).toBe(1);
    expect(await totalOf(world, 2)).toBe("2/12");
    expect(countOf(await world.get(COORDINATOR, contributionKey(2, shard(0))))).toBe("2/12");
    expect(world.eventsOf("rebase").map(({ from, to }) => ({ from, to }))).toEqual([
      { from: usage("5/10"), to: usage("2/12") },
    ]);
    expect(world.eventsOf("rollupFailed")).toEqual([]);

    const last = await world.tick(shard(0), 3 * windowMs + graceMs + 1);
    expect(last).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    expect(await world.rows(shard(0))).toEqual(EMPTY);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);
  });
}

/** The keys that each batch which wrote the shard's view of window 0 was guarded on. */
function guardsOfViewWrites(world: World, index: number): readonly unknown[] {
  const view = String(quotaViewKey(toWindow(0n)));
  return world
    .batches(shard(index))
    .filter(({ writes }) => writes.some((write) => write.kind === "put" && String(write.key) === view))
    .map(({ preconditions }) => preconditions.map((guard) => ("key" in guard ? guard.key : guard.kind)));
}

function afterTheWindow(open: OpenWorld): void {
  it("scenario 2: an ended window prunes both partitions and leaves no timer", async () => {
    const world = open();
    await counted(world, 0, "3/12");

    expect((await world.tick(shard(0), 60_000)).fired).toBe(1);
    const view = viewOf(await world.get(shard(0), viewKey(0)));
    expect(view).toEqual({ total: "3/12", pushed: "3/12", observedAtMs: 60_000 });

    expect(await world.tick(shard(0), 700_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    expect(await world.rows(shard(0))).toEqual(EMPTY);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);
  });

  it("scenario 3: the final fire removes old coordinator rows", async () => {
    const world = open();
    await counted(world, 0, "2/0");
    expect(await world.tick(shard(0), 700_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    expect(await world.rows(shard(0))).toEqual(EMPTY);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);

    const pushedBefore = [contributionRow(0, shard(0), "2/0"), totalRow(0, "2/0"), timerRow(0, 630_000, windowMs)];
    await world.put(COORDINATOR, ...pushedBefore);
    await counted(world, 0, "2/0");
    expect(await world.tick(shard(0), 700_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    expect(await world.rows(shard(0))).toEqual(EMPTY);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);
  });

  it("scenario 6: an expired window drains more than eight older rows a class", async () => {
    const world = open();
    await world.put(shard(0), timerRow(12, 12 * windowMs + rollupMs, windowMs));
    for (let window = 0; window <= 13; window++) {
      await world.put(shard(0), shardRow(window, "1/2"), viewRow(window, "1/2", "1/2", window * windowMs));
      await world.put(COORDINATOR, contributionRow(window, shard(0), "1/2"), totalRow(window, "1/2"));
    }

    const report = await world.tick(shard(0), 13 * windowMs + graceMs + 1);
    expect(report).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    const ofWindow13 = { shard: [shardRow(13, "1/2"), viewRow(13, "1/2", "1/2", 13 * windowMs)] };
    expect(await world.rows(shard(0))).toEqual(ofWindow13.shard);
    expect(await world.rows(COORDINATOR)).toEqual([contributionRow(13, shard(0), "1/2"), totalRow(13, "1/2")]);

    const batches = [...world.batches(shard(0)), ...world.batches(COORDINATOR)];
    const operations = batches.map(({ preconditions, writes }) => preconditions.length + writes.length);
    expect(operations.filter((count) => count > 100)).toEqual([]);
    expect(Math.max(...batches.map(({ writes }) => writes.length))).toBe(8);
  });
}

function thatFails(open: OpenWorld): void {
  it("scenario 7: a corrupt coordinator row backs off for a full period", async () => {
    const world = open();
    await counted(world, 0, "1/0");
    await world.put(COORDINATOR, { key: totalKey(0), value: Uint8Array.of(1) });

    expect(await world.tick(shard(0), 60_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 120_000 });
    expect(world.eventsOf("rollupFailed")).toEqual([{ kind: "rollupFailed", window: 0n, reason: "corrupt" }]);
    expect(await world.rows(COORDINATOR)).toEqual([{ key: totalKey(0), value: Uint8Array.of(1) }]);

    const last = await world.tick(shard(0), windowMs + graceMs + 1);
    expect(last).toMatchObject({ fired: 1, failed: 0, nextWakeMs: null });
    expect(await world.rows(shard(0))).toEqual(EMPTY);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);
  });

  it("scenario 8: exhausted replans are logged and back off", async () => {
    const world = open({ coordinator: "contended" });
    await counted(world, 0, "1/0");

    expect(await world.tick(shard(0), 60_000)).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 120_000 });
    expect(world.batches(COORDINATOR)).toHaveLength(8);
    expect(world.eventsOf("rollupFailed")).toEqual([{ kind: "rollupFailed", window: 0n, reason: "contention" }]);
    expect(await world.rows(COORDINATOR)).toEqual(EMPTY);
    expect(await world.rows(shard(0))).toEqual([
      { key: shardRow(0, "1/0").key, value: encodeUsage(usage("1/0")) },
      timerRow(0, 120_000, windowMs),
    ]);
  });
}
