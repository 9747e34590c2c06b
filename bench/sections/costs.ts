// Counts: rows, alarms and calls for each charge, rollup and silent window. Calls for each rollup are taken where
// nothing is charged, so that views which a busy machine's late alarms let grow stale are not mistaken for them.
import { showNumber, showSummary } from "../format.ts";
import type { SectionResult } from "../rounds.ts";
import { SHORT_TIMING } from "../services.ts";
import { summarize } from "../statistics.ts";
import type { SectionContext } from "./section.ts";

interface Tally {
  readonly rows: number;
  readonly alarmsSet: number;
  readonly alarmsRun: number;
  readonly calls: number;
  /** Of the calls at a coordinator, those that a charge made for a view. */
  readonly asks: number;
}

interface Tallies {
  readonly shards: Tally;
  readonly coordinator: Tally;
}

interface ChargeCounts {
  readonly first: Tallies;
  readonly charges: number;
  readonly running: Tallies;
}

interface Lives {
  readonly idle: {
    readonly shards: number;
    readonly isOnTime: boolean;
    readonly stored: { readonly rows: number; readonly rowBytes: number; readonly fileBytes: number };
    readonly charge: Tallies;
    readonly rollup: Tallies;
    readonly unchangedRollup: Tallies;
    readonly wholeWindow: Tallies;
  };
  readonly busy: {
    readonly shards: number;
    readonly charges: number;
    readonly running: Tallies;
    readonly periods: number;
  };
}

const CHARGES = 1_280;
const CALLERS = [1, 8, 64] as const;
const IDLE_SHARDS = 50;
const BUSY_SHARDS = 20;
const MAX_ATTEMPTS = 2;
/** Counts hardly differ from round to round, and a round takes a whole window. */
const MAX_ROUNDS = 3;

export async function countCosts(given: SectionContext): Promise<SectionResult> {
  const context = { ...given, rounds: Math.min(given.rounds, MAX_ROUNDS) };
  const charges = new Map<number, ChargeCounts[]>(CALLERS.map((callers) => [callers, []]));
  for (let round = 0; round < context.rounds; round++) {
    for (const callers of CALLERS) charges.get(callers)?.push(await countCharges(context, callers, round));
  }
  const lives = await livesOnTime(context);
  const perCharge = (callers: number): readonly number[] =>
    (charges.get(callers) ?? []).map((counts) => counts.running.shards.rows / counts.charges);
  return {
    tables: [chargeTable(charges), rollupTable(lives), storedTable(lives)],
    ratios: {
      rows_per_charge_1: summarize(perCharge(1)),
      rows_per_charge_64: summarize(perCharge(64)),
      coordinator_calls_per_rollup: summarize(
        lives.map(({ idle: { wholeWindow, charge } }) => {
          const calls = wholeWindow.coordinator.calls - charge.coordinator.calls;
          return calls / (wholeWindow.shards.alarmsRun - charge.shards.alarmsRun);
        }),
      ),
      coordinator_calls_per_busy_rollup: summarize(
        lives.map(({ busy }) => busy.running.coordinator.calls / busy.running.shards.alarmsRun),
      ),
      views_asked_per_busy_rollup: summarize(
        lives.map(({ busy }) => busy.running.coordinator.asks / busy.running.shards.alarmsRun),
      ),
      rollups_per_busy_shard_period: summarize(
        lives.map(({ busy }) => busy.running.shards.alarmsRun / busy.shards / busy.periods),
      ),
      alarms_per_idle_shard_window: summarize(lives.map(({ idle }) => idle.wholeWindow.shards.alarmsRun / idle.shards)),
      coordinator_calls_per_idle_shard_window: summarize(
        lives.map(({ idle }) => idle.wholeWindow.coordinator.calls / idle.shards),
      ),
      stored_bytes_per_active_shard: summarize(lives.map(({ idle }) => idle.stored.rowBytes)),
    },
  };
}

/**
 * Counts do not compete, so the lives of all rounds are lived one window after the other, but watched at once. A life
 * whose alarms came too late has missed some of them out and counts for nothing; all are then lived once more.
 */
async function livesOnTime(context: SectionContext): Promise<readonly Lives[]> {
  const onTime: Lives[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS && onTime.length < context.rounds; attempt++) {
    const rounds = Array.from({ length: context.rounds - onTime.length }, (_, round) => round);
    const lives = await Promise.all(rounds.map((round) => live(context, { attempt, round })));
    onTime.push(...lives.filter(({ idle }) => idle.isOnTime));
  }
  if (onTime.length < context.rounds) {
    console.log(
      `  ${context.rounds - onTime.length} of ${context.rounds} windows not counted: this machine is too busy for alarms to come on time`,
    );
  }
  return onTime;
}

