// A namespace in miniature: one store for each partition, ticks by hand at times of the scenario's
// choosing, and everything that was observed or asked of a store on the way. What runs on the stores is
// the real code of shards and coordinators; only the clock and the calls between them are ours.
import { toHex } from "../../src/core/bytes.ts";
import type { QuotaEvent } from "../../src/core/events.ts";
import type { Key } from "../../src/core/keys.ts";
import { encodePartition, type Partition, type RefPartition } from "../../src/core/partition.ts";
import type { QuotaSettings } from "../../src/core/settings.ts";
import type { ChargeResult } from "../../src/quota/charge.ts";
import { NamespaceQuota } from "../../src/quota/namespace-quota.ts";
import type { Coordinator } from "../../src/quota/protocol.ts";
import { ShardQuota } from "../../src/quota/shard-quota.ts";
import { ALL_ROWS, type Batch, MAX_SCAN_ROWS, type Row, type Store } from "../../src/store/contract.ts";
import { DEFAULT_BUDGET } from "../../src/timers/budget.ts";
import { runDue, type TickReport } from "../../src/timers/engine.ts";
import { type TimerHandler, TimerRegistry } from "../../src/timers/registry.ts";
import { contendedStore } from "../doubles/contended-store.ts";
import { recordingStore } from "../doubles/recording-store.ts";

/** Where partitions are stored. `use` runs `work` where the partition's one store may be touched. */
export interface Backend {
  use<Result>(partition: Partition, work: (store: Store) => Result | Promise<Result>): Promise<Result>;
}

export interface WorldOptions {
  readonly settings?: Partial<QuotaSettings>;
  /** `contended`: no batch of the coordinator commits. `unconfigured`: there is none to call. */
  readonly coordinator?: "contended" | "unconfigured";
}

export type OpenWorld = (options?: WorldOptions) => World;

export const SETTINGS: QuotaSettings = {
  windowMs: 600_000,
  rollupMs: 60_000,
  clockGraceMs: 30_000,
  coordinatorTimeoutMs: 2_000,
  limits: { maxOps: null, maxBytes: null },
};

/** What runs on one partition, and what its store was asked to apply. */
interface Node {
  readonly store: Store;
  readonly batches: Batch[];
  readonly shard: ShardQuota | null;
  readonly exact: NamespaceQuota;
  resumeAt: Key | null;
}

export class World {
  readonly events: QuotaEvent[] = [];
  readonly #backend: Backend;
  readonly #options: WorldOptions;
  readonly #settings: QuotaSettings;
  readonly #nodes = new Map<string, Node>();
  #nowMs = 0;

  constructor(backend: Backend, options: WorldOptions = {}) {
    this.#backend = backend;
    this.#options = options;
    this.#settings = { ...SETTINGS, ...options.settings };
  }

  /** Puts rows as they are, past every double. */
  async put(partition: Partition, ...rows: readonly Row[]): Promise<void> {
    await this.#backend.use(partition, (store) =>
      store.apply({ preconditions: [], writes: rows.map((row) => ({ kind: "put", ...row })) }),
    );
  }

  async delete(partition: Partition, ...keys: readonly Key[]): Promise<void> {
    await this.#backend.use(partition, (store) =>
      store.apply({ preconditions: [], writes: keys.map((key) => ({ kind: "delete", key })) }),
    );
  }

  get(partition: Partition, key: Key): Promise<Uint8Array | null> {
    return this.#backend.use(partition, (store) => store.get(key));
  }

  rows(partition: Partition): Promise<readonly Row[]> {
    return this.#backend.use(partition, (store) => store.scan(ALL_ROWS, { limit: MAX_SCAN_ROWS }).rows);
  }

  /** Fires what is due, with the handler that the partition's object has unless another is given. */
  tick(partition: Partition, nowMs: number, handlerOn?: (store: Store) => TimerHandler): Promise<TickReport> {
    this.#nowMs = nowMs;
    return this.#withNode(partition, async (node) => {
      const report = await runDue({
        store: node.store,
        partition,
        registry: new TimerRegistry([handlerOn?.(node.store) ?? (node.shard ?? node.exact).timer]),
        clock: this.#clock,
        nowMs,
        budget: DEFAULT_BUDGET,
        resumeAt: node.resumeAt,
        observe: this.#observe,
      });
      node.resumeAt = report.resumeAt;
      return report;
    });
  }

  charge(partition: Partition, nowMs: number, bytes: bigint): Promise<ChargeResult> {
    this.#nowMs = nowMs;
    return this.#withNode(partition, (node) => (node.shard ?? node.exact).charge({ bytes, idempotencyKey: null }));
  }

  /** Does `work` on the partition's store, with its batches recorded. */
  onStore<Result>(partition: Partition, work: (store: Store) => Result): Promise<Result> {
    return this.#withNode(partition, (node) => work(node.store));
  }

  /** Every batch that running code asked of the partition's store. */
  batches(partition: Partition): readonly Batch[] {
    return this.#nodes.get(idOf(partition))?.batches ?? [];
  }

  eventsOf<Kind extends QuotaEvent["kind"]>(kind: Kind): readonly Extract<QuotaEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<QuotaEvent, { kind: Kind }> => event.kind === kind);
  }

  readonly #clock = (): number => this.#nowMs;
  readonly #observe = (event: QuotaEvent): void => void this.events.push(event);

  #withNode<Result>(partition: Partition, work: (node: Node) => Result | Promise<Result>): Promise<Result> {
    return this.#backend.use(partition, (store) => {
      const id = idOf(partition);
      const node = this.#nodes.get(id) ?? this.#openNode(partition, store);
      this.#nodes.set(id, node);
      return work(node);
    });
  }

  #openNode(partition: Partition, stored: Store): Node {
    const isContended = partition.kind === "coordinator" && this.#options.coordinator === "contended";
    const batches: Batch[] = [];
    const store = recordingStore(isContended ? contendedStore(stored) : stored, batches);
    const dependencies = {
      store,
      settings: this.#settings,
      clock: this.#clock,
      flush: async () => {},
      observe: this.#observe,
    };
    const exact = new NamespaceQuota(dependencies);
    if (partition.kind !== "ref") return { store, batches, shard: null, exact, resumeAt: null };
    const shardQuota = new ShardQuota({
      ...dependencies,
      source: encodePartition(partition),
      coordinator: this.#coordinatorOf(partition),
      startDelay: () => ({ passed: new Promise(() => {}), cancel: () => {} }),
    });
    return { store, batches, shard: shardQuota, exact, resumeAt: null };
  }

  #coordinatorOf({ ns }: RefPartition): Coordinator {
    if (this.#options.coordinator === "unconfigured") {
      return { push: () => Promise.reject(new Error("no coordinator is configured")) };
    }
    return { push: (push) => this.#withNode({ kind: "coordinator", ns }, (node) => node.exact.push(push)) };
  }
}

export const COORDINATOR = { kind: "coordinator", ns: "root" } as const satisfies Partition;
export const NAMESPACE = { kind: "namespace", ns: "root" } as const satisfies Partition;

export function shard(index: number): RefPartition {
  return { kind: "ref", ns: "root", repo: "room", ref: `refs/heads/b${index}` };
}

function idOf(partition: Partition): string {
  return toHex(encodePartition(partition));
}
