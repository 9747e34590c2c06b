// A Durable Object that may lose its instance at any moment: its rows and alarm stay, its memory and what
// was not yet durable go. The alarm is the real one's (src/objects/object-alarm.ts), on simulated storage.
import type { StartDelay } from "../../src/core/clock.ts";
import type { Observe } from "../../src/core/events.ts";
import type { Key } from "../../src/core/keys.ts";
import type { Partition } from "../../src/core/partition.ts";
import { CommitPace } from "../../src/objects/commit-pace.ts";
import { ObjectAlarm } from "../../src/objects/object-alarm.ts";
import { RecentCalls } from "../../src/objects/recent-calls.ts";
import type { Flush } from "../../src/quota/commit-queue.ts";
import type { Batch, Row, Store } from "../../src/store/contract.ts";
import { DEFAULT_BUDGET } from "../../src/timers/budget.ts";
import { runDue } from "../../src/timers/engine.ts";
import { type TimerHandler, TimerRegistry } from "../../src/timers/registry.ts";
import { InstanceStore, type Fuse } from "./instance-store.ts";
import { allRows, SimulatedStorage, type Snapshot } from "./simulated-storage.ts";
import type { TimedEvent } from "./virtual-time.ts";
import type { World } from "./world.ts";

export const GONE = Symbol("the instance is gone");

/** What an instance's quota code runs on. */
export interface Runtime {
  readonly store: Store;
  readonly clock: () => number;
  readonly flush: Flush;
  readonly startDelay: StartDelay;
  readonly observe: Observe;
  readonly isAlive: () => boolean;
}

interface Timed {
  readonly timer: TimerHandler;
}

export interface Instance<Quota> {
  readonly number: number;
  readonly quota: Quota;
  readonly calls: RecentCalls;
  /** Until the alarm is known nothing else runs. */
  readonly ready: Promise<void>;
  readonly died: Promise<typeof GONE>;
  readonly die: () => void;
  readonly store: InstanceStore;
  readonly alarm: ObjectAlarm;
  isAlive: boolean;
  isTicking: boolean;
  resumeAt: Key | null;
}

export interface ObjectOptions<Quota> {
  readonly world: World;
  readonly partition: Partition;
  readonly open: (runtime: Runtime) => Quota;
  /** Sees each batch with the values that it found. */
  readonly committed: (batch: Batch, before: readonly (Uint8Array | null)[]) => void;
}

const MAX_ALARM_RETRY_MS = 2_000;
const MAX_EARLY_MS = 3_000;

export class FaultyObject<Quota extends Timed> {
  readonly partition: Partition;
  readonly storage: SimulatedStorage;
  /** How far this object's clock is from the true time. */
  offsetMs = 0;
  readonly #options: ObjectOptions<Quota>;
  readonly #world: World;
  #instance: Instance<Quota> | null = null;
  #instances = 0;
  #alarmEvent: TimedEvent | null = null;

  constructor(options: ObjectOptions<Quota>) {
    this.#options = options;
    this.#world = options.world;
    this.partition = options.partition;
    this.storage = new SimulatedStorage(options.partition, {
      clock: this.clock,
      afterWrite: (becomeDurable) => void this.#world.time.after(this.#world.flushMs(), becomeDurable),
      alarmChanged: () => this.#scheduleAlarm(),
    });
  }

  readonly clock = (): number => this.#world.nowMs + this.offsetMs;

  get rows(): readonly Row[] {
    return allRows(this.storage.rows);
  }

  get isTicking(): boolean {
    return this.#instance?.isTicking ?? false;
  }

  /** Runs a call on the object's instance; GONE when the instance does not live to answer it. */
  async handle<Answer>(work: (instance: Instance<Quota>) => Promise<Answer>): Promise<Answer | typeof GONE> {
    const instance = this.#wake();
    await instance.ready;
    if (!instance.isAlive) return GONE;
    try {
      // No answer leaves an object before what it wrote is durable: the platform's output gate.
      const gated = work(instance).then(async (result) => {
        await this.storage.flush();
        return result;
      });
      const answer = await Promise.race([gated, instance.died]);
      return instance.isAlive ? answer : GONE;
    } catch (error) {
      this.#world.expect(!instance.isAlive, "fault", () => `a call threw ${String(error)}`);
      return GONE;
    }
  }

