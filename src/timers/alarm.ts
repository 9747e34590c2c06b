// When the object's one alarm must stand, as arithmetic: the platform's traps are decided here, in
// functions that run without it.
//
//  - `setAlarm` replaces the alarm, so a commit may only ever move it earlier.
//  - An alarm set from inside `alarm()` for a time that is not in the future may never come, so after
//    a tick it is set strictly after now.
//    https://developers.cloudflare.com/durable-objects/api/alarms/
import { decodeTimerKey } from "../core/keys.ts";
import { MAX_TIME_MS } from "../core/window.ts";
import type { Write } from "../store/contract.ts";

/** Unix ms; null means no alarm. */
export type AlarmTime = number | null;

export interface TickEnd {
  readonly nowMs: number;
  readonly nextWakeMs: AlarmTime;
  /** What the alarm is set to as the tick ends; it was null when the tick began. */
  readonly armedMs: AlarmTime;
  /** A timer was committed by somebody else while the tick was waiting; the tick may have missed it. */
  readonly timerWritten: boolean;
}

/** Where the alarm belongs after a tick. */
export function alarmAfterTick(end: TickEnd): AlarmTime {
  const soonest = end.nowMs + 1;
  const wakes = [end.nextWakeMs, end.armedMs, end.timerWritten ? soonest : null].filter((wake) => wake !== null);
  if (wakes.length === 0) return null;
  return Math.min(Math.max(Math.min(...wakes), soonest), MAX_TIME_MS);
}

/** Where the alarm belongs after a batch was committed outside a tick: never later than it stood. */
export function alarmAfterCommit(writes: readonly Write[], armedMs: AlarmTime, nowMs: number): AlarmTime {
  const due = earliestPutTimer(writes);
  if (due === null) return armedMs;
  const wanted = Math.min(Math.max(due, nowMs), MAX_TIME_MS);
  return armedMs === null ? wanted : Math.min(wanted, armedMs);
}

export function earliestPutTimer(writes: readonly Write[]): AlarmTime {
  let earliest: AlarmTime = null;
  for (const write of writes) {
    const timer = write.kind === "put" ? decodeTimerKey(write.key) : null;
    if (timer !== null) earliest = Math.min(timer.dueAtMs, earliest ?? Number.POSITIVE_INFINITY);
  }
  return earliest;
}
