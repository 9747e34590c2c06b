// What a section is given.
import type { SectionResult } from "../rounds.ts";
import type { Workerd } from "../workerd.ts";

export interface SectionContext {
  readonly workerd: Workerd;
  readonly rounds: number;
  /** Of the run, for contestants that keep their data elsewhere. */
  readonly directory: string;
}

export type Section = (context: SectionContext) => Promise<SectionResult>;

/** What the driver's `speed` scenario answers. */
export interface Measured {
  readonly calls: number;
  readonly failures: number;
  readonly elapsedMs: number;
}

export interface SpeedOptions {
  readonly contestant: "charge" | "bare" | "sharing" | "nothing" | "push" | "twoCalls" | "coordinatorCharge";
  readonly ns: string;
  readonly callers: number;
  readonly spread: number;
  readonly inWaves?: boolean;
  readonly warmUpMs?: number;
  readonly durationMs: number;
}

const WARM_UP_MS = 150;

export function measureSpeed(workerd: Workerd, options: SpeedOptions): Promise<Measured> {
  return workerd.drive<Measured>("driver", "speed", { inWaves: false, warmUpMs: WARM_UP_MS, ...options });
}

/** Successful calls a second. */
export function rateOf({ calls, failures, elapsedMs }: Measured): number {
  return ((calls - failures) / elapsedMs) * 1_000;
}
