// Whether a coordinator slows down as shards come to a namespace, and what memory active objects take.
import { showNumber, showSummary } from "../format.ts";
import { resultsOf, type SectionResult, takeTurns, type Table } from "../rounds.ts";
import { ratioOf, summarize, type Summary } from "../statistics.ts";
import { measureSpeed, rateOf, type SectionContext, type SpeedOptions } from "./section.ts";

const SIZES = [10, 1_000, 20_000] as const;
const SMALLEST = SIZES[0];
const LARGEST = SIZES[2];
const DURATION_MS = 500;
const SEED_MS = 1_000;
const MAX_SEEDINGS = 40;
const SHARDS_IN_MEMORY = 400;

const ACTIONS = [
  { name: "rollup, one at a time", load: { contestant: "push", callers: 1 } },
  { name: "rollup, ten at once", load: { contestant: "push", callers: 10, inWaves: true } },
  { name: "charge at the coordinator, one at a time", load: { contestant: "coordinatorCharge", callers: 1 } },
] as const satisfies readonly { name: string; load: Pick<SpeedOptions, "contestant" | "callers" | "inWaves"> }[];

export async function measureGrowth(context: SectionContext): Promise<SectionResult> {
  const memory = [["before", await residentMemory(context)]];
  for (const size of SIZES) await seedContributions(context, size);
  memory.push([`coordinators with ${SIZES.map(showNumber).join(", ")} contributions`, await residentMemory(context)]);
  const rows: string[][] = [];
  const ratios: Summary[] = [];
  for (const { name, load } of ACTIONS) {
    const results = await takeTurns(
      context.rounds,
      SIZES.map((size) => ({
        name: String(size),
        run: () =>
          measureSpeed(context.workerd, { ...load, ns: `growth-${size}`, spread: size, durationMs: DURATION_MS }),
      })),
    );
    const rates = (size: number): readonly number[] => resultsOf(results, String(size)).map(rateOf);
    const ratio = ratioOf(rates(SMALLEST), rates(LARGEST));
    ratios.push(ratio);
    const costs = SIZES.map((size) => showSummary(summarize(rates(size).map((rate) => 1_000_000 / rate))));
    rows.push([name, ...costs, showSummary(ratio)]);
    console.log(`  ${name}: ${costs.join("  |  ")} µs, ratio ${showSummary(ratio)}`);
  }
  await openShards(context);
  memory.push([`and ${SHARDS_IN_MEMORY} more active shards`, await residentMemory(context)]);
  const worst = ratios.toSorted((left, right) => right.median - left.median)[0] ?? summarize([]);
  return {
    tables: [
      { ...GROWTH, rows },
      { ...MEMORY, rows: memory },
    ],
    ratios: { growth_20000_vs_10: worst },
  };
}

const GROWTH: Omit<Table, "rows"> = {
  title: "Cost against contributions in the coordinator, µs each",
  columns: ["", ...SIZES.map((size) => `${showNumber(size)} contributions`), "20,000 ÷ 10"],
  limitedBy:
    "Limited by the commit. A push reads and writes two rows by their keys whatever else is stored; ten at once among many " +
    "touch ten pages of the tree in place of one, and write them all. The ratio given is the worst of the three.",
};

const MEMORY: Omit<Table, "rows"> = {
  title: "Memory of the workerd process",
  columns: ["", "resident MiB"],
  limitedBy:
    "Limited by the runtime: each active object has its own SQLite connection and page cache, and JavaScript garbage comes on top.",
};

/** Rollups until every source has a contribution. */
async function seedContributions({ workerd }: SectionContext, size: number): Promise<void> {
  const ns = `growth-${size}`;
  const callers = Math.min(size, 200);
  for (let seeding = 0; seeding < MAX_SEEDINGS; seeding++) {
    const load = { contestant: "push", ns, callers, spread: size, inWaves: true } as const;
    await measureSpeed(workerd, { ...load, warmUpMs: 0, durationMs: size > callers ? SEED_MS : 50 });
    const { sources } = await workerd.drive<{ sources?: number }>("driver", "namespace-report", { ns });
    if (sources === size) return;
  }
  throw new Error(`${size} contributions could not be stored`);
}

async function openShards({ workerd }: SectionContext): Promise<void> {
  const load = { contestant: "charge", ns: "memory", callers: SHARDS_IN_MEMORY, spread: SHARDS_IN_MEMORY } as const;
  await measureSpeed(workerd, { ...load, inWaves: true, warmUpMs: 0, durationMs: 200 });
}

async function residentMemory({ workerd }: SectionContext): Promise<string> {
  const mib = await workerd.residentMiB();
  return mib === null ? "not known on this system" : showNumber(mib);
}
