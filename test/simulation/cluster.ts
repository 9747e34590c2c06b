// A namespace's objects in virtual time: the real quota code, engine and alarm arithmetic over memory
// stores. Tests decide when time passes, what the link between shards and coordinator does, and when an
// object loses its memory.
import type { Delay } from "../../src/core/clock.ts";
import type { QuotaEvent } from "../../src/core/events.ts";
import { encodePartition, type Partition, type RefPartition } from "../../src/core/partition.ts";
import type { QuotaSettings } from "../../src/core/settings.ts";
import { NamespaceQuota } from "../../src/quota/namespace-quota.ts";
import type { Push, PushResult } from "../../src/quota/protocol.ts";
import { ShardQuota } from "../../src/quota/shard-quota.ts";
import { ALL_ROWS, MAX_SCAN_ROWS, type Row, type Store } from "../../src/store/contract.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { alarmAfterCommit, alarmAfterTick, earliestPutTimer } from "../../src/timers/alarm.ts";
import { DEFAULT_BUDGET } from "../../src/timers/budget.ts";
import { earliestTimer, runDue } from "../../src/timers/engine.ts";
import { type TimerHandler, TimerRegistry } from "../../src/timers/registry.ts";

/** What the network does with a push; `deliver` hands it to the coordinator. */
export type Link = (push: Push, deliver: () => Promise<PushResult>) => Promise<PushResult>;

const NS = "root";

interface Waiting {
  readonly atMs: number;
  readonly resolve: () => void;
}

/** One object: its rows and alarm survive, its quota instance is memory and does not. */
export class SimulatedObject<Quota extends { readonly timer: TimerHandler }> {
  readonly partition: Partition;
  readonly rows: MemoryStore;
  alarmMs: number | null = null;
  alarms = 0;
  quota: Quota;
  readonly #cluster: Cluster;
  readonly #open: (store: Store) => Quota;
  #timerWritten = false;

  constructor(cluster: Cluster, partition: Partition, open: (store: Store) => Quota) {
    this.partition = partition;
    this.#cluster = cluster;
    this.rows = new MemoryStore(partition, () => cluster.nowMs);
    this.#open = open;
    this.quota = open(this.#watched());
  }

  /** The instance is gone; a new one begins from what is stored, and repairs its alarm. */
  restart(): void {
    this.quota = this.#open(this.#watched());
    const dueMs = earliestTimer(this.rows);
    if (dueMs !== null) this.alarmMs = Math.max(dueMs, this.#cluster.nowMs + 1);
  }

  async runAlarm(): Promise<void> {
    const { nowMs } = this.#cluster;
    this.alarms++;
    this.alarmMs = null;
    this.#timerWritten = false;
    const report = await runDue({
      store: this.rows,
      partition: this.partition,
      registry: new TimerRegistry([this.quota.timer]),
      clock: () => this.#cluster.nowMs,
      nowMs,
      budget: DEFAULT_BUDGET,
      resumeAt: null,
      observe: this.#cluster.observe,
    });
    const end = { nextWakeMs: report.nextWakeMs, armedMs: this.alarmMs, timerWritten: this.#timerWritten };
    this.alarmMs = alarmAfterTick({ nowMs: this.#cluster.nowMs, ...end });
  }

  get allRows(): readonly Row[] {
    return this.rows.scan(ALL_ROWS, { limit: MAX_SCAN_ROWS }).rows;
  }

  #watched(): Store {
    const { rows } = this;
    return {
      get: (key) => rows.get(key),
      getMany: (keys) => rows.getMany(keys),
      scan: (range, options) => rows.scan(range, options),
      stats: (range) => rows.stats(range),
      apply: (batch) => {
        const outcome = rows.apply(batch);
        if (outcome.kind === "committed" && earliestPutTimer(batch.writes) !== null) {
          this.#timerWritten = true;
          this.alarmMs = alarmAfterCommit(batch.writes, this.alarmMs, this.#cluster.nowMs);
        }
        return outcome;
      },
    };
  }
}

export class Cluster {
  nowMs: number;
  link: Link = (_push, deliver) => deliver();
  readonly settings: QuotaSettings;
  readonly events: QuotaEvent[] = [];
  readonly coordinator: SimulatedObject<NamespaceQuota>;
  readonly shards = new Map<string, SimulatedObject<ShardQuota>>();
  #waiting: Waiting[] = [];

  constructor(settings: QuotaSettings, nowMs = 0) {
    this.settings = settings;
    this.nowMs = nowMs;
    this.coordinator = new SimulatedObject(
      this,
      { kind: "coordinator", ns: NS },
      (store) => new NamespaceQuota({ store, settings, clock: this.clock, flush: noFlush, observe: this.observe }),
    );
  }

  readonly clock = (): number => this.nowMs;

  readonly observe = (event: QuotaEvent): void => {
    this.events.push(event);
  };

  shard(ref: string, repo = "room"): SimulatedObject<ShardQuota> {
    const name = `${repo}\n${ref}`;
    const known = this.shards.get(name);
    if (known !== undefined) return known;
    const partition: RefPartition = { kind: "ref", ns: NS, repo, ref };
    const shard = new SimulatedObject(this, partition, (store) => this.#openShard(store, partition));
    this.shards.set(name, shard);
    return shard;
  }

  get objects(): readonly SimulatedObject<ShardQuota | NamespaceQuota>[] {
    return [this.coordinator, ...this.shards.values()];
  }

  /** Lets time pass; alarms and delays that fall due on the way happen in order. */
  async advanceTo(untilMs: number): Promise<void> {
    for (;;) {
      await untilQuiet();
      const nextMs = Math.min(...this.#waiting.map(({ atMs }) => atMs), ...this.#alarmTimes());
      if (nextMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, nextMs);
      this.#passDelays();
      for (const object of this.objects) {
        if (object.alarmMs !== null && object.alarmMs <= this.nowMs) await object.runAlarm();
      }
      this.#removeEmptied();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  async advanceBy(ms: number): Promise<void> {
    await this.advanceTo(this.nowMs + ms);
  }

  #openShard(store: Store, partition: RefPartition): ShardQuota {
    return new ShardQuota({
      store,
      settings: this.settings,
      clock: this.clock,
      startDelay: this.#startDelay,
      flush: noFlush,
      observe: this.observe,
      source: encodePartition(partition),
      coordinator: { push: (push) => this.link(push, () => this.coordinator.quota.push(push)) },
    });
  }

  readonly #startDelay = (ms: number): Delay => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { atMs: this.nowMs + ms, resolve };
    this.#waiting.push(waiting);
    const cancel = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
    };
    return { passed: promise, cancel };
  };

  #passDelays(): void {
    const passed = this.#waiting.filter(({ atMs }) => atMs <= this.nowMs);
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > this.nowMs);
    for (const { resolve } of passed) resolve();
  }

  /** An object that holds nothing is gone, as in the runtime; a charge makes it again. */
  #removeEmptied(): void {
    for (const [name, shard] of this.shards) {
      if (shard.alarmMs === null && shard.allRows.length === 0) this.shards.delete(name);
    }
  }

  #alarmTimes(): readonly number[] {
    return this.objects.flatMap(({ alarmMs }) => (alarmMs === null ? [] : [alarmMs]));
  }
}

/** Everything that can go on without time passing has. */
export function untilQuiet(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function noFlush(): Promise<void> {}
