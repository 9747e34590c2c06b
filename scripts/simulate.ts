// The simulation as a tool: the guarantees through any number of seeds of faults, one seed again, or the
// overshoot to expect of a load. The same code runs in the tests (test/simulation).
import { parseArgs } from "node:util";
import { runSeed, type RunReport } from "../test/simulation/campaign.ts";
import { type Load, type Overshoot, simulateOvershoot } from "../test/simulation/overshoot.ts";

const USAGE = `Usage:
  npm run simulate -- [--seeds N] [--seed FIRST]     faults: G1 to G8 through N seeds
  npm run simulate -- --seed N                       faults: one seed again, in detail
  npm run simulate -- --shards N [options]           overshoot: how far a total goes past its cap

Faults (virtual time, the real quota code over memory stores)
  --seeds N        number of seeds (200)
  --seed N         the first seed (1); alone: that seed, with what happened in it

Overshoot (no faults, one window; ops only)
  --shards N       active shards of the namespace
  --rate R         charges a second at each shard (1)
  --max-ops N      the namespace's cap in a window (1000)
  --rollup-ms N    rollup period (60000)
  --window-ms N    window length (3600000)
  --runs N         runs, each with arrivals of its own (20)
  --seed N         the first run's seed (1)

  --help           this text

Exit status: 0 all held, 1 a guarantee was broken, 2 wrong usage.
`;

const OPTIONS = {
  help: { type: "boolean" },
  seeds: { type: "string" },
  seed: { type: "string" },
  shards: { type: "string" },
  rate: { type: "string" },
  "max-ops": { type: "string" },
  "rollup-ms": { type: "string" },
  "window-ms": { type: "string" },
  runs: { type: "string" },
} as const;

const MAX_SEED = 2 ** 32 - 1;
const MAX_COUNT = 1_000_000;
const MAX_SPAN_MS = 366 * 24 * 3_600_000;
const OVERSHOOT_OPTIONS = ["rate", "max-ops", "rollup-ms", "window-ms", "runs"] as const;

type Values = { readonly [Name in Exclude<keyof typeof OPTIONS, "help">]?: string | undefined };

class UsageError extends Error {}

async function main(args: readonly string[]): Promise<number> {
  const values = readArguments(args);
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.shards !== undefined) return runOvershoot(values);
  const misplaced = OVERSHOOT_OPTIONS.find((name) => values[name] !== undefined);
  if (misplaced !== undefined) throw new UsageError(`--${misplaced} needs --shards`);
  if (values.seed !== undefined && values.seeds === undefined) return replay(wholeOf(values, "seed", 1, MAX_SEED));
  return runFaults(wholeOf(values, "seed", 1, MAX_SEED), wholeOf(values, "seeds", 200, MAX_COUNT));
}

async function runFaults(first: number, seeds: number): Promise<number> {
  const sums = new Map<string, number>();
  let broken = 0;
  for (let seed = first; seed < first + seeds; seed++) {
    const report = await runSeed(seed);
    addCounts(sums, report);
    const [violation] = report.violations;
    if (violation === undefined) continue;
    broken++;
    print(`seed ${seed}: ${violation.guarantee} after ${violation.atMs} ms: ${violation.detail}`);
    print(`  again: npm run simulate -- --seed ${seed}`);
  }
  const [admitted, crashes, restores] = ["admitted", "crash", "restore"].map((what) => sums.get(what) ?? 0);
  print(
    `${seeds} seeds from ${first}, ${broken} broken: ${admitted} admitted, ${crashes} crashes, ${restores} restores`,
  );
  return broken === 0 ? 0 : 1;
}

