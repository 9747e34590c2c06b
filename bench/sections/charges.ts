// Charges inside workerd, by RPC, against an object that upserts one row per call, and against two ceilings: an
// object whose upserts share commits, and one that does nothing.
import { showNumber, showSummary } from "../format.ts";
import { resultsOf, type SectionResult, takeTurns } from "../rounds.ts";
import { ratioOf, summarize, type Summary } from "../statistics.ts";
import { type Measured, measureSpeed, rateOf, type SectionContext } from "./section.ts";

const DURATION_MS = 500;

const LOADS = [
  { name: "64 callers, 1 object", ratio: "hot_shard_64_vs_bare_upsert", callers: 64, spread: 1 },
  { name: "8 callers, 1 object", ratio: "hot_shard_8_vs_bare_upsert", callers: 8, spread: 1 },
  { name: "1 caller, 1 object", ratio: "hot_shard_1_vs_bare_upsert", callers: 1, spread: 1 },
  { name: "64 callers, 100 objects", ratio: "spread_100_vs_bare_upsert", callers: 64, spread: 100 },
] as const;

const CONTESTANTS = ["charge", "bare", "sharing", "nothing"] as const;

export async function measureCharges({ workerd, rounds }: SectionContext): Promise<SectionResult> {
  const ratios: Record<string, Summary> = {};
  const rows: string[][] = [];
  for (const { name, ratio, callers, spread } of LOADS) {
    const results = await takeTurns(
      rounds,
      CONTESTANTS.map((contestant) => ({
        name: contestant,
        run: () => measureSpeed(workerd, { contestant, ns: "charges", callers, spread, durationMs: DURATION_MS }),
      })),
    );
    const [charge, bare, sharing, nothing] = CONTESTANTS.map((contestant) =>
      resultsOf(results, contestant).map(rateOf),
    );
    if (charge === undefined || bare === undefined || sharing === undefined || nothing === undefined) continue;
    ratios[ratio] = ratioOf(charge, bare);
    if (callers === 64 && spread === 1) {
      ratios["sharing_upserts_64_vs_bare_upsert"] = ratioOf(sharing, bare);
      ratios["doing_nothing_64_vs_bare_upsert"] = ratioOf(nothing, bare);
    }
    const figures = [charge, bare, sharing, nothing].map((rates) => showSummary(summarize(rates)));
    rows.push([name, ...figures, showSummary(ratios[ratio]), showNumber(failuresIn(results))]);
    console.log(`  ${name}: ${figures.join("  |  ")}  ratio ${showSummary(ratios[ratio])}`);
  }
  return { tables: [{ ...TABLE, rows }], ratios };
}

const TABLE = {
  title: "Charges inside workerd, calls a second by RPC",
  columns: [
    "load",
    "our charge",
    "bare upsert",
    "upserts sharing commits",
    "call that does nothing",
    "charge ÷ bare",
    "failures",
  ],
  limitedBy:
    "Limited by the commit: a lone charge pays for one, as the bare upsert does; callers of one object share theirs, " +
    "and are then limited by the calls themselves; callers of many objects share little, because each object commits for itself.",
};

function failuresIn(results: ReadonlyMap<string, readonly Measured[]>): number {
  return [...results.values()].flat().reduce((sum, { failures }) => sum + failures, 0);
}
