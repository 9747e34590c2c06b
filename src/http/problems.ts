// Errors as clients see them: application/problem+json (RFC 9457) with a stable code. One table maps
// codes to status; the texts are safe to show, details go to the log.
import { respond } from "./respond.ts";

const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "A valid token is required" },
  forbidden: { status: 403, title: "The token does not allow this" },
  not_found: { status: 404, title: "There is nothing here" },
  method_not_allowed: { status: 405, title: "The method is not allowed here" },
  conflict: { status: 409, title: "The ref is not where it was expected" },
  payload_too_large: { status: 413, title: "The request body is too large" },
  cost_exceeds_limit: { status: 422, title: "The cost is over the whole limit" },
  idempotency_mismatch: { status: 422, title: "The idempotency key was used for another request" },
  quota_exhausted: { status: 429, title: "The quota is exhausted" },
  internal: { status: 500, title: "Something went wrong here" },
  not_configured: { status: 503, title: "The service is not configured" },
  unavailable: { status: 503, title: "The service is not available at the moment" },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

export interface ProblemOptions {
  readonly detail: string;
  /** Further members of the body. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export function problem(code: ProblemCode, { detail, members = {}, headers = {} }: ProblemOptions): Response {
  const { status, title } = PROBLEMS[code];
  return respond(
    status,
    { type: `urn:namespace-quota:problem:${code}`, title, status, detail, code, ...members },
    { "Content-Type": "application/problem+json", ...headers },
  );
}

/** Whole seconds for Retry-After, rounded up, at least 1. */
export function retryAfter(retryAfterMs: number): Readonly<Record<string, string>> {
  return { "Retry-After": String(Math.max(Math.ceil(retryAfterMs / 1_000), 1)) };
}
