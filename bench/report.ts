// The run's outcome as JSON and as a document.
import { writeFile } from "node:fs/promises";
import { markdownTable } from "./format.ts";
import type { Circumstances } from "./machine.ts";
import type { Table } from "./rounds.ts";
import type { Summary } from "./statistics.ts";

export interface Report {
  readonly circumstances: Circumstances;
  readonly tables: readonly Table[];
  readonly ratios: Readonly<Record<string, Summary>>;
}

/** `ratios` has the medians, `ranges` what they are medians of. */
export async function writeJson(path: string, { circumstances, tables, ratios }: Report): Promise<void> {
  const medians = Object.fromEntries(Object.entries(ratios).map(([name, { median }]) => [name, median]));
  const document = { ...circumstances, ratios: medians, ranges: ratios, tables };
  await writeFile(path, `${JSON.stringify(document, null, 2)}\n`);
}

export async function writeResults(path: string, { circumstances, tables }: Report): Promise<void> {
  const { machine, runtime, date, commit, command } = circumstances;
  const head = [
    "# Bench results",
    "",
    "Figures are medians over rounds, with the lowest and the highest. Absolute rates drift by a fifth and more between",
    "runs on this machine: rely on ratios within one run, and on counts.",
    "",
    `- machine: ${machine}`,
    `- runtime: ${runtime}; one process, without the dev proxy, storage on disk, loopback only`,
    `- date: ${date}`,
    `- commit: ${commit}`,
    `- command: \`${command}\``,
    "",
  ];
  await writeFile(path, `${[...head, ...tables.map(markdownTable)].join("\n")}\n`.replaceAll("\n###", "\n\n###"));
}
