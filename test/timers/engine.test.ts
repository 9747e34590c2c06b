import { describe, expect, it } from "vitest";
import type { Row } from "../../src/store/contract.ts";
import { NOTHING_ELSE } from "../../src/timers/registry.ts";
import { bytes, done, type Fire, handler, mark, putting, retry, Rig, shortTimer, text, timer } from "./rig.ts";

const KIND_A = 0xf0;
const KIND_B = 0xf1;
const UNKNOWN_KIND = 0xfe;
const UNKNOWN_DELAY_MS = 3_600_000;
const NOW_MS = 1_000;

describe("scenario 16: order, and rows nobody can run", () => {
  it("scenario 16: rows fire in key order: due time, then kind, then reference", async () => {
    const rig = new Rig();
    const order: string[] = [];
    const fire: Fire = ({ timer: { dueAtMs, kind, reference } }) => {
      order.push(`${dueAtMs} ${kind.toString(16)} ${text(reference)}`);
      return { kind: "done", batch: NOTHING_ELSE };
    };
    rig.put(
      timer(20, KIND_A, "a"),
      timer(10, KIND_B, "a"),
      timer(10, KIND_A, "b"),
      timer(10, KIND_A, "aa"),
      timer(1_000, KIND_A),
      timer(1_001, KIND_A),
    );

    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_B, fire), handler(KIND_A, fire)] });
    expect(order).toEqual(["10 f0 aa", "10 f0 b", "10 f1 a", "20 f0 a", "1000 f0 "]);
    expect(report).toEqual({
      fired: 5,
      raced: 0,
      failed: 0,
      unknown: 0,
      deferred: 0,
      scanned: 5,
      stoppedOnBudget: false,
      resumeAt: null,
      nextWakeMs: 1_001,
    });
    expect(rig.timers).toEqual([timer(1_001, KIND_A)]);
  });

  it("scenario 16: a malformed row and a row of an unknown kind stay, are warned about once, and stop nothing", async () => {
    const rig = new Rig();
    const broken = [
      shortTimer(10),
      timer(10, 0, "kind 0 is invalid"),
      timer(11, UNKNOWN_KIND, "a"),
      timer(12, UNKNOWN_KIND, "b"),
    ];
    rig.put(...broken, timer(13, KIND_A), timer(14, KIND_A));

    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, done)] });
    expect(report).toMatchObject({
      fired: 2,
      failed: 0,
      unknown: 4,
      scanned: 6,
      nextWakeMs: NOW_MS + UNKNOWN_DELAY_MS,
    });
    expect(rig.timers).toEqual(broken);
    expect(rig.events).toEqual([
      { kind: "timerUnknown", timerKind: null },
      { kind: "timerUnknown", timerKind: UNKNOWN_KIND },
    ]);

    await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, done)] });
    expect(rig.events).toHaveLength(4);
  });

  it("scenario 16: a row whose handler cannot read it stays and is unknown", async () => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A), timer(11, KIND_B));
    const unreadable = handler(KIND_A, () => ({ kind: "unknown" }));

    const report = await rig.tick({ nowMs: NOW_MS, handlers: [unreadable, handler(KIND_B, done)] });
    expect(report).toMatchObject({ fired: 1, failed: 0, unknown: 1, nextWakeMs: NOW_MS + UNKNOWN_DELAY_MS });
    expect(rig.timers).toEqual([timer(10, KIND_A)]);
    expect(rig.events).toEqual([{ kind: "timerUnknown", timerKind: KIND_A }]);
  });

  it.each([
    { name: "too short", row: shortTimer(2_000) },
    { name: "of kind 0", row: timer(2_000, 0) },
  ])("scenario 16: a malformed row that is not yet due delays no later timer ($name)", async ({ row }) => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A), row, timer(2_001, KIND_A));
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, done)] });
    expect(report).toMatchObject({ fired: 1, unknown: 0 });
    expect(report.nextWakeMs).toBe(2_001);
  });
});

