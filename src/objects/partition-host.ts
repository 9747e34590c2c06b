// The runtime around one partition: its storage, its alarm, its timers. Both object classes are wiring
// on top of it.
import type { Clock } from "../core/clock.ts";
import type { Observe } from "../core/events.ts";
import type { Key } from "../core/keys.ts";
import type { Partition } from "../core/partition.ts";
import type { Store } from "../store/contract.ts";
import { DEFAULT_BUDGET, RETRY_DELAY_MS } from "../timers/budget.ts";
import { runDue } from "../timers/engine.ts";
import { type TimerHandler, TimerRegistry } from "../timers/registry.ts";
import { CommitPace } from "./commit-pace.ts";
import { startDelay } from "./delay.ts";
import type { QuotaEnv } from "./env.ts";
import { readIdentity } from "./identity.ts";
import { ObjectAlarm } from "./object-alarm.ts";
import { SqliteStore, storeError } from "./sqlite-store.ts";
import { observer } from "./telemetry.ts";

export class PartitionHost {
  readonly partition: Partition;
  /** Every timer that is put through it moves the alarm. */
  readonly store: Store;
  readonly clock: Clock = Date.now;
  readonly observe: Observe;
  readonly #storage: DurableObjectStorage;
  readonly #rows: SqliteStore;
  readonly #alarm: ObjectAlarm;
  readonly #pace = new CommitPace();
  #resumeAt: Key | null = null;

  /** Throws for an object that is neither stored nor reached by one of our names. */
  constructor(ctx: DurableObjectState, env: QuotaEnv) {
    const partition = readIdentity(ctx);
    if (partition === null) throw new Error("this object was not reached by a partition's name");
    this.partition = partition;
    this.observe = observer(partition, env.QUOTA_METRICS);
    this.#storage = ctx.storage;
    this.#rows = new SqliteStore(ctx.storage, partition, this.clock);
    this.#alarm = new ObjectAlarm({
      storage: ctx.storage,
      store: this.#rows,
      clock: this.clock,
      startDelay,
      observe: this.observe,
    });
    this.store = this.#alarm.watched();
    void ctx.blockConcurrencyWhile(() => this.#alarm.load());
  }

  /** Waits for a commit where others may come meanwhile. Throws as `sync` does. */
  readonly flush = async (decisions: number): Promise<void> => {
    if (this.#pace.waitsFor(decisions)) await this.sync();
  };

  /** Until everything written is durable. Throws StoreError: whether it is stored is then not known. */
  readonly sync = async (): Promise<void> => {
    try {
      await this.#storage.sync();
    } catch (error) {
      this.#rows.forget();
      throw storeError(error);
    }
  };

  /** Fires what is due and sets the next alarm. Throws only when not even the alarm can be set. */
  async runTimers(handlers: readonly TimerHandler[]): Promise<void> {
    this.#alarm.beginTick();
    this.#rows.forget();
    const nextWakeMs = await this.#fireDue(new TimerRegistry(handlers));
    this.#alarm.endTick(nextWakeMs);
    if (nextWakeMs === null) await this.#rows.removeIfEmpty();
  }

  async #fireDue(registry: TimerRegistry): Promise<number | null> {
    try {
      const report = await runDue({
        store: this.#rows,
        partition: this.partition,
        registry,
        clock: this.clock,
        nowMs: this.clock(),
        budget: DEFAULT_BUDGET,
        resumeAt: this.#resumeAt,
        observe: this.observe,
      });
      this.#resumeAt = report.resumeAt;
      return report.nextWakeMs;
    } catch (error) {
      this.observe({ kind: "tickFailed", detail: String(error) });
      return this.clock() + RETRY_DELAY_MS;
    }
  }
}
