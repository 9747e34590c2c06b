// Measures what charges, rollups and silence cost, against bare objects and against peers, in one run on one
// workerd: `npm run bench -- [--json FILE] [--results] [--rounds 5] [--only charges|fan-in|http|costs|growth]`. The
// peers are installed when they are missing.
import { mkdtemp, rm } from "node:fs/promises";
import { goalTable } from "./goals.ts";
import { markdownTable } from "./format.ts";
import { describeRun } from "./machine.ts";
import { type Options, readOptions, type SectionName } from "./options.ts";
import { inBench } from "./paths.ts";
import { installPeers } from "./peers.ts";
import { boundRun, removeAtEnd } from "./processes.ts";
import { type Report, writeJson, writeResults } from "./report.ts";
import type { Table } from "./rounds.ts";
import { measureCharges } from "./sections/charges.ts";
import { countCosts } from "./sections/costs.ts";
import { measureFanIn } from "./sections/fan-in.ts";
import { measureGrowth } from "./sections/growth.ts";
import { measureHttp } from "./sections/http.ts";
import type { Section } from "./sections/section.ts";
import type { Summary } from "./statistics.ts";
import { startWorkerd } from "./workerd.ts";

const SECTIONS: Readonly<Record<SectionName, Section>> = {
  charges: measureCharges,
  "fan-in": measureFanIn,
  http: measureHttp,
  costs: countCosts,
  growth: measureGrowth,
};

/** The peers' installation included. */
const MAX_RUN_MS = 470_000;

async function run(options: Options): Promise<Report> {
  await installPeers();
  const circumstances = await describeRun();
  console.log(`${circumstances.machine}; ${circumstances.runtime}; commit ${circumstances.commit}`);
  const directory = await mkdtemp(inBench(".work-"));
  removeAtEnd(directory);
  const workerd = await startWorkerd({ directory });
  try {
    const tables: Table[] = [];
    const ratios: Record<string, Summary> = {};
    for (const name of options.only) {
      const startedAtMs = performance.now();
      console.log(`\n${name}`);
      const result = await SECTIONS[name]({ workerd, rounds: options.rounds, directory });
      tables.push(...result.tables);
      Object.assign(ratios, result.ratios);
      console.log(`  (${Math.round((performance.now() - startedAtMs) / 1_000)} s)`);
    }
    return { circumstances, tables: [goalTable(ratios), ...tables], ratios };
  } finally {
    await workerd.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const options = readOptions();
boundRun(MAX_RUN_MS);
const report = await run(options);
console.log(`\n${report.tables.map(markdownTable).join("\n\n")}`);
if (options.jsonPath !== null) await writeJson(options.jsonPath, report);
if (options.writesResults) await writeResults(inBench("RESULTS.md"), report);
