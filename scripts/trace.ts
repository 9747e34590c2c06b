// The push trace: real ref writes of a public git project, one JSON object a line.
import { readFileSync } from "node:fs";

export interface Push {
  /** Unix ms. */
  readonly t: number;
  readonly ns: string;
  readonly repo: string;
  readonly ref: string;
  readonly bytes: number;
}

export interface TraceHour {
  /** The hour as a window number of 3,600,000 ms. */
  readonly number: number;
  readonly pushes: readonly Push[];
}

const HOUR_MS = 3_600_000;
const TRACE = new URL("../test/fixtures/git-pushes.ndjson", import.meta.url);

export function readTrace(): readonly Push[] {
  const lines = readFileSync(TRACE, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Push);
}

/** The hours with the most pushes, in time order. */
export function busiestHours(pushes: readonly Push[], count: number): readonly TraceHour[] {
  const hours = Map.groupBy(pushes, (push) => Math.floor(push.t / HOUR_MS));
  return [...hours]
    .map(([number, ofHour]) => ({ number, pushes: ofHour }))
    .toSorted((left, right) => right.pushes.length - left.pushes.length || left.number - right.number)
    .slice(0, count)
    .toSorted((left, right) => left.number - right.number);
}

/** Where in its hour a push was made, from 0 to 1. */
export function positionInHour(push: Push): number {
  return (push.t % HOUR_MS) / HOUR_MS;
}
