// A ref shard, whatever it runs on: it charges by its own count and what it knows of the namespace, moves
// its ref in the same commit, and its timer rolls the count up.
import { encodeU64 } from "../core/bytes.ts";
import type { StartDelay } from "../core/clock.ts";
import { quotaShardKey } from "../core/keys.ts";
import { type Window, windowOf } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import type { TimerHandler } from "../timers/registry.ts";
import {
  type Charge,
  chargeRequest,
  type ChargeResult,
  type Decision,
  type IdempotencyMismatch,
  type MoveResult,
  type QuotaState,
} from "./charge.ts";
import { CommitQueue } from "./commit-queue.ts";
import { decideOnce, ENDPOINT, type Once } from "./idempotency.ts";
import type { QuotaDependencies } from "./namespace-quota.ts";
import type { Coordinator } from "./protocol.ts";
import { type DecidedCharge, settledCharge } from "./settled-charge.ts";
import { decideMove, moveFingerprint, type RefMove, readTarget } from "./ref-move.ts";
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

/** One request's charge, ready to be decided on a draft. */
interface PreparedCharge {
  readonly once: Pick<Once, "window" | "countedAt" | "key">;
  readonly decide: (draft: Draft) => Decision;
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

  /**
   * Charges one write. The answer leaves when it is durable. `write` makes the caller's own writes in the very
   * transaction of the charge, synchronously and only if it is allowed and not a replay; when it throws,
   * nothing is charged or written and the promise rejects with its error.
   */
  async charge(charge: Charge, write?: () => void): Promise<ChargeResult> {
    const { once, decide } = await this.#prepare(charge);
    const fingerprint = encodeU64(charge.bytes);
    const decideCharge = (draft: Draft): Decision | IdempotencyMismatch =>
      decideOnce(draft, { ...once, endpoint: ENDPOINT.charge, fingerprint }, () => decide(draft));
    return this.#commit(decideCharge, write);
  }

  /** Moves the ref and charges one write, both or neither. The answer leaves when it is durable. */
  async move(move: RefMove, charge: Charge): Promise<MoveResult> {
    const { once, decide } = await this.#prepare(charge);
    const fingerprint = moveFingerprint(move, charge.bytes);
    return this.#commit((draft) =>
      decideOnce(draft, { ...once, endpoint: ENDPOINT.move, fingerprint }, () =>
        decideMove(draft, move, () => decide(draft)),
      ),
    );
  }

  /** Where the ref points, in hex; null when it does not exist. */
  target(): Found<{ readonly target: string | null }> | Unavailable {
    return found(() => ({ target: readTarget(this.#dependencies.store) }));
  }

  /** What the shard knows of its current window. Writes nothing. */
  report(): Found<QuotaState> | Unavailable {
    const { store, settings, clock } = this.#dependencies;
    return found(() => reportShard(store, settings, clock(), (window) => this.#views.known(window)));
  }

  /** Rolls the current window up now and reports with the fresh view. */
  async rollUp(): Promise<Found<QuotaState> | Unavailable> {
    const { settings, clock } = this.#dependencies;
    const window = windowOf(clock(), settings.windowMs);
    if ((await this.#views.ask(window)) === "failed") return unavailable("unavailable");
    const settled = await this.#commits.submit((draft) => this.#stageFetched(draft, window));
    return settled.kind === "failed" ? unavailable(settled.reason) : this.report();
  }

  async #prepare({ bytes, idempotencyKey }: Charge): Promise<PreparedCharge> {
    const { settings, clock } = this.#dependencies;
    const request = chargeRequest(clock(), bytes);
    const window = windowOf(request.nowMs, settings.windowMs);
    const viewReady = this.#views.prepare(window, request.nowMs);
    if (viewReady !== null) await viewReady;
    const context = { settings, nowMs: clock(), knownOf: (of: Window) => this.#views.known(of) };
    return {
      once: { window, countedAt: "shard", key: idempotencyKey },
      decide: (draft) => decideShardCharge(draft, request, context),
    };
  }

  async #commit<Answer extends DecidedCharge>(
    decide: (draft: Draft) => Answer,
    alongside?: () => void,
  ): Promise<Answer | Unavailable> {
    return settledCharge(await this.#commits.submit(decide, alongside), this.#dependencies.observe);
  }

  /** A shard that has counted nothing has nothing that the view would be stored beside. */
  #stageFetched(draft: Draft, window: Window): void {
    if (draft.get(quotaShardKey(window)) !== null) draft.stageAll(this.#views.fetchedWrites(window));
  }
}
