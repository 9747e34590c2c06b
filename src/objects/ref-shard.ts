// The Durable Object that owns one ref: it counts the ref's writes, and its alarm rolls them up.
//
// Made to be extended: a subclass makes its own writes through `this.quota`, in the transaction of their
// charge. Methods of this class and of a subclass are its RPC surface; `quota` is a property and is not.
import { DurableObject } from "cloudflare:workers";
import { encodePartition } from "../core/partition.ts";
import { readSettings } from "../core/settings.ts";
import type { ChargeCall, ChargeResult, MoveResult, QuotaState } from "../quota/charge.ts";
import type { RefMove } from "../quota/ref-move.ts";
import { type Found, type Unavailable, unavailable } from "../quota/result.ts";
import { retryLater } from "../quota/rows.ts";
import { ShardQuota } from "../quota/shard-quota.ts";
import { coordinatorClient } from "./coordinator-client.ts";
import { startDelay } from "./delay.ts";
import { type EmbeddedQuota, embeddedQuota } from "./embedded-quota.ts";
import type { QuotaEnv } from "./env.ts";
import { PartitionHost } from "./partition-host.ts";
import { RecentCalls } from "./recent-calls.ts";

/** `ObjectEnv` is what a subclass finds in `this.env`. */
export class RefShard<ObjectEnv extends QuotaEnv = QuotaEnv> extends DurableObject<ObjectEnv> {
  /** Charges with writes of a subclass's own. */
  protected readonly quota: EmbeddedQuota;
  readonly #host: PartitionHost;
  /** Null while the deployment's settings cannot be read: timers then wait, and nothing is charged. */
  readonly #quota: ShardQuota | null;
  readonly #calls = new RecentCalls();

  constructor(ctx: DurableObjectState, env: ObjectEnv) {
    super(ctx, env);
    this.#host = new PartitionHost(ctx, env);
    this.#quota = openShard(this.#host, env);
    this.quota = embeddedQuota(this.#quota, this.#host.sync);
  }

  /**
   * Charges one write, for callers of the object: the platform holds the answer back until it is durable. A
   * subclass that charges does so through `quota`, which waits.
   */
  async charge(call: ChargeCall): Promise<ChargeResult> {
    const quota = this.#quota;
    if (quota === null) return unavailable("unavailable");
    return this.#calls.once(call.callId, () => quota.charge(call));
  }

  /** Moves the ref and charges one write, both or neither. */
  async move(move: RefMove, call: ChargeCall): Promise<MoveResult> {
    const quota = this.#quota;
    if (quota === null) return unavailable("unavailable");
    return this.#calls.once(call.callId, () => quota.move(move, call));
  }

  /** Where the ref points; writes nothing. */
  async target(): Promise<Found<{ readonly target: string | null }> | Unavailable> {
    return this.#quota?.target() ?? unavailable("unavailable");
  }

  /** What the shard knows of its current window; writes nothing. */
  async usage(): Promise<Found<QuotaState> | Unavailable> {
    return this.#quota?.report() ?? unavailable("unavailable");
  }

  /** Rolls up now. */
  async rollUp(): Promise<Found<QuotaState> | Unavailable> {
    return this.#quota?.rollUp() ?? unavailable("unavailable");
  }

  override async alarm(): Promise<void> {
    await this.#host.runTimers([this.#quota?.timer ?? retryLater]);
  }
}

function openShard(host: PartitionHost, env: QuotaEnv): ShardQuota | null {
  const read = readSettings(env);
  if (read.kind === "misconfigured") return null;
  const { store, clock, flush, observe, partition } = host;
  return new ShardQuota({
    store,
    settings: read.settings,
    clock,
    startDelay,
    flush,
    observe,
    source: encodePartition(partition),
    coordinator: coordinatorClient(env.NS_COORDINATOR, partition.ns),
  });
}
