// The rollup at a ref shard: the shard's cumulative usage goes to the coordinator, the namespace's
// total comes back as the shard's view, and the timer moves on. After the window's end the last one
// removes everything of the window.
//
// The coordinator commits before the shard does, so a crash in between repeats a push that changes
// nothing. No failure loses usage, stops another timer or leaves this one without a due time.
import { equalBytes } from "../core/bytes.ts";
import { decodeView, encodeLimits, encodeView } from "../core/codec.ts";
import type { FailureReason, Observe } from "../core/events.ts";
import { classRange, LIMITS_KEY, quotaShardKey, quotaViewKey } from "../core/keys.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { sameUsage, type Usage, type View, ZERO_USAGE } from "../core/usage.ts";
import { type Window, windowExpiryMs } from "../core/window.ts";
import { guardOf, type Precondition, type Store, type Write } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { type Firing, type FiringResult, NOTHING_ELSE, type TimerHandler } from "../timers/registry.ts";
import { observeOldestWindow } from "./oldest-window.ts";
import type { Coordinator, OwnLimits, PushResult } from "./protocol.ts";
import { bothPruned, leftBehindBy, pruneBefore, pruneWindow } from "./prune.ts";
import { encodeWindowMs, QUOTA_TIMER_KIND, readQuotaTimer, readUsage } from "./rows.ts";

/** Each rollup is a call to another object; more in one tick would hold the alarm up. */
const MAX_ROLLUPS_PER_TICK = 4;

export interface RollupDependencies {
  readonly store: Store;
  /** This shard's encoded partition. */
  readonly source: Uint8Array;
  readonly coordinator: Coordinator;
  readonly settings: QuotaSettings;
  readonly observe: Observe;
}

/** One firing, read: which window, and how it was counted. */
interface Rollup {
  readonly firing: Firing;
  readonly window: Window;
  readonly windowMs: number;
}

export function rollupHandler(dependencies: RollupDependencies): TimerHandler {
  return {
    kind: QUOTA_TIMER_KIND,
    maxPerTick: MAX_ROLLUPS_PER_TICK,
    runsOn: (partition) => partition.kind === "ref",
    fire: async (firing) => {
      const timer = readQuotaTimer(firing);
      return timer === null ? { kind: "unknown" } : new ShardRollup(dependencies, { firing, ...timer }).run();
    },
  };
}

/** What a push brings back: the namespace's total as a view, and its limits. */
export interface Pushed {
  readonly view: View;
  readonly limits: OwnLimits;
}

/** Pushes a shard's usage in one window; the reason when that failed. */
export async function pushUsage(
  dependencies: RollupDependencies,
  window: Window,
  terms: { readonly windowMs: number; readonly nowMs: number; readonly usage: Usage },
): Promise<Pushed | { readonly reason: FailureReason }> {
  const { coordinator, source } = dependencies;
  const { windowMs, usage, nowMs: sentAtMs } = terms;
  const result: PushResult = await coordinator.push({ source, window, windowMs, usage, sentAtMs });
  if (result.kind === "failed") return { reason: result.reason };
  const view = { total: result.total, pushed: terms.usage, observedAtMs: BigInt(terms.nowMs) };
  return { view, limits: result.limits };
}

class ShardRollup {
  readonly #dependencies: RollupDependencies;
  readonly #rollup: Rollup;

  constructor(dependencies: RollupDependencies, rollup: Rollup) {
    this.#dependencies = dependencies;
    this.#rollup = rollup;
  }

