// The timer engine: fires the due timer rows of one partition in key order, within a budget.
//
// A row leaves the store only by a batch that is guarded on it, so a crash anywhere leaves either the
// row or all that firing it meant. Nothing a handler does can stop later rows, lose a row, or leave
// one without a next wake.
import { equalBytes } from "../core/bytes.ts";
import type { Clock } from "../core/clock.ts";
import type { Observe } from "../core/events.ts";
import {
  classRange,
  decodeTimerKey,
  isInRange,
  type Key,
  type Timer,
  timerKey,
  timersDueAfter,
  timersDueBy,
} from "../core/keys.ts";
import type { Partition } from "../core/partition.ts";
import { type Batch, MAX_SCAN_ROWS, type Page, type Row, type Store, type Write } from "../store/contract.ts";
import { earliestPutTimer } from "./alarm.ts";
import { RETRY_DELAY_MS, type TickBudget, UNKNOWN_DELAY_MS } from "./budget.ts";
import type { FiringResult, TimerHandler, TimerRegistry } from "./registry.ts";

export interface Tick {
  readonly store: Store;
  readonly partition: Partition;
  readonly registry: TimerRegistry;
  readonly clock: Clock;
  /** Rows due at or before this fire. */
  readonly nowMs: number;
  readonly budget: TickBudget;
  /** Where the last tick left off; null begins at the first row. */
  readonly resumeAt: Key | null;
  readonly observe: Observe;
}

export interface TickReport {
  /** Rows whose batch was committed. */
  fired: number;
  /** Rows that changed while their handler ran. */
  raced: number;
  /** Rows whose handler threw, asked to retry, moved its row nowhere, or could not be committed. */
  failed: number;
  /** Rows that are malformed, or of a kind nobody here runs. */
  unknown: number;
  /** Rows left for the next tick by their kind's cap. */
  deferred: number;
  scanned: number;
  stoppedOnBudget: boolean;
  /** The first row that got no turn; the next tick begins there, so that no row can starve another. */
  resumeAt: Key | null;
  /** Unix ms; null when no timer is left. */
  nextWakeMs: number | null;
}

/** The first later row is nearly always the one looked for. */
const LATER_ROWS_PER_PAGE = 8;

type Move = Exclude<FiringResult, { kind: "retry" | "unknown" }>;
type RowOutcome = "fired" | "raced" | "failed" | "unknown" | "deferred";

/** Runs the due rows of `tick.store`. Never throws for what a handler does. */
export async function runDue(tick: Tick): Promise<TickReport> {
  const report: TickReport = {
    fired: 0,
    raced: 0,
    failed: 0,
    unknown: 0,
    deferred: 0,
    scanned: 0,
    stoppedOnBudget: false,
    resumeAt: null,
    nextWakeMs: null,
  };
  const run = new TickRun(tick);
  for (const row of readDueRows(tick, run.maxRows)) {
    if (run.isExhausted(report)) {
      report.stoppedOnBudget = true;
      report.resumeAt ??= row.key;
      break;
    }
    report.scanned++;
    const outcome = await run.handle(row);
    report[outcome]++;
    if (outcome === "deferred") report.resumeAt ??= row.key;
  }
  report.nextWakeMs = nextWake(tick, report, run.hasWrittenDue);
  return report;
}

/**
 * The due rows in key order, from where the last tick left off and then around from the first; one row
 * more than the budget allows, so that the loop sees whether rows were left.
 */
function readDueRows(tick: Tick, maxRows: number): readonly Row[] {
  const due = timersDueBy(tick.nowMs);
  const limit = maxRows + 1;
  const resumeAt = tick.resumeAt;
  if (resumeAt === null || !isInRange(due, resumeAt)) return tick.store.scan(due, { limit }).rows;
  const { rows } = tick.store.scan({ start: resumeAt, end: due.end }, { limit });
  if (rows.length === limit) return rows;
  const around = tick.store.scan({ start: due.start, end: resumeAt }, { limit: limit - rows.length });
  return [...rows, ...around.rows];
}

/** What one tick has spent, and how it treats one row. */
class TickRun {
  /** At least one, and one less than a scan gives. */
  readonly maxRows: number;
  /** A batch put a timer that is due already; this tick has not read it. */
  hasWrittenDue = false;
  readonly #tick: Tick;
  readonly #startedAtMs: number;
  readonly #firingsOfKind = new Map<number, number>();
  readonly #warnedOf = new Set<number | null>();

  constructor(tick: Tick) {
    this.maxRows = Math.min(Math.max(tick.budget.maxRows, 1), MAX_SCAN_ROWS - 1);
    this.#tick = tick;
    this.#startedAtMs = tick.clock();
  }

