// The timer of a partition that holds totals: when a window has expired, everything of it goes, whether
// or not the shards that contributed ever come back.
import type { Observe } from "../core/events.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { windowExpiryMs } from "../core/window.ts";
import type { Store } from "../store/contract.ts";
import { type FiringResult, NOTHING_ELSE, type TimerHandler } from "../timers/registry.ts";
import { observeOldestWindow } from "./oldest-window.ts";
import { bothPruned, leftBehindBy, pruneBefore, pruneWindow } from "./prune.ts";
import { encodeWindowMs, QUOTA_TIMER_KIND, readQuotaTimer } from "./rows.ts";

const MAX_EXPIRIES_PER_TICK = 4;

export interface ExpiryDependencies {
  readonly store: Store;
  readonly settings: QuotaSettings;
  readonly observe: Observe;
}

export function expiryHandler({ store, settings, observe }: ExpiryDependencies): TimerHandler {
  const fire: TimerHandler["fire"] = async (firing): Promise<FiringResult> => {
    const timer = readQuotaTimer(firing);
    if (timer === null) return { kind: "unknown" };
    const { window, windowMs } = timer;
    observeOldestWindow({ store, settings, observe }, ["qc", "qt", "qi"], firing.nowMs);
    const later = (dueAtMs: number): FiringResult => ({
      kind: "reschedule",
      dueAtMs,
      value: encodeWindowMs(windowMs),
      batch: NOTHING_ELSE,
    });
    const expiryMs = windowExpiryMs(window, windowMs, settings.clockGraceMs);
    if (firing.nowMs < expiryMs) return later(expiryMs);

    const pruned = bothPruned(pruneWindow(store, ["qc", "qt", "qi"], window), () =>
      pruneBefore(store, ["qc", "qt", "qi"], leftBehindBy(window, firing.nowMs, settings.windowMs)),
    );
    if (pruned.rows > 0) observe({ kind: "pruned", ...pruned });
    return pruned.isComplete ? { kind: "done", batch: NOTHING_ELSE } : later(firing.nowMs + 1);
  };
  return {
    kind: QUOTA_TIMER_KIND,
    maxPerTick: MAX_EXPIRIES_PER_TICK,
    runsOn: ({ kind }) => kind === "coordinator" || kind === "namespace",
    fire,
  };
}
