// A typed client of the HTTP API: one method for each operation of GET /openapi.json, on openapi-fetch. It
// runs wherever fetch does. Its types and paths come from the document (schema.ts), never from hand.
import createClient, { type ClientForPath } from "openapi-fetch";
import { parseCounters, stringifyCounters } from "./counters.ts";
import { endpoints, type paths } from "./schema.ts";

export type { components } from "./schema.ts";

export interface QuotaClientOptions {
  /** Where the service is: `https://quota.example.com`. */
  readonly url: string;
  /** The write token, or the admin token for what takes it. */
  readonly token: string;
  /** Sends the requests, in place of the global fetch: a service binding's, for one. */
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Endpoints = typeof endpoints;
type Call<Path extends keyof paths, Method extends string> =
  ClientForPath<paths[Path], `${string}/${string}`> extends { readonly [M in Method]: infer Send } ? Send : never;

export type QuotaClient = {
  readonly [Id in keyof Endpoints]: Call<Endpoints[Id]["path"], Endpoints[Id]["method"]>;
};

/**
 * Each method resolves to `{ data, response }`, or to `{ error, response }` with the problem the service
 * answered, told apart by its `code`. It rejects when there is no answer to read, and for a counter past 2^53 where
 * the runtime cannot read or write it exactly (see counters.ts).
 *
 * ```ts
 * const quota = createQuotaClient({ url: "https://quota.example.com", token });
 * const { data, error } = await quota.chargeRef({
 *   params: { path: { ns: "acme", repo: "web", ref: "refs/heads/main" } },
 *   body: { bytes: 4096 },
 * });
 * if (error?.code === "quota_exhausted") await retryIn(error.retryAfterMs);
 * ```
 *
 * Counters are bigint in what it returns, exact to 2^64-1; in what it sends they may be bigint or number.
 */
export function createQuotaClient({ url, token, fetch = globalThis.fetch }: QuotaClientOptions): QuotaClient {
  const texts = new WeakMap<Response, string>();
  const client = createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${token}` },
    bodySerializer: stringifyCounters,
    // openapi-fetch reads JSON by JSON.parse, which rounds; the text is kept to be read again.
    fetch: async (request) => {
      const response = await fetch(request);
      texts.set(response, await response.clone().text());
      return response;
    },
  });
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ readonly response: Response }>;
  const callOf = async ({ method, path }: Endpoints[keyof Endpoints], init: object = {}): Promise<unknown> => {
    const { response } = await request(method, path, { ...init, parseAs: "text" });
    const body = decode(response, texts.get(response) ?? "");
    return response.ok ? { data: body, response } : { error: body, response };
  };
  const calls = Object.entries(endpoints).map(([id, endpoint]) => [id, (init?: object) => callOf(endpoint, init)]);
  return Object.fromEntries(calls) as QuotaClient;
}

function decode(response: Response, text: string): unknown {
  const isJson = /^application\/(?:problem\+)?json\b/.test(response.headers.get("Content-Type") ?? "");
  return isJson ? parseCounters(text) : text;
}