async function replay(seed: number): Promise<number> {
  const { plan, violations, counts } = await runSeed(seed);
  const { limits, ...settings } = plan.settings;
  print(`seed ${seed}`);
  print(`  ${plan.namespaces.length} namespaces of ${plan.shards} shards, ${plan.windows} windows`);
  print(`  caps: ${limits.maxOps ?? "no"} ops, ${limits.maxBytes ?? "no"} bytes; ${JSON.stringify(settings)}`);
  for (const [what, times] of [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    print(`  ${String(times).padStart(6)} ${what}`);
  }
  for (const { guarantee, atMs, detail } of violations) print(`${guarantee} after ${atMs} ms: ${detail}`);
  print(violations.length === 0 ? "all held" : `${violations.length} violations`);
  return violations.length === 0 ? 0 : 1;
}

async function runOvershoot(values: Values): Promise<number> {
  if (values.seeds !== undefined) throw new UsageError("--seeds does not go with --shards; --runs does");
  const load: Load = {
    shards: wholeOf(values, "shards", 1, MAX_COUNT),
    rate: rateOf(values),
    maxOps: wholeOf(values, "max-ops", 1_000, Number.MAX_SAFE_INTEGER),
    rollupMs: wholeOf(values, "rollup-ms", 60_000, MAX_SPAN_MS),
    windowMs: wholeOf(values, "window-ms", 3_600_000, MAX_SPAN_MS),
  };
  const seed = wholeOf(values, "seed", 1, MAX_SEED);
  const runs: Overshoot[] = [];
  for (let run = 0; run < wholeOf(values, "runs", 20, MAX_COUNT); run++) {
    runs.push(await simulateOvershoot(load, seed + run));
  }
  return printOvershoot(load, runs);
}

function printOvershoot(load: Load, runs: readonly Overshoot[]): number {
  const all = runs.map(({ ops }) => ops);
  const past = runs.flatMap(({ tightest }) => (tightest === null ? [] : [tightest]));
  const expectedBound = Math.round(((load.shards - 1) * load.rate * 3 * load.rollupMs) / 1_000);
  const percent = (ops: number): string =>
    `${ops.toFixed(1)} ops (${((100 * ops) / Math.max(load.maxOps, 1)).toFixed(1)} %)`;
  print(`${runs.length} runs: ${load.shards} shards at ${load.rate}/s, cap ${load.maxOps}, rollup ${load.rollupMs} ms`);
  print(`worst overshoot  ${percent(Math.max(...all))}`);
  print(`mean overshoot   ${percent(all.reduce((sum, ops) => sum + ops, 0) / all.length)}`);
  print(`at most, if every charge of the others in three periods were admitted: ${expectedBound} ops`);
  const broken = past.filter(({ overshoot, bound }) => overshoot > bound);
  const tightest = past.toSorted((left, right) => left.bound - left.overshoot - (right.bound - right.overshoot))[0];
  if (tightest === undefined) print("no run went past the cap");
  else print(`closest to G5's bound: ${tightest.overshoot} past the cap, the others admitted ${tightest.bound}`);
  print(`G5 ${broken.length === 0 ? "held in all runs" : `was broken in ${broken.length} runs`}`);
  return broken.length === 0 ? 0 : 1;
}

function readArguments(args: readonly string[]): ReturnType<typeof parse>["values"] {
  try {
    return parse(args).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: false });
}

function wholeOf(values: Values, name: keyof Values, fallback: number, max: number): number {
  const min = name === "max-ops" || name === "seed" ? 0 : 1;
  const text = values[name];
  if (text === undefined) return fallback;
  const number = Number(text);
  if (/^[0-9]+$/.test(text) && number >= min && number <= max) return number;
  throw new UsageError(`--${name}: a whole number from ${min} to ${max}`);
}

function rateOf({ rate = "1" }: Values): number {
  const number = Number(rate);
  if (/^[0-9]*\.?[0-9]+$/.test(rate) && number > 0) return number;
  throw new UsageError("--rate: a number above 0");
}

function addCounts(sums: Map<string, number>, { counts }: RunReport): void {
  for (const [what, times] of counts) sums.set(what, (sums.get(what) ?? 0) + times);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n\n${USAGE}`);
  process.exitCode = 2;
}