describe("scenario 17: a firing that achieved nothing", () => {
  const row = timer(10, KIND_A, "row");
  const throwing: Fire = () => {
    throw new Error("broken");
  };
  const samePlace: Fire = ({ value }) => ({ kind: "reschedule", dueAtMs: 10, value, batch: putting(mark(1)) });
  const notATime: Fire = ({ value }) => ({ kind: "reschedule", dueAtMs: Number.NaN, value, batch: putting(mark(1)) });
  const tooLarge: Fire = () => ({
    kind: "done",
    batch: putting({ ...mark(1), value: new Uint8Array(512 * 1_024 + 1) }),
  });

  it.each([
    { name: "throws", fire: throwing, details: ["Error: broken"] },
    { name: "asks to retry", fire: retry, details: [] },
    { name: "reschedules to the very same key", fire: samePlace, details: [] },
    {
      name: "reschedules to no time",
      fire: notATime,
      details: ["RangeError: The number NaN cannot be converted to a BigInt because it is not an integer"],
    },
    {
      name: "makes a batch the store refuses",
      fire: tooLarge,
      details: ["StoreError: invalid: the value is too long"],
    },
  ])("scenario 17: a handler that $name counts as failed and its row stays", async ({ fire, details }) => {
    const rig = new Rig();
    rig.put(row, timer(20, KIND_B));
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, fire), handler(KIND_B, done)] });
    expect(report).toMatchObject({ fired: 1, raced: 0, failed: 1, unknown: 0, nextWakeMs: NOW_MS + 5_000 });
    expect(rig.timers).toEqual([row]);
    expect(rig.store.get(mark(1).key)).toBe(null);
    expect(rig.events).toEqual(details.map((detail) => ({ kind: "timerFailed", timerKind: KIND_A, detail })));
  });

  it.each([
    { otherDueAtMs: 5_999, nextWakeMs: 5_999 },
    { otherDueAtMs: 6_001, nextWakeMs: 6_000 },
  ])("scenario 17: beside a timer due at $otherDueAtMs the next wake is $nextWakeMs", async (times) => {
    const rig = new Rig();
    rig.put(row, timer(times.otherDueAtMs, KIND_A));
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, retry)] });
    expect(report).toMatchObject({ fired: 0, failed: 1, nextWakeMs: times.nextWakeMs });
  });

  it("a reschedule moves the row with its new value and commits the handler's batch with it", async () => {
    const rig = new Rig();
    rig.put(row);
    const later: Fire = () => ({ kind: "reschedule", dueAtMs: 7_000, value: bytes("new"), batch: putting(mark(1)) });
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, later)] });
    expect(report).toMatchObject({ fired: 1, failed: 0, nextWakeMs: 7_000 });
    expect(rig.timers).toEqual([timer(7_000, KIND_A, "row", "new")]);
    expect(rig.store.get(mark(1).key)).toEqual(mark(1).value);
  });
});

describe("a timer that is due again at once", () => {
  const again: Fire = ({ value }) => ({ kind: "reschedule", dueAtMs: NOW_MS, value, batch: NOTHING_ELSE });
  const another: Fire = () => ({ kind: "done", batch: putting(timer(500, KIND_A, "other")) });

  it.each([
    { name: "moved to now", fire: again, left: timer(NOW_MS, KIND_A, "row") },
    { name: "put by a handler's batch, due in the past", fire: another, left: timer(500, KIND_A, "other") },
  ])("scenario 20: a timer written during the tick has a wake: $name", async ({ fire, left }) => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A, "row"));
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, fire)] });
    expect(rig.timers).toEqual([left]);
    expect(report).toMatchObject({ fired: 1, nextWakeMs: NOW_MS });
  });
});

