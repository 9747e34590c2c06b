// What everything in one run shares: time, chance, the faults that are on, and what was found wrong.
import { type FaultRates, NO_FAULTS, type Plan } from "./plan.ts";
import type { Random } from "./random.ts";
import { VirtualTime } from "./virtual-time.ts";

/** `fault` is an exception where none may be. */
export type Guarantee = "G1" | "G2" | "G3" | "G4" | "G5" | "G6" | "G7" | "G8" | "fault";

export interface Violation {
  readonly guarantee: Guarantee;
  /** Ms since the run began. */
  readonly atMs: number;
  readonly detail: string;
}

/** More than these are not kept: the first one says what to look at. */
const MAX_VIOLATIONS = 20;
const MAX_LATENCY_MS = 20;
/** No call is under way for longer than this part of a period, so a rollup heals what an old push did. */
const SLOWEST_OF_PERIOD = 0.3;
const SLOWEST_FLUSH_MS = 500;
const START_MS = 1_700_000_000_000;

export class World {
  readonly plan: Plan;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly startMs: number;
  readonly violations: Violation[] = [];
  /** How often what happened. */
  readonly counts = new Map<string, number>();
  /** Null while there are faults. */
  calmSinceMs: number | null = null;

  constructor(plan: Plan, random: Random) {
    this.plan = plan;
    this.random = random;
    this.startMs = Math.ceil(START_MS / plan.settings.windowMs) * plan.settings.windowMs;
    this.time = new VirtualTime(this.startMs);
  }

  get nowMs(): number {
    return this.time.nowMs;
  }

  /** Ms without a fault, up to now. */
  get calmForMs(): number {
    return this.calmSinceMs === null ? 0 : this.nowMs - this.calmSinceMs;
  }

  happens(fault: keyof FaultRates): boolean {
    const rates = this.calmSinceMs === null ? this.plan.rates : NO_FAULTS;
    if (!this.random.chance(rates[fault])) return false;
    this.count(fault);
    return true;
  }

  latencyMs(): number {
    const slowestMs = Math.floor(this.plan.settings.rollupMs * SLOWEST_OF_PERIOD);
    return this.random.integer(1, this.happens("slowCall") ? slowestMs : MAX_LATENCY_MS);
  }

  flushMs(): number {
    return this.random.integer(1, this.happens("slowFlush") ? SLOWEST_FLUSH_MS : MAX_LATENCY_MS / 2);
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times);
  }

  /** Reports what does not hold. */
  expect(holds: boolean, guarantee: Guarantee, detail: () => string): void {
    if (holds || this.violations.length >= MAX_VIOLATIONS) return;
    this.violations.push({ guarantee, atMs: this.nowMs - this.startMs, detail: detail() });
  }
}
