// The object's one alarm, kept where its timers need it. It mirrors what it last set, because reading
// the alarm is asynchronous and the decision must stand in one block with the write it follows. What could
// not be set is not known any more, and is repaired from the stored timers.
import type { Clock, StartDelay } from "../core/clock.ts";
import type { Observe } from "../core/events.ts";
import type { Batch, BatchOutcome, Store, Write } from "../store/contract.ts";
import { MAX_TIME_MS } from "../core/window.ts";
import { alarmAfterCommit, alarmAfterTick, type AlarmTime, earliestPutTimer } from "../timers/alarm.ts";
import { RETRY_DELAY_MS } from "../timers/budget.ts";
import { earliestTimer } from "../timers/engine.ts";

/** The latest time that the platform takes for an alarm, in the year 2262: 2^63 ns. */
const LAST_ALARM_MS = 9_223_372_036_854;

const REPAIR_DELAY_MS = 1_000;

export interface AlarmDependencies {
  readonly storage: DurableObjectStorage;
  /** The object's timers. */
  readonly store: Store;
  readonly clock: Clock;
  readonly startDelay: StartDelay;
  readonly observe: Observe;
}

export class ObjectAlarm {
  readonly #dependencies: AlarmDependencies;
  #armedMs: AlarmTime = null;
  #timerWritten = false;
  #isTicking = false;

  constructor(dependencies: AlarmDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Learns what is set, and repairs it: timers without an alarm, as after a restore, or with one that has
   * passed or would come too late for them, get theirs. An alarm that will do is left alone.
   */
  async load(): Promise<void> {
    const { storage, store, clock } = this.#dependencies;
    this.#armedMs = await storage.getAlarm();
    const dueMs = earliestTimer(store);
    const nowMs = clock();
    if (dueMs === null) return;
    const latestMs = Math.max(dueMs, nowMs + RETRY_DELAY_MS);
    if (this.#armedMs !== null && this.#armedMs > nowMs && this.#armedMs <= latestMs) return;
    this.#set(alarmAfterTick({ nowMs, nextWakeMs: dueMs, armedMs: null, timerWritten: false }));
  }

  /** The store, with the alarm moved for every timer that a batch puts. */
  watched(): Store {
    const { store } = this.#dependencies;
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
    this.#isTicking = true;
  }

  endTick(nextWakeMs: AlarmTime): void {
    const end = {
      nowMs: this.#dependencies.clock(),
      nextWakeMs,
      armedMs: this.#armedMs,
      timerWritten: this.#timerWritten,
    };
    this.#isTicking = false;
    this.#set(alarmAfterTick(end));
  }

  #afterCommit(writes: readonly Write[]): void {
    if (earliestPutTimer(writes) === null) return;
    this.#timerWritten = true;
    const nowMs = this.#dependencies.clock();
    const wanted = alarmAfterCommit(writes, this.#armedMs, nowMs);
    // A tick has timers that are due: should the instance die in it, they must not wait for a later alarm.
    const latestMs = this.#isTicking ? nowMs + RETRY_DELAY_MS : MAX_TIME_MS;
    this.#set(wanted === null ? null : Math.min(wanted, latestMs));
  }

  // Neither call is awaited: both take effect in order with the writes around them, and the output
  // gate holds answers back until all of it is durable.
  #set(atMs: AlarmTime): void {
    const wanted = atMs === null ? null : Math.min(atMs, LAST_ALARM_MS);
    if (wanted === this.#armedMs) return;
    this.#armedMs = wanted;
    const { storage } = this.#dependencies;
    const isSet = wanted === null ? storage.deleteAlarm() : storage.setAlarm(wanted);
    isSet.catch((error: unknown) => this.#repair(error));
  }

  /** Tries again until the alarm stands, a while later each time; another instance does so as it begins. */
  async #repair(error: unknown): Promise<void> {
    this.#dependencies.observe({ kind: "tickFailed", detail: `the alarm could not be set: ${String(error)}` });
    this.#armedMs = null;
    await this.#dependencies.startDelay(REPAIR_DELAY_MS).passed;
    await this.load().catch((failure: unknown) => this.#repair(failure));
  }
}