describe("scenario 18: a row that changed while its handler ran", () => {
  it("scenario 18: a row whose value changed counts as raced and its batch is not applied", async () => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A, "row", "before"));
    const overtaken: Fire = async () => {
      await Promise.resolve();
      rig.put(timer(10, KIND_A, "row", "after"));
      return { kind: "done", batch: putting(mark(1)) };
    };
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, overtaken)] });
    expect(report).toMatchObject({ fired: 0, raced: 1, failed: 0, nextWakeMs: NOW_MS });
    expect(rig.timers).toEqual([timer(10, KIND_A, "row", "after")]);
    expect(rig.store.get(mark(1).key)).toBe(null);
  });

  it("scenario 18: a row that was removed is not put back", async () => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A));
    const removed: Fire = ({ value }) => {
      rig.store.apply({ preconditions: [], writes: [{ kind: "delete", key: timer(10, KIND_A).key }] });
      return { kind: "reschedule", dueAtMs: 2_000, value, batch: putting(mark(1)) };
    };
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, removed)] });
    expect(report).toMatchObject({ fired: 0, raced: 1, failed: 0, nextWakeMs: NOW_MS });
    expect(rig.timers).toEqual([]);
    expect(rig.store.get(mark(1).key)).toBe(null);
  });

  it("scenario 18: a row changed by an earlier row's handler is not fired by what it was", async () => {
    const rig = new Rig();
    rig.put(timer(10, KIND_A, "first"), timer(10, KIND_A, "second", "before"));
    const seen: string[] = [];
    const changing: Fire = ({ value }) => {
      seen.push(text(value));
      return { kind: "done", batch: putting(timer(10, KIND_A, "second", "after")) };
    };
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, changing)] });
    expect(report).toMatchObject({ fired: 1, raced: 1, nextWakeMs: NOW_MS });
    expect(seen).toEqual(["value"]);
    expect(rig.timers).toEqual([timer(10, KIND_A, "second", "after")]);
  });
});

describe("scenario 19: a kind's cap", () => {
  const rows: readonly Row[] = [
    timer(10, KIND_A, "1"),
    timer(11, KIND_A, "2"),
    timer(12, KIND_A, "3"),
    timer(13, KIND_B, "4"),
  ];

  it.each([
    { name: "the handler's", ofHandler: 2, maxPerKind: 32, fired: 3, left: ["3"] },
    { name: "the budget's", ofHandler: 1_000, maxPerKind: 2, fired: 3, left: ["3"] },
    { name: "the handler's zero counts as one", ofHandler: 0, maxPerKind: 32, fired: 2, left: ["2", "3"] },
    { name: "the budget's zero counts as one", ofHandler: 1_000, maxPerKind: 0, fired: 2, left: ["2", "3"] },
  ])("scenario 19: defers the rest of that kind and lets others run: $name", async (caps) => {
    const rig = new Rig();
    rig.put(...rows);
    const handlers = [handler(KIND_A, done, caps.ofHandler), handler(KIND_B, done)];
    const report = await rig.tick({ nowMs: NOW_MS, handlers, budget: { maxPerKind: caps.maxPerKind } });
    const left = rows.filter(({ key }) => caps.left.includes(text(key.slice(-1))));
    expect(report).toMatchObject({
      fired: caps.fired,
      deferred: left.length,
      stoppedOnBudget: false,
      nextWakeMs: NOW_MS,
    });
    expect(rig.timers).toEqual(left);
    expect(report.resumeAt).toEqual(left[0]?.key);
  });

  it("scenario 19: a deferral without progress waits 5,000 ms", async () => {
    const rig = new Rig();
    rig.put(...rows.slice(0, 2));
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, retry, 1)] });
    expect(report).toMatchObject({ fired: 0, failed: 1, deferred: 1, nextWakeMs: NOW_MS + 5_000 });
  });
});

