// What the bench is to show. A figure short of its goal does not fail the run: it is printed as missed.
import { showNumber, showSummary } from "./format.ts";
import type { Table } from "./rounds.ts";
import type { Summary } from "./statistics.ts";

interface Goal {
  readonly ratio: string;
  readonly bound: "atLeast" | "atMost" | "exactly";
  readonly value: number;
}

const GOALS: readonly Goal[] = [
  { ratio: "hot_shard_1_vs_bare_upsert", bound: "atLeast", value: 0.85 },
  { ratio: "hot_shard_64_vs_bare_upsert", bound: "atLeast", value: 5 },
  { ratio: "fan_in_200_vs_bare_upsert", bound: "atLeast", value: 3 },
  { ratio: "fan_in_200_failures", bound: "exactly", value: 0 },
  { ratio: "http_hot_64_vs_hono_rate_limiter", bound: "atLeast", value: 2.5 },
  { ratio: "http_hot_64_p50_vs_hono_rate_limiter", bound: "atMost", value: 1 },
  { ratio: "http_100_keys_vs_hono_rate_limiter", bound: "atLeast", value: 1 },
  { ratio: "rows_per_charge_64", bound: "atMost", value: 0.1 },
  { ratio: "coordinator_calls_per_rollup", bound: "exactly", value: 1 },
  { ratio: "alarms_per_idle_shard_window", bound: "atMost", value: 3 },
  { ratio: "growth_20000_vs_10", bound: "atMost", value: 1.2 },
];

const SIGNS = { atLeast: "≥", atMost: "≤", exactly: "=" } as const;

export function goalTable(ratios: Readonly<Record<string, Summary>>): Table {
  const rows = Object.entries(ratios).map(([ratio, summary]) => {
    const goal = GOALS.find((known) => known.ratio === ratio);
    if (goal === undefined) return [ratio, showSummary(summary), "", ""];
    const wanted = `${SIGNS[goal.bound]} ${showNumber(goal.value)}`;
    if (Number.isNaN(summary.median)) return [ratio, "", wanted, "NOT MEASURED"];
    return [ratio, showSummary(summary), wanted, isMet(goal, summary.median) ? "met" : "MISSED"];
  });
  return {
    title: "Ratios and goals",
    columns: ["ratio", "median (min–max)", "goal", ""],
    rows,
    limitedBy: "Each is the median over rounds of the quotient within one round; rates: higher is better.",
  };
}

function isMet({ bound, value }: Goal, measured: number): boolean {
  switch (bound) {
    case "atLeast":
      return measured >= value;
    case "atMost":
      return measured <= value;
    case "exactly":
      return measured === value;
  }
}
