// Where a shard's view comes from when the rollup has not brought one: the coordinator is asked before
// the charge is decided. One question serves every charge that arrives meanwhile, and a coordinator
// that does not answer costs each charge at most the deadline, once: after that, charges go on under
// the local cap, and the question is repeated with backoff off their path.
import { viewStatus } from "../core/admission.ts";
import { type Clock, type StartDelay, withDeadline } from "../core/clock.ts";
import { decodeView } from "../core/codec.ts";
import { quotaShardKey, quotaViewKey } from "../core/keys.ts";
import { type View, ZERO_USAGE } from "../core/usage.ts";
import type { Window } from "../core/window.ts";
import { StoreError } from "../store/errors.ts";
import { pushUsage, type RollupDependencies } from "./rollup.ts";
import { readUsage } from "./rows.ts";

const FIRST_RETRY_MS = 1_000;

export interface ViewTiming {
  readonly clock: Clock;
  readonly startDelay: StartDelay;
}

export class ViewSource {
  readonly #dependencies: RollupDependencies;
  readonly #timing: ViewTiming;
  /** Kept in memory only: a refused charge must not write, and one more row costs more than one more call. */
  #fetched: { readonly window: Window; readonly view: View } | null = null;
  #asking: { readonly window: Window; readonly answered: Promise<void> } | null = null;
  /** While the coordinator does not answer: when to ask again, and how long to wait after that. */
  #outage: { readonly retryAtMs: number; readonly nextWaitMs: number } | null = null;

  constructor(dependencies: RollupDependencies, timing: ViewTiming) {
    this.#dependencies = dependencies;
    this.#timing = timing;
  }

  /** The newest view of the window, fetched or stored; one that cannot be read is none. */
  newest(window: Window): View | null {
    const value = this.#dependencies.store.get(quotaViewKey(window));
    const stored = value === null ? null : decodeView(value);
    const fetched = this.#fetched?.window === window ? this.#fetched.view : null;
    if (stored === null || fetched === null) return stored ?? fetched;
    return fetched.observedAtMs > stored.observedAtMs ? fetched : stored;
  }

  /** What a charge must wait for before it is decided; null when there is nothing to wait for. */
  prepare(window: Window, nowMs: number): Promise<void> | null {
    if (viewStatus(this.newest(window), nowMs, this.#dependencies.settings.rollupMs) === "fresh") {
      this.#outage = null;
      return null;
    }
    if (this.#outage !== null) {
      if (nowMs >= this.#outage.retryAtMs) this.#askAgain(window, nowMs, this.#outage.nextWaitMs);
      return null;
    }
    if (this.#asking?.window !== window) this.#asking = { window, answered: this.#askWithDeadline(window) };
    return this.#asking.answered;
  }

  /** Asks now, whatever is known. Rejects only for a fault of our own. */
  async ask(window: Window): Promise<"answered" | "failed"> {
    const pushed = await this.#push(window);
    if ("reason" in pushed) {
      this.#dependencies.observe({ kind: "viewUnavailable", window, reason: pushed.reason });
      return "failed";
    }
    this.#fetched = { window, view: pushed.view };
    this.#outage = null;
    return "answered";
  }

  async #push(window: Window): ReturnType<typeof pushUsage> {
    const { store, settings } = this.#dependencies;
    try {
      const usage = readUsage(store.get(quotaShardKey(window))) ?? ZERO_USAGE;
      const nowMs = this.#timing.clock();
      return await pushUsage(this.#dependencies, window, { windowMs: settings.windowMs, nowMs, usage });
    } catch (error) {
      if (error instanceof StoreError) return { reason: error.failure };
      throw error;
    }
  }

  async #askWithDeadline(window: Window): Promise<void> {
    const deadline = this.#timing.startDelay(this.#dependencies.settings.coordinatorTimeoutMs);
    try {
      const outcome = await withDeadline(this.ask(window), deadline);
      if (outcome === "late") {
        this.#dependencies.observe({ kind: "viewUnavailable", window, reason: "unavailable" });
      }
      if (outcome !== "answered") this.#startOutage(this.#timing.clock(), FIRST_RETRY_MS);
    } finally {
      this.#asking = null;
    }
  }

  #askAgain(window: Window, nowMs: number, waitMs: number): void {
    this.#startOutage(nowMs, waitMs);
    this.ask(window).catch(() => {
      this.#dependencies.observe({ kind: "viewUnavailable", window, reason: "unavailable" });
    });
  }

  #startOutage(nowMs: number, waitMs: number): void {
    const longestMs = Math.max(this.#dependencies.settings.rollupMs, FIRST_RETRY_MS);
    this.#outage = { retryAtMs: nowMs + waitMs, nextWaitMs: Math.min(2 * waitMs, longestMs) };
  }
}
