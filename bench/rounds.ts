// Contestants take turns: every round runs each of them once, in an order that turns around from round to
// round, so that drift of the machine meets all alike. A round before the first is thrown away: a service
// that runs for weeks is not measured by code that has yet to be compiled.
import type { Summary } from "./statistics.ts";

export interface Contestant<Result> {
  readonly name: string;
  readonly run: () => Promise<Result>;
}

/** Results by contestant, one for each round. */
export async function takeTurns<Result>(
  rounds: number,
  contestants: readonly Contestant<Result>[],
): Promise<ReadonlyMap<string, readonly Result[]>> {
  const results = new Map<string, Result[]>(contestants.map(({ name }) => [name, []]));
  for (const { run } of contestants) await run();
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? contestants : contestants.toReversed();
    for (const { name, run } of order) results.get(name)?.push(await run());
  }
  return results;
}

export function resultsOf<Result>(results: ReadonlyMap<string, readonly Result[]>, name: string): readonly Result[] {
  const found = results.get(name);
  if (found === undefined) throw new RangeError(`there is no contestant ${name}`);
  return found;
}

/** What a section has found out. */
export interface SectionResult {
  readonly tables: readonly Table[];
  readonly ratios: Readonly<Record<string, Summary>>;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** One sentence on what limits the figures. */
  readonly limitedBy: string;
}
