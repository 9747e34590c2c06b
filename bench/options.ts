// The command line.
import { parseArgs } from "node:util";

export const SECTION_NAMES = ["charges", "fan-in", "http", "costs", "growth"] as const;
export type SectionName = (typeof SECTION_NAMES)[number];

export interface Options {
  readonly rounds: number;
  readonly only: readonly SectionName[];
  /** Where the figures go as JSON; null for nowhere. */
  readonly jsonPath: string | null;
  /** Whether bench/RESULTS.md is to be written. */
  readonly writesResults: boolean;
}

const DEFAULT_ROUNDS = "5";
const MAX_ROUNDS = 9;

export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      json: { type: "string" },
      rounds: { type: "string", default: DEFAULT_ROUNDS },
      only: { type: "string", multiple: true },
      results: { type: "boolean", default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) throw new Error(`--rounds: 1 to ${MAX_ROUNDS}`);
  return {
    rounds,
    only: (values.only ?? SECTION_NAMES).map(sectionName),
    jsonPath: values.json ?? null,
    writesResults: values.results,
  };
}

function sectionName(name: string): SectionName {
  const known = SECTION_NAMES.find((section) => section === name);
  if (known === undefined) throw new Error(`--only: one of ${SECTION_NAMES.join(", ")}`);
  return known;
}
