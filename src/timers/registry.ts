// Which handler runs a timer of which kind, and what a handler may answer.
import type { Timer } from "../core/keys.ts";
import type { Partition } from "../core/partition.ts";
import type { Batch } from "../store/contract.ts";

export interface Firing {
  readonly timer: Timer;
  readonly value: Uint8Array;
  readonly nowMs: number;
}

/**
 * The engine commits `batch` together with the removal or move of the timer's row, guarded on that row,
 * so what is in the batch happens at most once for each row.
 */
export type FiringResult =
  | { readonly kind: "done"; readonly batch: Batch }
  | { readonly kind: "reschedule"; readonly dueAtMs: number; readonly value: Uint8Array; readonly batch: Batch }
  /** Nothing was achieved; the row stays as it is. */
  | { readonly kind: "retry" }
  /** The row is not one that this handler can read; it stays as it is. */
  | { readonly kind: "unknown" };

export interface TimerHandler {
  /** 1–255; 0 is no kind, 0xF0–0xFE are for tests. */
  readonly kind: number;
  /** Firings of this kind in one tick; 0 counts as 1. */
  readonly maxPerTick: number;
  readonly runsOn: (partition: Partition) => boolean;
  readonly fire: (firing: Firing) => Promise<FiringResult>;
}

export const NOTHING_ELSE: Batch = { preconditions: [], writes: [] };

export class TimerRegistry {
  readonly #handlers: ReadonlyMap<number, TimerHandler>;

  constructor(handlers: readonly TimerHandler[]) {
    this.#handlers = new Map(handlers.map((handler) => [handler.kind, handler]));
  }

  /** Null when this build, or this partition, does not know the kind. */
  find(kind: number, partition: Partition): TimerHandler | null {
    const handler = this.#handlers.get(kind);
    return handler?.runsOn(partition) ? handler : null;
  }
}