  async run(): Promise<FiringResult> {
    try {
      observeOldestWindow(this.#dependencies, ["qs", "qv", "qi"], this.#rollup.firing.nowMs);
      const hasEnded = this.#rollup.firing.nowMs >= this.#expiryMs;
      return await (hasEnded ? this.#endWindow() : this.#rollUp());
    } catch (error) {
      if (error instanceof StoreError) return this.#backOff(error.failure);
      throw error;
    }
  }

  async #rollUp(): Promise<FiringResult> {
    const { window, windowMs, firing } = this.#rollup;
    const stored = this.#dependencies.store.get(quotaShardKey(window));
    const usage = readUsage(stored) ?? ZERO_USAGE;
    const pushedBefore = this.#pushedBefore();
    const pushed = await pushUsage(this.#dependencies, window, { windowMs, nowMs: firing.nowMs, usage });
    if ("reason" in pushed) return this.#backOff(pushed.reason);

    const isIdle = sameUsage(usage, pushedBefore ?? ZERO_USAGE);
    this.#dependencies.observe({ kind: "rollup", window, result: isIdle ? "unchanged" : "pushed" });
    const writes = writesOf(this.#dependencies.store, window, pushed);
    // Sliding away is right only while the usage stays as it was pushed; a view may always be written.
    const preconditions = isIdle ? [guardOf(quotaShardKey(window), stored)] : [];
    return this.#reschedule(isIdle ? this.#slideTo() : this.#nextPeriod, { preconditions, writes });
  }

  async #endWindow(): Promise<FiringResult> {
    const { window, windowMs, firing } = this.#rollup;
    const { store, settings, observe } = this.#dependencies;
    const stored = store.get(quotaShardKey(window));
    const usage = this.#lastUsage(stored);
    const pushed = await pushUsage(this.#dependencies, window, { windowMs, nowMs: firing.nowMs, usage });
    if ("reason" in pushed) return this.#backOff(pushed.reason);

    const pruned = bothPruned(pruneWindow(store, ["qi"], window), () =>
      pruneBefore(store, ["qs", "qv", "qi"], leftBehindBy(window, firing.nowMs, settings.windowMs)),
    );
    if (pruned.rows > 0) observe({ kind: "pruned", ...pruned });
    if (!pruned.isComplete) return this.#reschedule(firing.nowMs + 1, NOTHING_ELSE);
    observe({ kind: "rollup", window, result: "ended" });
    return {
      kind: "done",
      batch: {
        preconditions: [guardOf(quotaShardKey(window), stored)],
        writes: [
          { kind: "delete", key: quotaShardKey(window) },
          { kind: "delete", key: quotaViewKey(window) },
          ...(this.#isLastWindow ? [{ kind: "delete", key: LIMITS_KEY } as const] : []),
        ],
      },
    };
  }

  #backOff(reason: FailureReason): FiringResult {
    const { window } = this.#rollup;
    this.#dependencies.observe({ kind: "rollupFailed", window, reason });
    return this.#reschedule(this.#nextPeriod, NOTHING_ELSE);
  }

  #reschedule(
    dueAtMs: number,
    batch: { preconditions: readonly Precondition[]; writes: readonly Write[] },
  ): FiringResult {
    return { kind: "reschedule", dueAtMs, value: encodeWindowMs(this.#rollup.windowMs), batch };
  }

  get #expiryMs(): number {
    return windowExpiryMs(this.#rollup.window, this.#rollup.windowMs, this.#dependencies.settings.clockGraceMs);
  }

  get #nextPeriod(): number {
    const { firing } = this.#rollup;
    return Math.max(firing.nowMs + this.#dependencies.settings.rollupMs, firing.timer.dueAtMs + 1);
  }

  /** The first whole period at or after the window's expiry: shards keep their phase and do not end all at once. */
  #slideTo(): number {
    const { rollupMs } = this.#dependencies.settings;
    const { nowMs } = this.#rollup.firing;
    const periods = Math.max(Math.ceil((this.#expiryMs - nowMs) / rollupMs), 1);
    return Math.max(nowMs + periods * rollupMs, this.#nextPeriod);
  }

  /** Limits are kept while there is a window to charge: the next first charge asks for them anyway. */
  get #isLastWindow(): boolean {
    return this.#dependencies.store.scan(classRange("qs"), { limit: 2 }).rows.length < 2;
  }

  /** What the stored view says was pushed; a view that cannot be read says nothing. */
  #pushedBefore(): Usage | null {
    const value = this.#dependencies.store.get(quotaViewKey(this.#rollup.window));
    return value === null ? null : (decodeView(value)?.pushed ?? null);
  }

  /** The window is over: a count that cannot be read any more must not keep it. */
  #lastUsage(stored: Uint8Array | null): Usage {
    try {
      return readUsage(stored) ?? ZERO_USAGE;
    } catch {
      return this.#pushedBefore() ?? ZERO_USAGE;
    }
  }
}

/** Stores what a push brought back; limits only when they changed. */
export function writesOf(store: Store, window: Window, pushed: Pushed): readonly Write[] {
  const view: Write = { kind: "put", key: quotaViewKey(window), value: encodeView(pushed.view) };
  const stored = store.get(LIMITS_KEY);
  if (pushed.limits.kind === "own") {
    const value = encodeLimits(pushed.limits.limits);
    return stored !== null && equalBytes(stored, value) ? [view] : [view, { kind: "put", key: LIMITS_KEY, value }];
  }
  const isDropped = pushed.limits.kind === "none" && stored !== null;
  return isDropped ? [view, { kind: "delete", key: LIMITS_KEY }] : [view];
}
