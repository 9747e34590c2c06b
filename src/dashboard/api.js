// The service's API as the page uses it. Whatever happens is an answer, never an exception: the value,
// a refusal with the service's own words, or no answer at all.
import { parseJson, stringifyJson } from "./exact-json.js";

/**
 * @typedef {"ops" | "bytes"} Dimension
 * @typedef {{ops: bigint, bytes: bigint}} Counters
 * @typedef {{ops: bigint | null, bytes: bigint | null}} Remaining
 * @typedef {{maxOps: bigint | null, maxBytes: bigint | null}} Limits
 * @typedef {Limits & {source: "default" | "namespace"}} LimitsReport
 * @typedef {{number: bigint, startsAt: string, endsAt: string}} WindowSpan
 * @typedef {{window: WindowSpan, total: Counters, sources: bigint, limits: Limits, remaining: Remaining}} Usage
 * @typedef {Counters & {repo: string, ref: string}} Contribution
 * @typedef {{items: Contribution[], next: string | null}} ContributionsPage
 *
 * @typedef {{kind: "refused", status: number, code: string, detail: string}} Refused
 * @typedef {{kind: "unreachable"}} Unreachable
 * @typedef {Refused | Unreachable} Failure
 */

/**
 * `serverNowMs` is null where the answer has no Date.
 * @template T
 * @typedef {{kind: "ok", value: T, serverNowMs: number | null} | Failure} Answer
 */

const TIMEOUT_MS = 10_000;

export class QuotaApi {
  #path;
  #token;
  #signal;

  /**
   * The token is kept here and nowhere else. Calls end with the signal.
   * @param {{namespace: string, token: string, signal: AbortSignal}} options
   */
  constructor({ namespace, token, signal }) {
    this.#path = `/v1/namespaces/${encodeURIComponent(namespace)}`;
    this.#token = token;
    this.#signal = signal;
  }

  /** @returns {Promise<Answer<Usage>>} */
  usage() {
    return this.#call("GET", "/usage");
  }

  /**
   * @param {{limit: number, cursor: string | null}} page
   * @returns {Promise<Answer<ContributionsPage>>}
   */
  contributions({ limit, cursor }) {
    const query = new URLSearchParams({ limit: String(limit), ...(cursor === null ? {} : { cursor }) });
    return this.#call("GET", `/contributions?${query}`);
  }

  /** @returns {Promise<Answer<LimitsReport>>} */
  limits() {
    return this.#call("GET", "/limits");
  }

  /**
   * @param {Limits} limits
   * @returns {Promise<Answer<LimitsReport>>}
   */
  setLimits(limits) {
    return this.#call("PUT", "/limits", stringifyJson(limits));
  }

  /** @returns {Promise<Answer<LimitsReport>>} */
  dropLimits() {
    return this.#call("DELETE", "/limits");
  }

  /**
   * @template T
   * @param {"GET" | "PUT" | "DELETE"} method
   * @param {string} path
   * @param {string | null} body
   * @returns {Promise<Answer<T>>}
   */
  async #call(method, path, body = null) {
    try {
      const response = await fetch(this.#path + path, {
        method,
        body,
        headers: { Authorization: `Bearer ${this.#token}` },
        cache: "no-store",
        credentials: "omit",
        redirect: "error",
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      const value = parseJson(await response.text());
      if (!response.ok) return refusal(response.status, value);
      return { kind: "ok", value: /** @type {T} */ (value), serverNowMs: dateOf(response) };
    } catch {
      // No connection, no answer in time, or not JSON: a proxy's error page, say.
      return { kind: "unreachable" };
    }
  }
}

/**
 * @param {number} status
 * @param {unknown} problem as application/problem+json has it
 * @returns {Refused}
 */
function refusal(status, problem) {
  const { code, detail } = /** @type {{code?: unknown, detail?: unknown}} */ (problem ?? {});
  return {
    kind: "refused",
    status,
    code: typeof code === "string" ? code : "unknown",
    detail: typeof detail === "string" ? detail : "No reason was given.",
  };
}

/** @param {Response} response */
function dateOf(response) {
  const ms = Date.parse(response.headers.get("Date") ?? "");
  return Number.isNaN(ms) ? null : ms;
}
