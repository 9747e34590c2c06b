// What a shard knows of its namespace, and where it gets it when the rollup has not brought it: the
// coordinator is asked before the charge is decided. One question serves every charge that arrives
// meanwhile, and a coordinator that does not answer costs each charge at most the deadline, once: after
// that, charges go on under the local cap, and the question is repeated with backoff off their path.
import { viewStatus } from "../core/admission.ts";
import { type Clock, type StartDelay, withDeadline } from "../core/clock.ts";
import { decodeUsage, decodeView, encodeUsage } from "../core/codec.ts";
import { LIMITS_KEY, quotaShardKey, quotaViewKey } from "../core/keys.ts";
import { type Limits, sameUsage, type View, ZERO_USAGE } from "../core/usage.ts";
import type { Window } from "../core/window.ts";
import type { Write } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import type { OwnLimits } from "./protocol.ts";
import { type Pushed, pushUsage, type RollupDependencies, writesOf } from "./rollup.ts";
import { readLimits, readUsage } from "./rows.ts";

const FIRST_RETRY_MS = 1_000;
/** The limits row beside a stored view says what holds. */
const STORED_LIMITS: OwnLimits = { kind: "unreadable" };

export interface ViewTiming {
  readonly clock: Clock;
  readonly startDelay: StartDelay;
}

/** The newest a shard knows of its namespace in one window. */
export interface Known {
  readonly view: View | null;
  /** The namespace's own, or else the deployment's. */
  readonly limits: Limits;
}

export class ViewSource {
  readonly #dependencies: RollupDependencies;
  readonly #timing: ViewTiming;
  /** Kept in memory only: a refused charge must not write, and one more row costs more than one more call. */
  #fetched: { readonly window: Window; readonly pushed: Pushed } | null = null;
  #asking: { readonly window: Window; readonly answered: Promise<void> } | null = null;
  /** While the coordinator does not answer: when to ask again, and how long to wait after that. */
  #outage: { readonly retryAtMs: number; readonly nextWaitMs: number } | null = null;

  constructor(dependencies: RollupDependencies, timing: ViewTiming) {
    this.#dependencies = dependencies;
    this.#timing = timing;
  }

  /** Throws StoreError `corrupt` for limits that cannot be read. */
  known(window: Window): Known {
    const { store, settings } = this.#dependencies;
    const newest = this.#newest(window);
    const view = newest?.view ?? null;
    if (newest?.limits.kind === "own") return { view, limits: newest.limits.limits };
    if (newest?.limits.kind === "none") return { view, limits: settings.limits };
    return { view, limits: readLimits(store.get(LIMITS_KEY)) ?? settings.limits };
  }

  /** What stores the fetched answer beside the shard's count; nothing when none was fetched. */
  fetchedWrites(window: Window): readonly Write[] {
    return this.#fetched?.window === window ? writesOf(this.#dependencies.store, window, this.#fetched.pushed) : [];
  }

  /** What a charge must wait for before it is decided; null when there is nothing to wait for. */
  prepare(window: Window, nowMs: number): Promise<void> | null {
    if (this.#isFresh(window, nowMs)) {
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
    this.#fetched = { window, pushed };
    this.#outage = null;
    return "answered";
  }

  /**
   * A shard that has nothing to roll up may have let its timer slide, so it renews what it knows after one
   * period, not two: changed limits hold within one period everywhere.
   */
  #isFresh(window: Window, nowMs: number): boolean {
    const { store, settings } = this.#dependencies;
    const view = this.#newest(window)?.view ?? null;
    if (view === null || viewStatus(view, nowMs, settings.rollupMs) !== "fresh") return false;
    if (BigInt(nowMs) - view.observedAtMs <= BigInt(settings.rollupMs)) return true;
    const usage = decodeUsage(store.get(quotaShardKey(window)) ?? encodeUsage(ZERO_USAGE));
    return usage === null || !sameUsage(usage, view.pushed);
  }

  /** The newer of what was fetched and what is stored; a stored view that cannot be read is none. */
  #newest(window: Window): Pushed | null {
    const value = this.#dependencies.store.get(quotaViewKey(window));
    const view = value === null ? null : decodeView(value);
    const stored = view === null ? null : { view, limits: STORED_LIMITS };
    const fetched = this.#fetched?.window === window ? this.#fetched.pushed : null;
    if (stored === null || fetched === null) return stored ?? fetched;
    return fetched.view.observedAtMs > stored.view.observedAtMs ? fetched : stored;
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
