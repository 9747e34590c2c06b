import { describe, expect, it } from "vitest";
import type { Write } from "../../src/store/contract.ts";
import { alarmAfterCommit, alarmAfterTick, earliestPutTimer, type TickEnd } from "../../src/timers/alarm.ts";
import { shortTimer, timer } from "./rig.ts";

const LAST_TIME_MS = 8.64e15;
const KIND = 0xf0;

function afterTickAt100(end: Partial<TickEnd>): number | null {
  return alarmAfterTick({ nowMs: 100, nextWakeMs: null, armedMs: null, timerWritten: false, ...end });
}

function putTimer(dueAtMs: number): Write {
  return { kind: "put", ...timer(dueAtMs, KIND) };
}

function deleteTimer(dueAtMs: number): Write {
  return { kind: "delete", key: timer(dueAtMs, KIND).key };
}

describe("scenario 20: the alarm after a tick", () => {
  it.each([
    { name: "a wake in the past is strictly after now", end: { nextWakeMs: 90 }, alarm: 101 },
    { name: "a wake at now is strictly after now", end: { nextWakeMs: 100 }, alarm: 101 },
    { name: "a wake in the future stands", end: { nextWakeMs: 200 }, alarm: 200 },
    { name: "no wake deletes the alarm", end: {}, alarm: null },
    { name: "a timer written during the tick is looked at again", end: { timerWritten: true }, alarm: 101 },
    {
      name: "a timer written during the tick beats a later wake",
      end: { nextWakeMs: 200, timerWritten: true },
      alarm: 101,
    },
    {
      name: "an alarm armed meanwhile for an earlier time is kept",
      end: { nextWakeMs: 200, armedMs: 150 },
      alarm: 150,
    },
    { name: "an alarm armed meanwhile for a later time gives way", end: { nextWakeMs: 200, armedMs: 250 }, alarm: 200 },
    { name: "an alarm armed meanwhile is kept when nothing else wakes", end: { armedMs: 150 }, alarm: 150 },
    { name: "an alarm armed meanwhile that has passed is moved", end: { nextWakeMs: 200, armedMs: 100 }, alarm: 101 },
    { name: "the last time stands", end: { nextWakeMs: LAST_TIME_MS }, alarm: LAST_TIME_MS },
    { name: "a time past the last is clamped to it", end: { nextWakeMs: LAST_TIME_MS + 2 }, alarm: LAST_TIME_MS },
    { name: "the end of u64 is clamped to the last time", end: { nextWakeMs: 2 ** 64 }, alarm: LAST_TIME_MS },
    { name: "now at the last time is clamped to it", end: { nowMs: LAST_TIME_MS, nextWakeMs: 1 }, alarm: LAST_TIME_MS },
  ])("scenario 20: $name", ({ end, alarm }) => {
    expect(afterTickAt100(end)).toBe(alarm);
  });
});

describe("scenario 21: the alarm after a commit", () => {
  const writes = [putTimer(900), putTimer(500), deleteTimer(100)];

  it.each([
    { name: "the earliest timer that was put", writes, armedMs: null, alarm: 500 },
    { name: "moved earlier", writes, armedMs: 600, alarm: 500 },
    { name: "never moved later", writes, armedMs: 300, alarm: 300 },
    { name: "a time in the past becomes now", writes: [putTimer(50)], armedMs: null, alarm: 200 },
    { name: "a time in the past leaves an earlier alarm", writes: [putTimer(50)], armedMs: 150, alarm: 150 },
    { name: "a delete alone leaves it", writes: [deleteTimer(100)], armedMs: 300, alarm: 300 },
    { name: "a delete alone arms nothing", writes: [deleteTimer(100)], armedMs: null, alarm: null },
    { name: "a row that is no timer arms nothing", writes: [put(shortTimer(500))], armedMs: null, alarm: null },
    { name: "a time past the last is clamped to it", writes: [putTimer(9e15)], armedMs: null, alarm: LAST_TIME_MS },
  ])("scenario 21: $name", ({ writes: committed, armedMs, alarm }) => {
    expect(alarmAfterCommit(committed, armedMs, 200)).toBe(alarm);
  });

  it("scenario 21: of a batch's writes only puts of timers count", () => {
    expect(earliestPutTimer(writes)).toBe(500);
    expect(earliestPutTimer([deleteTimer(100), put(shortTimer(50))])).toBe(null);
  });
});

function put(row: { key: Write["key"]; value: Uint8Array }): Write {
  return { kind: "put", ...row };
}
