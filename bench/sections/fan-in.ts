// 200 sources of one namespace rolling up at once, again and again, at one object.
import { showNumber, showSummary } from "../format.ts";
import { resultsOf, type SectionResult, takeTurns } from "../rounds.ts";
import { ratioOf, summarize } from "../statistics.ts";
import { type Measured, measureSpeed, rateOf, type SectionContext } from "./section.ts";

const SOURCES = 200;
const DURATION_MS = 1_000;

const CONTESTANTS = [
  { name: "our coordinator, one call", contestant: "push" },
  { name: "bare upsert", contestant: "bare" },
  { name: "read, then guarded write: two calls", contestant: "twoCalls" },
] as const;

export async function measureFanIn({ workerd, rounds }: SectionContext): Promise<SectionResult> {
  const results = await takeTurns(
    rounds,
    CONTESTANTS.map(({ name, contestant }) => ({
      name,
      run: () =>
        measureSpeed(workerd, {
          contestant,
          ns: "fan-in",
          callers: SOURCES,
          spread: contestant === "bare" ? 1 : SOURCES,
          inWaves: true,
          durationMs: DURATION_MS,
        }),
    })),
  );
  const [ours, bare, twoCalls] = CONTESTANTS.map(({ name }) => resultsOf(results, name));
  if (ours === undefined || bare === undefined || twoCalls === undefined) throw new RangeError("no results");
  const rows = CONTESTANTS.map(({ name }) => rowOf(name, resultsOf(results, name)));
  for (const row of rows) console.log(`  ${row.join("  |  ")}`);
  return {
    tables: [{ ...TABLE, rows }],
    ratios: {
      fan_in_200_vs_bare_upsert: ratioOf(ours.map(rateOf), bare.map(rateOf)),
      fan_in_200_vs_two_calls: ratioOf(ours.map(rateOf), twoCalls.map(rateOf)),
      fan_in_200_failures: summarize(ours.map(({ failures }) => failures)),
      fan_in_200_two_calls_failures_per_call: summarize(twoCalls.map(({ calls, failures }) => failures / calls)),
    },
  };
}

const TABLE = {
  title: `${SOURCES} sources rolling up at once, successful rollups a second`,
  columns: ["protocol", "rollups/s", "rollups", "failed", "ms until all 200 are answered"],
  limitedBy:
    "Limited by the two rows and the decision of each rollup, since up to 90 rollups share a commit; " +
    "the two-call protocol is limited by its guard on the total, which one source in each wave wins.",
};

function rowOf(name: string, results: readonly Measured[]): string[] {
  const calls = results.reduce((sum, result) => sum + result.calls, 0);
  const failures = results.reduce((sum, result) => sum + result.failures, 0);
  const waves = results.map((result) => (result.elapsedMs / result.calls) * SOURCES);
  return [
    name,
    showSummary(summarize(results.map(rateOf))),
    showNumber(calls),
    showNumber(failures),
    showSummary(summarize(waves)),
  ];
}