function countCharges({ workerd }: SectionContext, callers: number, round: number): Promise<ChargeCounts> {
  const ns = `count-${callers}-${round}`;
  return workerd.drive<ChargeCounts>("countedDriver", "count-charges", { ns, callers, charges: CHARGES });
}

function live({ workerd }: SectionContext, { attempt, round }: { attempt: number; round: number }): Promise<Lives> {
  const shards = { idleShards: IDLE_SHARDS, busyShards: BUSY_SHARDS };
  const request = { name: `${attempt}-${round}`, windowsAhead: round, ...shards, ...SHORT_TIMING };
  return workerd.drive<Lives>("shortDriver", "live-through-window", request);
}

function chargeTable(charges: ReadonlyMap<number, readonly ChargeCounts[]>): SectionResult["tables"][number] {
  const first = [...charges.values()].flat().map((counts) => counts.first);
  const firstRow = [
    "an object's first",
    showSummary(summarize(first.map(({ shards }) => shards.rows))),
    showSummary(summarize(first.map(({ shards }) => shards.alarmsSet))),
    showSummary(summarize(first.map(({ coordinator }) => coordinator.calls))),
  ];
  const runningRows = [...charges].map(([callers, counts]) => [
    `in a running window, ${callers} ${callers === 1 ? "caller" : "callers"}`,
    showSummary(summarize(counts.map(({ running, charges: count }) => running.shards.rows / count))),
    showSummary(summarize(counts.map(({ running, charges: count }) => running.shards.alarmsSet / count))),
    showSummary(summarize(counts.map(({ running, charges: count }) => running.coordinator.calls / count))),
  ]);
  return {
    title: "What a charge costs, counted at the shard",
    columns: ["charge", "rows written", "alarms set", "coordinator calls"],
    rows: [firstRow, ...runningRows],
    limitedBy:
      "Limited by how many charges arrive while a commit is becoming durable: they share the next one's row. The first " +
      "creates the table (2 rows by SQLite's count) and writes the object's identity, its usage and its timer.",
  };
}

function rollupTable(lives: readonly Lives[]): SectionResult["tables"][number] {
  const rowOf = (name: string, per: (life: Lives) => number, of: (life: Lives) => Tallies): string[] => {
    const figure = (read: (tallies: Tallies) => number): string =>
      showSummary(summarize(lives.map((life) => read(of(life)) / per(life))));
    return [
      name,
      figure(({ shards }) => shards.rows),
      figure(({ shards }) => shards.alarmsSet),
      figure(({ shards }) => shards.alarmsRun),
      figure(({ coordinator }) => coordinator.calls),
      figure(({ coordinator }) => coordinator.asks),
      figure(({ coordinator }) => coordinator.rows),
    ];
  };
  const idleShards = ({ idle }: Lives): number => idle.shards;
  return {
    title: `What a rollup costs, and a whole window, for one shard (${SHORT_TIMING.windowMs / SHORT_TIMING.rollupMs} periods)`,
    columns: [
      "",
      "rows, shard",
      "alarms set",
      "alarms run",
      "coordinator calls",
      "of them asked by charges",
      "rows, coordinator",
    ],
    rows: [
      rowOf("the first charge of an empty object", idleShards, ({ idle }) => idle.charge),
      rowOf("the rollup of it", idleShards, ({ idle }) => idle.rollup),
      rowOf("a rollup with nothing new", idleShards, ({ idle }) => idle.unchangedRollup),
      rowOf("a window with one charge, to its end", idleShards, ({ idle }) => idle.wholeWindow),
      rowOf(
        "a period of a shard charged without pause",
        ({ busy }) => busy.shards * busy.periods,
        ({ busy }) => ({
          shards: { ...busy.running.shards, rows: busy.running.shards.rows - busy.charges },
          coordinator: busy.running.coordinator,
        }),
      ),
    ],
    limitedBy:
      "Limited by what must be stored: the view and the moved timer at the shard, the contribution and the total at the " +
      "coordinator; fewer than two rows there means that rollups shared the total's. The busy shard's own charges are taken off. " +
      "Fewer than one alarm a busy period means alarms that came late; then charges ask for views.",
  };
}

function storedTable(lives: readonly Lives[]): SectionResult["tables"][number] {
  const figure = (read: (stored: Lives["idle"]["stored"]) => number): string =>
    showSummary(summarize(lives.map(({ idle }) => read(idle.stored))));
  const [first] = lives;
  return {
    title: "What an active shard stores",
    columns: ["", "figure"],
    rows: [
      ["rows", figure(({ rows }) => rows)],
      ["bytes of keys and values", figure(({ rowBytes }) => rowBytes)],
      ["bytes of its database", figure(({ fileBytes }) => fileBytes)],
    ],
    limitedBy: `Limited by SQLite's pages of 4 KiB: ${showNumber(first?.idle.stored.rowBytes ?? 0)} bytes are stored in a few of them.`,
  };
}