describe("scenario 19: the tick's budgets", () => {
  const rows = ["1", "2", "3"].map((reference) => timer(10, KIND_A, reference));

  /** A firing that takes 100 ms, and then does what `fire` does. */
  function slow(rig: Rig, fire: Fire): Fire {
    return (firing) => {
      rig.clockMs += 100;
      return fire(firing);
    };
  }

  it.each([
    { name: "commits", budget: { maxCommits: 2 }, fired: 2 },
    { name: "rows", budget: { maxRows: 2 }, fired: 2 },
    { name: "elapsed time", budget: { maxElapsedMs: 101 }, fired: 2 },
    { name: "elapsed time, exactly", budget: { maxElapsedMs: 100 }, fired: 1 },
    { name: "zero commits, counted as one", budget: { maxCommits: 0 }, fired: 1 },
    { name: "zero rows, counted as one", budget: { maxRows: 0 }, fired: 1 },
  ])("scenario 19: $name stop the tick, and with progress the next wake is now", async ({ budget, fired }) => {
    const rig = new Rig();
    rig.put(...rows);
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, slow(rig, done))], budget });
    expect(report).toMatchObject({ fired, deferred: 0, scanned: fired, stoppedOnBudget: true, nextWakeMs: NOW_MS });
    expect(report.resumeAt).toEqual(rows[fired]?.key);
    expect(rig.timers).toEqual(rows.slice(fired));
  });

  it.each([
    { name: "rows", budget: { maxRows: 2 }, failed: 2 },
    { name: "elapsed time", budget: { maxElapsedMs: 100 }, failed: 1 },
  ])("scenario 19: $name stop the tick, and without progress the next wake is 5,000 ms away", async (limit) => {
    const rig = new Rig();
    rig.put(...rows);
    const handlers = [handler(KIND_A, slow(rig, retry))];
    const report = await rig.tick({ nowMs: NOW_MS, handlers, budget: limit.budget });
    expect(report).toMatchObject({ fired: 0, failed: limit.failed, stoppedOnBudget: true, nextWakeMs: NOW_MS + 5_000 });
    expect(report.resumeAt).toEqual(rows[limit.failed]?.key);
  });

  it("scenario 19: commits that were not made do not count against the budget", async () => {
    const rig = new Rig();
    rig.put(...rows);
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, retry)], budget: { maxCommits: 1 } });
    expect(report).toMatchObject({ fired: 0, failed: 3, stoppedOnBudget: false, nextWakeMs: NOW_MS + 5_000 });
  });

  it.each([{ maxRows: 1_000 }, { maxRows: 5_000 }])(
    "scenario 19: more due rows than one scan returns leave a next wake, with a budget of $maxRows rows",
    async (budget) => {
      const rig = new Rig();
      for (let index = 0; index < 1_001; index++) rig.put(timer(10, KIND_A, String(index).padStart(4, "0")));
      const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, retry)], budget });
      expect(report).toMatchObject({ fired: 0, stoppedOnBudget: true, nextWakeMs: NOW_MS + 5_000 });
    },
  );

  it("a budget that is just enough stops nothing", async () => {
    const rig = new Rig();
    rig.put(...rows);
    const budget = { maxCommits: 3, maxRows: 3, maxPerKind: 3, maxElapsedMs: 301 };
    const report = await rig.tick({ nowMs: NOW_MS, handlers: [handler(KIND_A, slow(rig, done))], budget });
    expect(report).toMatchObject({ fired: 3, deferred: 0, stoppedOnBudget: false, resumeAt: null, nextWakeMs: null });
    expect(rig.timers).toEqual([]);
  });

  it("the next tick begins where the last one left off, and comes around to the rows before it", async () => {
    const rig = new Rig();
    rig.put(...rows);
    const order: string[] = [];
    const fire: Fire = (firing) => {
      order.push(text(firing.timer.reference));
      return { kind: "retry" };
    };
    const handlers = [handler(KIND_A, fire)];
    const first = await rig.tick({ nowMs: NOW_MS, handlers, budget: { maxRows: 2 } });
    await rig.tick({ nowMs: NOW_MS, handlers, budget: { maxRows: 2 }, resumeAt: first.resumeAt });
    expect(order).toEqual(["1", "2", "3", "1"]);
  });
});
