// A ref shard, whatever it runs on: it charges by its own count and its view of the namespace, and its
// timer rolls the count up.
import type { StartDelay } from "../core/clock.ts";
import { encodeView } from "../core/codec.ts";
import { quotaShardKey, quotaViewKey } from "../core/keys.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import type { TimerHandler } from "../timers/registry.ts";
import type { ChargeResult, QuotaState } from "./charge.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { QuotaDependencies } from "./namespace-quota.ts";
import type { Coordinator } from "./protocol.ts";
import { reportShard } from "./reports.ts";
import { type Found, found, type Unavailable, unavailable } from "./result.ts";
import { rollupHandler } from "./rollup.ts";
import { decideShardCharge } from "./shard-charge.ts";
import { ViewSource } from "./view-source.ts";

export interface ShardDependencies extends QuotaDependencies {
  /** This shard's encoded partition. */
  readonly source: Uint8Array;
  readonly coordinator: Coordinator;
  readonly startDelay: StartDelay;
}

export class ShardQuota {
  readonly timer: TimerHandler;
  readonly #dependencies: ShardDependencies;
  readonly #commits: CommitQueue;
  readonly #views: ViewSource;

  constructor(dependencies: ShardDependencies) {
    this.timer = rollupHandler(dependencies);
    this.#dependencies = dependencies;
    this.#commits = new CommitQueue(dependencies.store, dependencies.flush);
    this.#views = new ViewSource(dependencies, dependencies);
  }

  /** Charges one write. The answer leaves when it is durable. */
  async charge(bytes: bigint): Promise<ChargeResult> {
    const { settings, clock, observe } = this.#dependencies;
    const request = { nowMs: clock(), bytes };
    const viewReady = this.#views.prepare(windowOf(request.nowMs, settings.windowMs), request.nowMs);
    if (viewReady !== null) await viewReady;
    const context = { settings, nowMs: clock(), viewOf: (window: Window) => this.#views.newest(window) };
    const settled = await this.#commits.submit((draft) => decideShardCharge(draft, request, context));
    if (settled.kind === "answered") return settled.answer;
    observe({ kind: "chargeFailed", reason: settled.reason });
    return unavailable(settled.reason);
  }

  /** What the shard knows of its current window. Writes nothing. */
  report(): Found<QuotaState> | Unavailable {
    const { store, settings, clock } = this.#dependencies;
    return found(() => reportShard(store, settings, clock(), (window) => this.#views.newest(window)));
  }

  /** Rolls the current window up now and reports with the fresh view. */
  async rollUp(): Promise<Found<QuotaState> | Unavailable> {
    const { settings, clock } = this.#dependencies;
    const window = windowOf(clock(), settings.windowMs);
    if ((await this.#views.ask(window)) === "failed") return unavailable("unavailable");
    const settled = await this.#commits.submit((draft) => this.#stageView(draft, window));
    return settled.kind === "failed" ? unavailable(settled.reason) : this.report();
  }

  /** A shard that has counted nothing has nothing that the view would be stored beside. */
  #stageView(draft: Draft, window: Window): void {
    const view = this.#views.newest(window);
    if (view !== null && draft.get(quotaShardKey(window)) !== null) draft.put(quotaViewKey(window), encodeView(view));
  }
}
