// JSON whose integers are exact, as the API writes them: every whole number is a bigint, in both
// directions, so a counter past 2^53 is shown as it is.

/**
 * JSON.parse source text access, not yet in TypeScript's library.
 * https://github.com/tc39/proposal-json-parse-with-source
 * @typedef {object} ExactJson
 * @property {(text: string, reviver: (key: string, value: unknown, context: {source?: string}) => unknown) => unknown} parse
 * @property {(text: string) => object} rawJSON
 */

const exactJson = /** @type {ExactJson} */ (/** @type {unknown} */ (JSON));
const INTEGER = /^-?[0-9]+$/;

/** False in a browser that would round what it shows. */
export function isExactJsonSupported() {
  return typeof exactJson.rawJSON === "function";
}

/**
 * Throws SyntaxError.
 * @param {string} text
 * @returns {unknown}
 */
export function parseJson(text) {
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && INTEGER.test(source) ? BigInt(source) : value,
  );
}

/**
 * @param {unknown} value
 * @returns {string}
 */
export function stringifyJson(value) {
  return JSON.stringify(value, (_key, /** @type {unknown} */ part) =>
    typeof part === "bigint" ? exactJson.rawJSON(part.toString()) : part,
  );
}
