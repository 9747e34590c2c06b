// A namespace's coordinator, whatever it runs on: it takes rollups and direct charges, commits those
// that arrive together, and ends each window. ref shards speak to it by `push` alone.
import { encodeU64 } from "../core/bytes.ts";
import { encodeLimits } from "../core/codec.ts";
import type { Clock } from "../core/clock.ts";
import type { Observe } from "../core/events.ts";
import { LIMITS_KEY } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import type { Limits } from "../core/usage.ts";
import { windowExpiryMs, windowOf } from "../core/window.ts";
import type { Store } from "../store/contract.ts";
import type { TimerHandler } from "../timers/registry.ts";
import { type Charge, chargeRequest, type ChargeResult } from "./charge.ts";
import { CommitQueue, type Flush } from "./commit-queue.ts";
import { decidePush } from "./contribution.ts";
import { decideExactCharge } from "./exact-charge.ts";
import { expiryHandler } from "./expiry.ts";
import { decideOnce, ENDPOINT, type Once } from "./idempotency.ts";
import { NewestPushes } from "./newest-pushes.ts";
import type { Coordinator, Push, PushResult } from "./protocol.ts";
import { leftBehindBy, pruneBefore } from "./prune.ts";
import {
  type ContributionsPage,
  type ContributionsQuery,
  type NamespaceReport,
  reportContributions,
  reportNamespace,
} from "./reports.ts";
import { readLimits } from "./rows.ts";
import { settledCharge } from "./settled-charge.ts";
import { type Found, found, type InvalidRequest, type Unavailable, unavailable } from "./result.ts";

export interface QuotaDependencies {
  readonly store: Store;
  readonly settings: QuotaSettings;
  readonly clock: Clock;
  readonly flush: Flush;
  readonly observe: Observe;
}

export interface LimitsReport extends Limits {
  readonly source: "default" | "namespace";
}

function reportLimits(own: Limits | null, settings: QuotaSettings): LimitsReport {
  return own === null ? { ...settings.limits, source: "default" } : { ...own, source: "namespace" };
}

export class NamespaceQuota implements Coordinator {
  readonly timer: TimerHandler;
  readonly #dependencies: QuotaDependencies;
  readonly #commits: CommitQueue;
  readonly #newest = new NewestPushes();

  constructor(dependencies: QuotaDependencies) {
    this.timer = expiryHandler(dependencies);
    this.#dependencies = dependencies;
    this.#commits = new CommitQueue(dependencies.store, dependencies.flush);
  }

  async push(push: Push): Promise<PushResult> {
    const { settings, clock, observe } = this.#dependencies;
    const nowMs = clock();
    const context = { settings, nowMs, isOvertaken: this.#newest.isOvertaken(push) };
    const settled = await this.#commits.submit((draft) => decidePush(draft, push, context));
    if (nowMs >= windowExpiryMs(push.window, push.windowMs, settings.clockGraceMs)) this.#clearBefore(push, nowMs);
    if (settled.kind === "failed") return settled;
    const { answer } = settled;
    if (answer.kind === "accepted" && answer.rebasedFrom !== null) {
      observe({ kind: "rebase", window: push.window, source: push.source, from: answer.rebasedFrom, to: push.usage });
    }
    return answer;
  }

  /** Charges a write that belongs to no ref, exactly. The answer leaves when it is durable. */
  async charge({ bytes, idempotencyKey }: Charge): Promise<ChargeResult> {
    const { settings, clock, observe } = this.#dependencies;
    const request = chargeRequest(clock(), bytes);
    const once: Once = {
      key: idempotencyKey,
      endpoint: ENDPOINT.charge,
      window: windowOf(request.nowMs, settings.windowMs),
      fingerprint: encodeU64(bytes),
      countedAt: "coordinator",
    };
    const settled = await this.#commits.submit((draft) =>
      decideOnce(draft, once, () => decideExactCharge(draft, request, settings)),
    );
    return settledCharge(settled, observe);
  }

  /** The limits in force and where they come from. */
  limits(): Found<LimitsReport> | Unavailable {
    const { store, settings } = this.#dependencies;
    return found(() => reportLimits(readLimits(store.get(LIMITS_KEY)), settings));
  }

  /** Gives the namespace limits of its own; null takes them away. In force here at once, on shards by their rollup. */
  async setLimits(limits: Limits | null): Promise<Found<LimitsReport> | Unavailable> {
    const settled = await this.#commits.submit((draft) => {
      if (limits !== null) draft.put(LIMITS_KEY, encodeLimits(limits));
      else if (draft.get(LIMITS_KEY) !== null) draft.delete(LIMITS_KEY);
      return reportLimits(limits, this.#dependencies.settings);
    });
    return settled.kind === "failed" ? unavailable(settled.reason) : { ok: true, ...settled.answer };
  }

  /** The namespace's stored windows. Writes nothing. */
  report(): Found<NamespaceReport> | Unavailable {
    const { store, settings, clock } = this.#dependencies;
    return found(() => reportNamespace(store, settings, clock()));
  }

  /** A page of the shards that have rolled up in one window. */
  contributions(query: ContributionsQuery): Found<ContributionsPage> | Unavailable | InvalidRequest {
    const { store, settings, clock } = this.#dependencies;
    const window = query.window ?? windowOf(clock(), settings.windowMs);
    const page = found(() => reportContributions(store, window, query));
    if (page.ok || page.reason !== "invalid") return page;
    return { ok: false, code: "invalid_request", detail: "cursor: not one that this query has returned" };
  }

  /** An ended window takes with it what a crash left of earlier ones. */
  #clearBefore(push: Push, nowMs: number): void {
    const { store, settings, observe } = this.#dependencies;
    const pruned = pruneBefore(store, ["qc", "qt", "qi"], leftBehindBy(push.window, nowMs, settings.windowMs));
    if (pruned.rows > 0) observe({ kind: "pruned", ...pruned });
  }
}
