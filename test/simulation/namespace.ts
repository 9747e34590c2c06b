// One namespace under faults: its coordinator, its shards, and the calls between them, which may be lost,
// doubled, late, or answered to nobody.
import { withDeadline } from "../../src/core/clock.ts";
import { encodePartition, type RefPartition } from "../../src/core/partition.ts";
import { NamespaceQuota } from "../../src/quota/namespace-quota.ts";
import type { Push, PushResult } from "../../src/quota/protocol.ts";
import { ShardQuota } from "../../src/quota/shard-quota.ts";
import type { Batch } from "../../src/store/contract.ts";
import { FaultyObject, GONE, type Runtime } from "./faulty-object.ts";
import { Ledger } from "./ledger.ts";
import type { Snapshot } from "./simulated-storage.ts";
import type { World } from "./world.ts";

/** An object with what is known of it from outside. */
export interface Member<Quota extends ShardQuota | NamespaceQuota = ShardQuota | NamespaceQuota> {
  readonly object: FaultyObject<Quota>;
  readonly ledger: Ledger;
  readonly snapshots: Snapshot[];
  /** Rows or alarm may have changed since they were last checked. */
  isDirty: boolean;
}

export type Shard = Member<ShardQuota>;

export type Committed = (member: Member, batch: Batch, before: readonly (Uint8Array | null)[]) => void;

/** As src/objects/coordinator-client.ts has it. */
const CALL_TIMEOUT_MS = 8_000;
const FAILED: PushResult = { kind: "failed", reason: "unavailable" };
const REFS = ["refs/heads/main", "refs/heads/main/x", "refs/heads/é", "__proto__", "refs/tags/a"] as const;

export class SimulatedNamespace {
  readonly ns: string;
  readonly coordinator: Member<NamespaceQuota>;
  readonly shards: readonly Shard[];
  /** Until then no shard reaches the coordinator. */
  downUntilMs = 0;
  readonly #world: World;

  constructor(world: World, ns: string, committed: Committed) {
    this.#world = world;
    this.ns = ns;
    const { settings, shards } = world.plan;
    this.coordinator = newMember(
      (onCommit) =>
        new FaultyObject({
          world,
          partition: { kind: "coordinator", ns },
          open: (runtime) => new NamespaceQuota({ ...runtime, settings }),
          committed: onCommit,
        }),
      committed,
    );
    this.shards = Array.from({ length: shards }, (_, index) => this.#newShard(index, committed));
  }

  get members(): readonly Member[] {
    return [this.coordinator, ...this.shards];
  }

  #newShard(index: number, committed: Committed): Shard {
    const ref = REFS[index % REFS.length] ?? REFS[0];
    const partition: RefPartition = { kind: "ref", ns: this.ns, repo: `r${Math.floor(index / REFS.length)}`, ref };
    const open = (runtime: Runtime): ShardQuota =>
      this.#openShard(runtime, partition, () => shard.object.storage.flush());
    const shard: Shard = newMember(
      (onCommit) => new FaultyObject({ world: this.#world, partition, open, committed: onCommit }),
      committed,
    );
    return shard;
  }

  /** No call leaves an object before what it wrote is durable: the platform's output gate. */
  #openShard(runtime: Runtime, partition: RefPartition, gate: () => Promise<void>): ShardQuota {
    const push = async (sent: Push): Promise<PushResult> => {
      await gate();
      return runtime.isAlive() ? this.#carry(sent) : Promise.withResolvers<PushResult>().promise;
    };
    const source = encodePartition(partition);
    return new ShardQuota({ ...runtime, settings: this.#world.plan.settings, source, coordinator: { push } });
  }

  async #carry(push: Push): Promise<PushResult> {
    const world = this.#world;
    const { promise, resolve } = Promise.withResolvers<PushResult>();
    const copies = world.happens("doubledCall") ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (world.nowMs < this.downUntilMs || world.happens("lostCall")) {
        if (world.random.chance(0.5)) world.time.after(world.latencyMs(), () => resolve(FAILED));
      } else {
        world.time.after(world.latencyMs(), () => void this.#deliver(push, resolve));
      }
    }
    const result = await withDeadline(promise, world.time.startDelay(CALL_TIMEOUT_MS));
    return result === "late" ? FAILED : result;
  }

  async #deliver(push: Push, resolve: (result: PushResult) => void): Promise<void> {
    const world = this.#world;
    const result = await this.coordinator.object.handle((instance) => instance.quota.push(push));
    if (world.happens("lostReply")) return;
    world.time.after(world.latencyMs(), () => resolve(result === GONE ? FAILED : result));
  }
}

function newMember<Quota extends ShardQuota | NamespaceQuota>(
  open: (onCommit: (batch: Batch, before: readonly (Uint8Array | null)[]) => void) => FaultyObject<Quota>,
  committed: Committed,
): Member<Quota> {
  const object = open((batch, before) => {
    member.isDirty = true;
    committed(member, batch, before);
  });
  const member: Member<Quota> = { object, ledger: new Ledger(), snapshots: [], isDirty: false };
  return member;
}
