// Time is passed in, never taken: tests and the simulation own it.

/** Unix time in whole ms. */
export type Clock = () => number;

export interface Delay {
  readonly passed: Promise<void>;
  /** Lets go of the timer; `passed` then never resolves. */
  readonly cancel: () => void;
}

export type StartDelay = (ms: number) => Delay;

/** What `work` resolves to, or `late` when the delay passes first. The work itself goes on. */
export async function withDeadline<T>(work: Promise<T>, deadline: Delay): Promise<T | "late"> {
  try {
    return await Promise.race([work, deadline.passed.then(() => "late" as const)]);
  } finally {
    deadline.cancel();
  }
}
