// What one tick may do, so that an alarm ends in time and one kind of timer cannot starve another.

export interface TickBudget {
  readonly maxCommits: number;
  /** Of one kind, where its handler does not say less. */
  readonly maxPerKind: number;
  readonly maxRows: number;
  readonly maxElapsedMs: number;
}

export const DEFAULT_BUDGET: TickBudget = {
  maxCommits: 128,
  maxPerKind: 32,
  maxRows: 512,
  maxElapsedMs: 10_000,
};

/** How long failed work waits; a tick that achieved nothing waits as long. */
export const RETRY_DELAY_MS = 5_000;

/** Rows nobody here can run wait for another build of this program, but never without an alarm. */
export const UNKNOWN_DELAY_MS = 3_600_000;
