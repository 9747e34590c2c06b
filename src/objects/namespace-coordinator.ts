// The Durable Object that holds one namespace's totals: shards push to it, and its alarm ends windows.
import { DurableObject } from "cloudflare:workers";
import { readSettings } from "../core/settings.ts";
import type { Limits } from "../core/usage.ts";
import type { ChargeCall, ChargeResult } from "../quota/charge.ts";
import { type LimitsReport, NamespaceQuota } from "../quota/namespace-quota.ts";
import type { Push, PushResult } from "../quota/protocol.ts";
import type { ContributionsPage, ContributionsQuery, NamespaceReport } from "../quota/reports.ts";
import { type Found, type InvalidRequest, type Unavailable, unavailable } from "../quota/result.ts";
import { retryLater } from "../quota/rows.ts";
import type { QuotaEnv } from "./env.ts";
import { PartitionHost } from "./partition-host.ts";
import { RecentCalls } from "./recent-calls.ts";

export class NamespaceCoordinator extends DurableObject<QuotaEnv> {
  readonly #host: PartitionHost;
  /** Null while the deployment's settings cannot be read: timers then wait, and nothing is counted. */
  readonly #quota: NamespaceQuota | null;
  readonly #calls = new RecentCalls();

  constructor(ctx: DurableObjectState, env: QuotaEnv) {
    super(ctx, env);
    this.#host = new PartitionHost(ctx, env);
    this.#quota = openCoordinator(this.#host, env);
  }

  /** A shard's rollup: its cumulative usage there, the namespace's total back. Safe to repeat. */
  async push(push: Push): Promise<PushResult> {
    return this.#quota?.push(push) ?? { kind: "failed", reason: "unavailable" };
  }

  /** Charges one write that belongs to no ref. */
  async charge(call: ChargeCall): Promise<ChargeResult> {
    const quota = this.#quota;
    if (quota === null) return unavailable("unavailable");
    return this.#calls.once(call.callId, () => quota.charge(call));
  }

  /** The limits in force; writes nothing. */
  async limits(): Promise<Found<LimitsReport> | Unavailable> {
    return this.#quota?.limits() ?? unavailable("unavailable");
  }

  /** Gives the namespace limits of its own; null takes them away. */
  async setLimits(limits: Limits | null): Promise<Found<LimitsReport> | Unavailable> {
    return this.#quota?.setLimits(limits) ?? unavailable("unavailable");
  }

  /** The namespace's stored windows; writes nothing. */
  async usage(): Promise<Found<NamespaceReport> | Unavailable> {
    return this.#quota?.report() ?? unavailable("unavailable");
  }

  /** A page of the shards that have rolled up in one window. */
  async contributions(query: ContributionsQuery): Promise<Found<ContributionsPage> | Unavailable | InvalidRequest> {
    return this.#quota?.contributions(query) ?? unavailable("unavailable");
  }

  override async alarm(): Promise<void> {
    await this.#host.runTimers([this.#quota?.timer ?? retryLater]);
  }
}

function openCoordinator({ store, clock, flush, observe }: PartitionHost, env: QuotaEnv): NamespaceQuota | null {
  const read = readSettings(env);
  return read.kind === "misconfigured"
    ? null
    : new NamespaceQuota({ store, settings: read.settings, clock, flush, observe });
}
