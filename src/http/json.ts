// JSON whose integers are exact: a number without fraction or exponent is a bigint, in both directions,
// so a counter survives past 2^53.

// Part of the JSON.parse source text access proposal, not yet in TypeScript's library.
// https://github.com/tc39/proposal-json-parse-with-source
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
}

const exactJson = JSON as unknown as ExactJson;
const INTEGER = /^-?[0-9]+$/;

/** Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && INTEGER.test(source) ? BigInt(source) : value,
  );
}

export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    typeof part === "bigint" ? exactJson.rawJSON(part.toString()) : part,
  );
}
