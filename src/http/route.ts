// A route: what it takes, what it answers and who answers, stated once. app.ts serves it and openapi.ts
// describes it from the same statement, so a route cannot be served that is not described, nor take what
// its description does not say.
import type { Context } from "hono";
import type { z } from "zod";
import type { Env } from "../objects/env.ts";
import { QuotaClient } from "../objects/quota-client.ts";
import type { Role, Tokens } from "./auth.ts";
import type { ProblemCode } from "./problems.ts";
import { type Read, readBody, readHeaders, readParams, readQuery } from "./read-request.ts";
import type { noBody } from "./schemas.ts";

export interface HttpEnv {
  Bindings: Env;
  Variables: { tokens: Tokens };
}

/** What a 200 carries. */
export interface Success {
  readonly description: string;
  readonly body: z.ZodType;
  /** JSON unless it says otherwise. */
  readonly mediaType?: "text/plain";
  /** It is a charge's: with RateLimit fields, and a mark when it is a replay. */
  readonly isCharge?: boolean;
}

interface Statement {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** As the router takes it: `/v1/namespaces/:ns`. */
  readonly path: string;
  /** The least role that may call it; public takes no token. */
  readonly access: "public" | Role;
  readonly operationId: string;
  readonly summary: string;
  readonly success: Success;
  /** Codes of its own, beside those that follow from the rest (`problemCodes`). */
  readonly problems?: readonly ProblemCode[];
}

type Nothing = typeof noBody;
const LEFT_OUT: Read<object> = { ok: true, value: {} };

interface Input<Params extends z.ZodType, Query extends z.ZodType, Headers extends z.ZodType, Body extends z.ZodType> {
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly headers: z.output<Headers>;
  readonly body: z.output<Body>;
  readonly quota: QuotaClient;
}

/** What is left out is not looked at. */
interface Definition<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Headers extends z.ZodObject,
  Body extends z.ZodObject,
> extends Statement {
  readonly params?: Params;
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  readonly handle: (input: Input<Params, Query, Headers, Body>) => Response | Promise<Response>;
}

export interface Route extends Statement {
  readonly params: z.ZodObject | null;
  readonly query: z.ZodObject | null;
  readonly headers: z.ZodObject | null;
  readonly body: z.ZodObject | null;
  /** Checks the request, in this order: path, query, headers, body. */
  readonly answer: (c: Context<HttpEnv>) => Promise<Response>;
}

export function defineRoute<
  Params extends z.ZodObject = Nothing,
  Query extends z.ZodObject = Nothing,
  Headers extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
>(definition: Definition<Params, Query, Headers, Body>): Route {
  const { handle, params, query, headers, body, ...statement } = definition;
  const answer = async (c: Context<HttpEnv>): Promise<Response> => {
    const path = params === undefined ? LEFT_OUT : readParams(c, params);
    if (!path.ok) return path.problem;
    const search = query === undefined ? LEFT_OUT : readQuery(c, query);
    if (!search.ok) return search.problem;
    const fields = headers === undefined ? LEFT_OUT : readHeaders(c, headers);
    if (!fields.ok) return fields.problem;
    const content = body === undefined ? LEFT_OUT : await readBody(c, body);
    if (!content.ok) return content.problem;
    const read = { params: path.value, query: search.value, headers: fields.value, body: content.value };
    return handle({ ...read, quota: new QuotaClient(c.env) } as Input<Params, Query, Headers, Body>);
  };
  return {
    ...statement,
    params: params ?? null,
    query: query ?? null,
    headers: headers ?? null,
    body: body ?? null,
    answer,
  };
}
