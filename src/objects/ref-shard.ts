// The Durable Object that owns one ref: it counts the ref's writes, and its alarm rolls them up.
import { DurableObject } from "cloudflare:workers";
import { encodePartition } from "../core/partition.ts";
import { readSettings } from "../core/settings.ts";
import type { ChargeResult, QuotaState } from "../quota/charge.ts";
import { type Found, type Unavailable, unavailable } from "../quota/result.ts";
import { retryLater } from "../quota/rows.ts";
import { ShardQuota } from "../quota/shard-quota.ts";
import { coordinatorClient } from "./coordinator-client.ts";
import type { Env } from "./env.ts";
import { PartitionHost } from "./partition-host.ts";

export class RefShard extends DurableObject<Env> {
  readonly #host: PartitionHost;
  /** Null while the deployment's settings cannot be read: timers then wait, and nothing is charged. */
  readonly #quota: ShardQuota | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#host = new PartitionHost(ctx);
    this.#quota = openShard(this.#host, env);
  }

  /** Charges one write of `bytes` bytes. */
  async charge(bytes: bigint): Promise<ChargeResult> {
    return this.#quota?.charge(bytes) ?? unavailable("unavailable");
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

function openShard(host: PartitionHost, env: Env): ShardQuota | null {
  const read = readSettings(env);
  if (read.kind === "misconfigured") return null;
  const { store, clock, startDelay, flush, observe, partition } = host;
  return new ShardQuota({
    store,
    settings: read.settings,
    clock,
    startDelay,
    flush,
    observe,
    source: encodePartition(partition),
    coordinator: coordinatorClient(env.NS_COORDINATOR, partition.ns, startDelay),
  });
}