  /** The first row always has its turn, so that no budget can stop everything for ever. */
  isExhausted(report: TickReport): boolean {
    const { budget, clock } = this.#tick;
    return (
      report.scanned > 0 &&
      (report.fired >= budget.maxCommits ||
        report.scanned >= this.maxRows ||
        clock() - this.#startedAtMs >= budget.maxElapsedMs)
    );
  }

  async handle(row: Row): Promise<RowOutcome> {
    const timer = decodeTimerKey(row.key);
    const handler = timer === null ? null : this.#tick.registry.find(timer.kind, this.#tick.partition);
    if (timer === null || handler === null) return this.#warnUnknown(timer);
    if (!this.#takeTurn(handler)) return "deferred";
    if (!isUnchanged(this.#tick.store, row)) return "raced";
    const { nowMs, clock, observe } = this.#tick;
    const begunAtMs = clock();
    try {
      const result = await handler.fire({ timer, value: row.value, nowMs });
      if (result.kind === "unknown") return this.#warnUnknown(timer);
      const outcome = this.#commit(row, timer, result);
      if (outcome === "fired") {
        const times = { latenessMs: nowMs - timer.dueAtMs, durationMs: clock() - begunAtMs };
        observe({ kind: "timerFired", timerKind: timer.kind, ...times });
      }
      return outcome;
    } catch (error) {
      observe({ kind: "timerFailed", timerKind: timer.kind, detail: String(error) });
      return "failed";
    }
  }

  #commit(row: Row, timer: Timer, result: Exclude<FiringResult, { kind: "unknown" }>): RowOutcome {
    const batch = result.kind === "retry" ? null : batchFor(row, timer, result);
    if (batch === null) return "failed";
    if (this.#tick.store.apply(batch).kind !== "committed") return "raced";
    const earliest = earliestPutTimer(batch.writes);
    this.hasWrittenDue ||= earliest !== null && earliest <= this.#tick.nowMs;
    return "fired";
  }

  #takeTurn(handler: TimerHandler): boolean {
    const firings = this.#firingsOfKind.get(handler.kind) ?? 0;
    const cap = Math.max(Math.min(handler.maxPerTick, this.#tick.budget.maxPerKind), 1);
    if (firings >= cap) return false;
    this.#firingsOfKind.set(handler.kind, firings + 1);
    return true;
  }

  #warnUnknown(timer: Timer | null): RowOutcome {
    const kind = timer?.kind ?? null;
    if (!this.#warnedOf.has(kind)) this.#tick.observe({ kind: "timerUnknown", timerKind: kind });
    this.#warnedOf.add(kind);
    return "unknown";
  }
}

function isUnchanged(store: Store, row: Row): boolean {
  const value = store.get(row.key);
  return value !== null && equalBytes(value, row.value);
}

/** The handler's batch with the removal or move of its row; null when the row would move nowhere. */
function batchFor(row: Row, timer: Timer, result: Move): Batch | null {
  const writes: Write[] = [...result.batch.writes, { kind: "delete", key: row.key }];
  if (result.kind === "reschedule") {
    const key = timerKey({ ...timer, dueAtMs: result.dueAtMs });
    if (equalBytes(key, row.key)) return null;
    writes.push({ kind: "put", key, value: result.value });
  }
  return {
    preconditions: [{ kind: "equals", key: row.key, value: row.value }, ...result.batch.preconditions],
    writes,
  };
}

function nextWake(tick: Tick, report: TickReport, hasWrittenDue: boolean): number | null {
  const wakes = [firstDueAfter(tick), hasWrittenDue ? tick.nowMs : null];
  if (report.stoppedOnBudget || report.deferred > 0) {
    const hasProgressed = report.fired > 0;
    wakes.push(hasProgressed ? tick.nowMs : tick.nowMs + RETRY_DELAY_MS);
  }
  if (report.raced > 0) wakes.push(tick.nowMs);
  if (report.failed > 0) wakes.push(tick.nowMs + RETRY_DELAY_MS);
  if (report.unknown > 0) wakes.push(tick.nowMs + UNKNOWN_DELAY_MS);
  const known = wakes.filter((wake) => wake !== null);
  return known.length === 0 ? null : Math.min(...known);
}

/** When the first later row that can be read is due; rows that cannot are looked at again in their own time. */
function firstDueAfter(tick: Tick): number | null {
  let hasMalformed = false;
  let cursor: string | null = null;
  do {
    const page: Page = tick.store.scan(timersDueAfter(tick.nowMs), {
      limit: LATER_ROWS_PER_PAGE,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const row of page.rows) {
      const timer = decodeTimerKey(row.key);
      if (timer !== null) return timer.dueAtMs;
      hasMalformed = true;
    }
    cursor = page.cursor;
  } while (cursor !== null);
  return hasMalformed ? tick.nowMs + UNKNOWN_DELAY_MS : null;
}

/** When the partition's first timer is due, Unix ms; null when it has none. */
export function earliestTimer(store: Store): number | null {
  const [row] = store.scan(classRange("w"), { limit: 1 }).rows;
  if (row === undefined) return null;
  return decodeTimerKey(row.key)?.dueAtMs ?? 0;
}
