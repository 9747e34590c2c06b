// One partition with test timers: rows by hand, handlers by the test's choice, ticks at any time.
import type { QuotaEvent } from "../../src/core/events.ts";
import { classRange, type Key, quotaTotalKey, timerKey, toKey } from "../../src/core/keys.ts";
import { toWindow } from "../../src/core/window.ts";
import { type Batch, MAX_SCAN_ROWS, type Row, type Write } from "../../src/store/contract.ts";
import { MemoryStore } from "../../src/store/memory-store.ts";
import { DEFAULT_BUDGET, type TickBudget } from "../../src/timers/budget.ts";
import { runDue, type TickReport } from "../../src/timers/engine.ts";
import {
  type Firing,
  type FiringResult,
  NOTHING_ELSE,
  type TimerHandler,
  TimerRegistry,
} from "../../src/timers/registry.ts";

const PARTITION = { kind: "coordinator", ns: "root" } as const;
const NO_CAP = 1_000;

export interface TickOptions {
  readonly nowMs: number;
  readonly handlers: readonly TimerHandler[];
  readonly budget?: Partial<TickBudget>;
  readonly resumeAt?: Key | null;
}

export class Rig {
  readonly store = new MemoryStore(PARTITION, () => 0);
  /** Everything observed but firings, which are kept apart. */
  readonly events: QuotaEvent[] = [];
  readonly firings: QuotaEvent[] = [];
  /** What the tick's clock shows; handlers move it to take time. */
  clockMs = 0;

  put(...rows: readonly Row[]): void {
    this.store.apply({ preconditions: [], writes: rows.map((row) => ({ kind: "put", ...row })) });
  }

  get timers(): readonly Row[] {
    return this.store.scan(classRange("w"), { limit: MAX_SCAN_ROWS }).rows;
  }

  tick({ nowMs, handlers, budget = {}, resumeAt = null }: TickOptions): Promise<TickReport> {
    return runDue({
      store: this.store,
      partition: PARTITION,
      registry: new TimerRegistry(handlers),
      clock: () => this.clockMs,
      nowMs,
      budget: { ...DEFAULT_BUDGET, ...budget },
      resumeAt,
      observe: (event) => void (event.kind === "timerFired" ? this.firings : this.events).push(event),
    });
  }
}

export type Fire = (firing: Firing) => FiringResult | Promise<FiringResult>;

export function handler(kind: number, fire: Fire, maxPerTick = NO_CAP): TimerHandler {
  return { kind, maxPerTick, runsOn: () => true, fire: async (firing) => fire(firing) };
}

export const done: Fire = () => ({ kind: "done", batch: NOTHING_ELSE });
export const retry: Fire = () => ({ kind: "retry" });

export function timer(dueAtMs: number, kind: number, reference = "", value = "value"): Row {
  return { key: timerKey({ dueAtMs, kind, reference: bytes(reference) }), value: bytes(value) };
}

/** A row in the timers' range that is too short to say of which kind it is. */
export function shortTimer(dueAtMs: number): Row {
  return { key: toKey(timer(dueAtMs, 1).key.slice(0, -1)), value: bytes("value") };
}

/** A row for a handler's effect: what a batch put here was committed. */
export function mark(window: number): Row {
  return { key: quotaTotalKey(toWindow(BigInt(window))), value: bytes("mark") };
}

export function putting(...rows: readonly Row[]): Batch {
  return { preconditions: [], writes: rows.map((row): Write => ({ kind: "put", ...row })) };
}

export function bytes(string: string): Uint8Array {
  return new TextEncoder().encode(string);
}

export function text(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}
