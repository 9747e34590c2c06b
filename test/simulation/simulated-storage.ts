// An object's storage as the platform keeps it: writes that no await separates become durable together,
// in order and some time later, the alarm with them. A crash keeps a beginning of what was not yet
// durable and loses the rest.
// https://developers.cloudflare.com/durable-objects/api/storage-api/
import { toBinaryText } from "../../src/core/bytes.ts";
import type { Partition } from "../../src/core/partition.ts";
import { ALL_ROWS, MAX_BATCH_OPERATIONS, MAX_SCAN_ROWS, type Row, type Write } from "../../src/store/contract.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import type { AlarmTime } from "../../src/timers/alarm.ts";

export interface Snapshot {
  readonly rows: readonly Row[];
  readonly alarmMs: AlarmTime;
}

/** What was written in one go. `alarmMs` of undefined leaves the alarm as it was. */
interface Step {
  readonly writes: Write[];
  alarmMs: AlarmTime | undefined;
  isClosed: boolean;
}

export interface StorageRuntime {
  readonly clock: () => number;
  /** Calls back when a write that is made now is durable. */
  readonly afterWrite: (becomeDurable: () => void) => void;
  readonly alarmChanged: () => void;
}

export class SimulatedStorage {
  /** As the living instance sees it. */
  rows: MemoryStore;
  alarmMs: AlarmTime = null;
  readonly #partition: Partition;
  readonly #runtime: StorageRuntime;
  /** By key, as text of one character a byte. */
  #durable = new Map<string, Row>();
  #durableAlarmMs: AlarmTime = null;
  #pending: Step[] = [];
  #waiting: { readonly step: Step; readonly resolve: () => void }[] = [];

  constructor(partition: Partition, runtime: StorageRuntime) {
    this.#partition = partition;
    this.#runtime = runtime;
    this.rows = new MemoryStore(partition, runtime.clock);
  }

  /** To be called in the block that made the writes. */
  record(writes: readonly Write[]): void {
    this.#openStep().writes.push(...writes);
  }

  setAlarm(atMs: AlarmTime): void {
    this.#openStep().alarmMs = atMs;
    this.alarmMs = atMs;
    this.#runtime.alarmChanged();
  }

  /** The alarm is being delivered: nobody sees it any more, but a crash brings it back. */
  takeAlarm(): void {
    this.alarmMs = null;
  }

  /** The alarm was handled; unless it was set anew it is gone. */
  endAlarm(): void {
    if (this.alarmMs === null) this.#openStep().alarmMs = null;
  }

  /** Resolves when everything written so far is durable; never, when it is lost. */
  flush(): Promise<void> {
    const step = this.#pending.at(-1);
    if (step === undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ step, resolve });
    return promise;
  }

  get pendingSteps(): number {
    return this.#pending.length;
  }

  /** Only the first `kept` of the steps that are not durable survive. */
  crash(kept: number): void {
    for (const step of this.#pending.filter(({ isClosed }) => isClosed).slice(0, kept)) this.#apply(step);
    this.#pending = [];
    this.#waiting = [];
    this.rows = this.#storeOf([...this.#durable.values()]);
    this.alarmMs = this.#durableAlarmMs;
  }

  /** What is durable. */
  snapshot(): Snapshot {
    return { rows: [...this.#durable.values()], alarmMs: this.#durableAlarmMs };
  }

  restore(snapshot: Snapshot): void {
    this.#durable = new Map(snapshot.rows.map((row) => [toBinaryText(row.key), row]));
    this.#durableAlarmMs = snapshot.alarmMs;
    this.crash(0);
  }

  #openStep(): Step {
    const last = this.#pending.at(-1);
    if (last !== undefined && !last.isClosed) return last;
    const step: Step = { writes: [], alarmMs: undefined, isClosed: false };
    this.#pending.push(step);
    queueMicrotask(() => {
      step.isClosed = true;
      if (this.#pending.includes(step)) this.#runtime.afterWrite(() => this.#becomeDurable(step));
    });
    return step;
  }

  /** A step never becomes durable before an earlier one, however long that takes. */
  #becomeDurable(step: Step): void {
    const upTo = this.#pending.indexOf(step);
    for (const earlier of this.#pending.splice(0, upTo + 1)) {
      this.#apply(earlier);
      for (const waiting of this.#waiting) if (waiting.step === earlier) waiting.resolve();
      this.#waiting = this.#waiting.filter((waiting) => waiting.step !== earlier);
    }
  }

  #apply(step: Step): void {
    for (const write of step.writes) {
      if (write.kind === "put") this.#durable.set(toBinaryText(write.key), { key: write.key, value: write.value });
      else this.#durable.delete(toBinaryText(write.key));
    }
    if (step.alarmMs !== undefined) this.#durableAlarmMs = step.alarmMs;
  }

  #storeOf(rows: readonly Row[]): MemoryStore {
    const store = new MemoryStore(this.#partition, this.#runtime.clock);
    for (let from = 0; from < rows.length; from += MAX_BATCH_OPERATIONS) {
      const writes = rows.slice(from, from + MAX_BATCH_OPERATIONS).map((row) => ({ kind: "put", ...row }) as const);
      store.apply({ preconditions: [], writes });
    }
    return store;
  }
}

export function allRows(store: MemoryStore): readonly Row[] {
  return store.scan(ALL_ROWS, { limit: MAX_SCAN_ROWS }).rows;
}
