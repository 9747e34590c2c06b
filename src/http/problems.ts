// Errors as clients see them: application/problem+json (RFC 9457) with a stable code. One table maps
// codes to status and further members; the texts are safe to show, details go to the log.
import { z } from "zod";
import { respond } from "./respond.ts";
import { limits, stateMembers } from "./response-schemas.ts";
import { objectId } from "./schemas.ts";

const NONE = {};
const dimension = z.enum(["ops", "bytes"]);
const exhausted = {
  scope: z
    .enum(["shard", "namespace"])
    .meta({ description: "shard: its own count alone; namespace: together with the others." }),
  dimension,
  ...stateMembers,
  retryAfterMs: z.int().min(0),
};

const PROBLEMS = {
  invalid_request: { status: 400, title: "The request is not valid", members: NONE },
  unauthenticated: { status: 401, title: "A valid token is required", members: NONE },
  forbidden: { status: 403, title: "The token does not allow this", members: NONE },
  not_found: { status: 404, title: "There is nothing here", members: NONE },
  method_not_allowed: { status: 405, title: "The method is not allowed here", members: NONE },
  conflict: {
    status: 409,
    title: "The ref is not where it was expected",
    members: { current: objectId.nullable().meta({ description: "Where the ref points; null: it does not exist." }) },
  },
  payload_too_large: { status: 413, title: "The request body is too large", members: NONE },
  cost_exceeds_limit: { status: 422, title: "The cost is over the whole limit", members: { dimension, limits } },
  idempotency_mismatch: {
    status: 422,
    title: "The idempotency key was used for another request",
    members: NONE,
  },
  quota_exhausted: { status: 429, title: "The quota is exhausted", members: exhausted },
  internal: { status: 500, title: "Something went wrong here", members: NONE },
  not_configured: {
    status: 503,
    title: "The service is not configured",
    members: { settings: z.array(z.string()).meta({ description: "Names of the settings at fault." }) },
  },
  unavailable: { status: 503, title: "The service is not available at the moment", members: NONE },
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

type MembersOf<Code extends ProblemCode> = (typeof PROBLEMS)[Code]["members"];

export type ProblemOptions<Code extends ProblemCode> = {
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
} & (keyof MembersOf<Code> extends never
  ? { readonly members?: undefined }
  : {
      /** Further members of the body. */
      readonly members: z.input<z.ZodObject<MembersOf<Code>>>;
    });

export function problem<Code extends ProblemCode>(code: Code, options: ProblemOptions<Code>): Response {
  const { status, title } = PROBLEMS[code];
  return respond(
    status,
    { type: typeOf(code), title, status, detail: options.detail, code, ...options.members },
    { "Content-Type": "application/problem+json", ...options.headers },
  );
}

/** Whole seconds for Retry-After, rounded up, at least 1. */
export function retryAfter(retryAfterMs: number): Readonly<Record<string, string>> {
  return { "Retry-After": String(Math.max(Math.ceil(retryAfterMs / 1_000), 1)) };
}

export function problemStatus(code: ProblemCode): number {
  return PROBLEMS[code].status;
}

/** The code as the document's components are named: `QuotaExhausted`. */
export function problemId(code: ProblemCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The body that `problem` answers this code with. */
export function problemSchema(code: ProblemCode): z.ZodType {
  const { status, title, members } = PROBLEMS[code];
  return z
    .object({
      type: z.literal(typeOf(code)),
      title: z.string().meta({ examples: [title] }),
      status: z.literal(status),
      detail: z.string(),
      code: z.literal(code),
      ...members,
    })
    .meta({ id: problemId(code), title });
}

function typeOf(code: ProblemCode): string {
  return `urn:namespace-quota:problem:${code}`;
}
