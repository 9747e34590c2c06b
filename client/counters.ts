// JSON with exact counters. JSON.parse rounds integers past 2^53 unless it shows their source text, and
// JSON.stringify refuses bigint unless it takes raw text. Both come with Node 22, Chrome 114, Firefox 135,
// Safari 18.4 and workerd; elsewhere counters up to 2^53 work, and larger ones throw rather than round.
// https://github.com/tc39/proposal-json-parse-with-source
import { counterNames } from "./schema.ts";

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?(text: string): object;
}

const exactJson = JSON as unknown as ExactJson;
const COUNTERS: ReadonlySet<string> = new Set(counterNames);

/** Counters as bigint, all else as JSON.parse has it. Throws SyntaxError, and RangeError for what it would round. */
export function parseCounters(text: string): unknown {
  return exactJson.parse(text, (key, value, context) => {
    if (typeof value !== "number" || !COUNTERS.has(key)) return value;
    if (context?.source !== undefined) return BigInt(context.source);
    if (!Number.isSafeInteger(value)) throw new RangeError(`${key}: this runtime cannot read it exactly`);
    return BigInt(value);
  });
}

/** Throws RangeError for a bigint that it could not write exactly. */
export function stringifyCounters(value: unknown): string {
  return JSON.stringify(value, (key, part: unknown) => {
    if (typeof part !== "bigint") return part;
    if (exactJson.rawJSON !== undefined) return exactJson.rawJSON(part.toString());
    if (!Number.isSafeInteger(Number(part))) throw new RangeError(`${key}: this runtime cannot write it exactly`);
    return Number(part);
  });
}
