// What each route can answer, as OpenAPI: its own 200, and for each status the problems it can have.
import { type JsonObject, jsonSchemaOf } from "./json-schema.ts";
import { type ProblemCode, problemId, problemSchema, problemStatus } from "./problems.ts";
import type { Route, Success } from "./route.ts";

const HEADERS = {
  "RateLimit-Policy": {
    description: "The limits, one policy per limited dimension (draft-ietf-httpapi-ratelimit-headers-10).",
    schema: { type: "string", examples: ['"ops";q=300;w=3600, "bytes";q=134217728;w=3600;qu="content-bytes"'] },
  },
  RateLimit: {
    description: "What is left of each, and the seconds until the window ends.",
    schema: { type: "string", examples: ['"ops";r=258;t=2999, "bytes";r=134123520;t=2999'] },
  },
  "Retry-After": { description: "Whole seconds.", schema: { type: "integer", minimum: 1 } },
  "Idempotent-Replayed": {
    description: "The answer of an earlier request with the same key; nothing was charged.",
    schema: { type: "string", const: "true" },
  },
  "WWW-Authenticate": { description: "RFC 6750.", schema: { type: "string" } },
};

/** What the document's operations refer to, by id; filled as they are written. */
export interface Components {
  readonly schemas: JsonObject;
  readonly responses: JsonObject;
}

interface Sent {
  readonly always?: readonly (keyof typeof HEADERS)[];
  readonly sometimes?: readonly (keyof typeof HEADERS)[];
}

/** The RateLimit fields leave out what is unlimited, and so may be missing themselves. */
const RATE_LIMIT = ["RateLimit-Policy", "RateLimit"] as const;

const PROBLEM_HEADERS: Readonly<Partial<Record<ProblemCode, Sent>>> = {
  unauthenticated: { always: ["WWW-Authenticate"] },
  quota_exhausted: { always: ["Retry-After"], sometimes: RATE_LIMIT },
  unavailable: { always: ["Retry-After"] },
};

export function successResponse({ description, body, mediaType, isCharge }: Success, schemas: JsonObject): JsonObject {
  return {
    description,
    ...(isCharge === true ? { headers: headersOf([{ sometimes: [...RATE_LIMIT, "Idempotent-Replayed"] }]) } : {}),
    content: { [mediaType ?? "application/json"]: { schema: jsonSchemaOf(body, schemas) } },
  };
}

/** By status; each is a component, because most routes share it. */
export function problemResponses(route: Route, components: Components): JsonObject {
  const byStatus = Map.groupBy(problemCodes(route), problemStatus);
  const references = [...byStatus].map(([status, codes]): [number, JsonObject] => {
    const id = codes.map(problemId).join("Or");
    components.responses[id] ??= problemResponse(codes, components.schemas);
    return [status, { $ref: `#/components/responses/${id}` }];
  });
  return Object.fromEntries(references);
}

function problemCodes({ access, params, method, problems = [] }: Route): readonly ProblemCode[] {
  return [
    "not_configured",
    ...(access === "public" ? [] : (["unauthenticated"] as const)),
    ...(access === "admin" ? (["forbidden"] as const) : []),
    ...(method === "GET" ? [] : (["payload_too_large"] as const)),
    // Names are checked, and an object is asked.
    ...(params === null ? [] : (["invalid_request", "internal", "unavailable"] as const)),
    ...problems,
  ];
}

function problemResponse(codes: readonly ProblemCode[], schemas: JsonObject): JsonObject {
  const options = codes.map((code) => jsonSchemaOf(problemSchema(code), schemas));
  const [only] = options;
  const schema =
    options.length === 1
      ? only
      : {
          oneOf: options,
          discriminator: {
            propertyName: "code",
            mapping: Object.fromEntries(codes.map((code, index) => [code, options[index]?.["$ref"]])),
          },
        };
  const headers = headersOf(codes.map((code) => PROBLEM_HEADERS[code] ?? {}));
  return {
    description: codes.map((code) => `\`${code}\``).join(" or "),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { "application/problem+json": { schema } },
  };
}

/** Of a response that is one of several: a header is required if each of them always has it. */
function headersOf(sent: readonly Sent[]): JsonObject {
  const names = new Set(sent.flatMap(({ always = [], sometimes = [] }) => [...always, ...sometimes]));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      { ...HEADERS[name], required: sent.every(({ always = [] }) => always.includes(name)) },
    ]),
  );
}
