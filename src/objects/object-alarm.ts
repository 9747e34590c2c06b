// The object's one alarm, kept where its timers need it. It mirrors what it last set, because reading
// the alarm is asynchronous and the decision must stand in one block with the write it follows.
import type { Clock } from "../core/clock.ts";
import type { Batch, BatchOutcome, Store, Write } from "../store/contract.ts";
import { alarmAfterCommit, alarmAfterTick, type AlarmTime, earliestPutTimer } from "../timers/alarm.ts";
import { earliestTimer } from "../timers/engine.ts";

/** The latest time that the platform takes for an alarm, in the year 2262: 2^63 ns. */
const LAST_ALARM_MS = 9_223_372_036_854;

export class ObjectAlarm {
  readonly #storage: DurableObjectStorage;
  readonly #clock: Clock;
  #armedMs: AlarmTime = null;
  #timerWritten = false;

  constructor(storage: DurableObjectStorage, clock: Clock) {
    this.#storage = storage;
    this.#clock = clock;
  }

  /**
   * Learns what is set, and repairs it: timers without an alarm, as after a restore, or with one that has
   * passed, get theirs. A pending alarm is left alone.
   */
  async load(store: Store): Promise<void> {
    this.#armedMs = await this.#storage.getAlarm();
    const dueMs = earliestTimer(store);
    const nowMs = this.#clock();
    const isStanding = this.#armedMs !== null && this.#armedMs > nowMs;
    if (dueMs === null || isStanding) return;
    this.#set(alarmAfterTick({ nowMs, nextWakeMs: dueMs, armedMs: null, timerWritten: false }));
  }

  /** The store, with the alarm moved for every timer that a batch puts. */
  watch(store: Store): Store {
    return {
      get: (key) => store.get(key),
      getMany: (keys) => store.getMany(keys),
      scan: (range, options) => store.scan(range, options),
      stats: (range) => store.stats(range),
      apply: (batch: Batch, alongside?: () => void): BatchOutcome => {
        const outcome = store.apply(batch, alongside);
        if (outcome.kind === "committed") this.#afterCommit(batch.writes);
        return outcome;
      },
    };
  }

  /** The platform has taken the alarm to deliver it. */
  beginTick(): void {
    this.#armedMs = null;
    this.#timerWritten = false;
  }

  endTick(nextWakeMs: AlarmTime): void {
    const end = { nowMs: this.#clock(), nextWakeMs, armedMs: this.#armedMs, timerWritten: this.#timerWritten };
    this.#set(alarmAfterTick(end));
  }

  #afterCommit(writes: readonly Write[]): void {
    if (earliestPutTimer(writes) === null) return;
    this.#timerWritten = true;
    this.#set(alarmAfterCommit(writes, this.#armedMs, this.#clock()));
  }

  // Neither call is awaited: both take effect in order with the writes around them, and the output
  // gate holds answers back until all of it is durable.
  #set(atMs: AlarmTime): void {
    const wanted = atMs === null ? null : Math.min(atMs, LAST_ALARM_MS);
    if (wanted === this.#armedMs) return;
    this.#armedMs = wanted;
    void (wanted === null ? this.#storage.deleteAlarm() : this.#storage.setAlarm(wanted));
  }
}