  /** The instance is gone, with a random part of what it had written and not made durable. */
  crash(): void {
    this.#world.count("crash");
    this.#forgetInstance();
    this.storage.crash(this.#world.random.integer(0, this.storage.pendingSteps));
    this.#scheduleAlarm();
  }

  /** The next instance to come along crashes at one of its next batches, before or after it. */
  lightFuse(fuse: Fuse): void {
    this.#wake().store.fuse = fuse;
  }

  /** Back to an earlier state, with the alarm of then or with none. */
  restore(snapshot: Snapshot): void {
    this.#world.count("restore");
    const alarmMs = this.#world.random.pick([snapshot.alarmMs, null]);
    this.#forgetInstance();
    this.storage.restore({ rows: snapshot.rows, alarmMs });
    this.#wake();
    this.#scheduleAlarm();
  }

  stepClock(offsetMs: number): void {
    this.#world.count("clockStep");
    this.offsetMs = offsetMs;
    this.#scheduleAlarm();
  }

  /** Faults are over: a late alarm comes when it is due. */
  settle(): void {
    if (this.#instance !== null) this.#instance.store.fuse = null;
    this.#scheduleAlarm();
  }

  #forgetInstance(): void {
    this.#instance?.die();
    this.#instance = null;
  }

  #wake(): Instance<Quota> {
    this.#instance ??= this.#construct();
    return this.#instance;
  }

  #construct(): Instance<Quota> {
    const world = this.#world;
    const { promise: died, resolve } = Promise.withResolvers<typeof GONE>();
    const isAlive = (): boolean => instance.isAlive;
    const store = new InstanceStore({
      storage: this.storage,
      isAlive,
      failsWrite: () => world.happens("failedWrite"),
      crash: () => this.crash(),
      committed: this.#options.committed,
    });
    const observe: Observe = (event) => world.count(`event ${event.kind}`);
    const alarm = new ObjectAlarm({
      storage: this.#alarmStorage(isAlive),
      store,
      clock: this.clock,
      startDelay: world.time.startDelay,
      observe,
    });
    const pace = new CommitPace();
    const flush = (decisions: number): Promise<void> => {
      if (!isAlive()) return Promise.withResolvers<void>().promise;
      return pace.waitsFor(decisions) ? this.storage.flush() : Promise.resolve();
    };
    const quota = this.#options.open({
      store: alarm.watched(),
      clock: this.clock,
      flush,
      startDelay: world.time.startDelay,
      observe,
      isAlive,
    });
    const instance: Instance<Quota> = {
      number: ++this.#instances,
      quota,
      calls: new RecentCalls(),
      ready: Promise.resolve().then(() => (isAlive() ? alarm.load() : undefined)),
      died,
      die: () => {
        instance.isAlive = false;
        resolve(GONE);
      },
      store,
      alarm,
      isAlive: true,
      isTicking: false,
      resumeAt: null,
    };
    instance.ready.catch(() => undefined);
    return instance;
  }

  /** The part of the platform's storage that an alarm uses. */
  #alarmStorage(isAlive: () => boolean): DurableObjectStorage {
    const set = async (atMs: number | null): Promise<void> => {
      if (isAlive()) this.storage.setAlarm(atMs);
    };
    return {
      getAlarm: async () => this.storage.alarmMs,
      setAlarm: set,
      deleteAlarm: () => set(null),
    } as unknown as DurableObjectStorage;
  }

  #scheduleAlarm(): void {
    if (this.#alarmEvent !== null) this.#alarmEvent.action = null;
    this.#alarmEvent = null;
    const { alarmMs } = this.storage;
    if (alarmMs === null || this.isTicking) return;
    const world = this.#world;
    let atMs = alarmMs - this.offsetMs;
    if (atMs < world.nowMs) atMs = world.nowMs + world.random.integer(1, MAX_ALARM_RETRY_MS);
    if (world.happens("lateAlarm")) atMs += world.random.integer(1, world.plan.settings.rollupMs);
    else if (world.happens("earlyAlarm")) atMs -= world.random.integer(1, MAX_EARLY_MS);
    this.#alarmEvent = world.time.at(Math.max(atMs, world.nowMs + 1), () => void this.#deliverAlarm());
  }

  async #deliverAlarm(): Promise<void> {
    const instance = this.#wake();
    instance.isTicking = true;
    this.#world.count("alarm");
    try {
      await instance.ready;
      if (instance.isAlive) await this.#tick(instance);
      if (instance.isAlive && this.#world.happens("doubledAlarm")) await this.#tick(instance);
    } catch (error) {
      this.#world.expect(!instance.isAlive, "fault", () => `an alarm threw ${String(error)}`);
    }
    instance.isTicking = false;
    if (instance.isAlive) this.#scheduleAlarm();
  }

  /** As src/objects/partition-host.ts does it. */
  async #tick(instance: Instance<Quota>): Promise<void> {
    this.storage.takeAlarm();
    instance.alarm.beginTick();
    const report = await runDue({
      store: instance.store,
      partition: this.partition,
      registry: new TimerRegistry([instance.quota.timer]),
      clock: this.clock,
      nowMs: this.clock(),
      budget: DEFAULT_BUDGET,
      resumeAt: instance.resumeAt,
      observe: (event) => this.#world.count(`event ${event.kind}`),
    });
    if (!instance.isAlive) return;
    instance.resumeAt = report.resumeAt;
    instance.alarm.endTick(report.nextWakeMs);
    this.storage.endAlarm();
  }
}
