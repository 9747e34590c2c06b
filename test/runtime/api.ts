// The Worker over HTTP, as a client sees it.
import { exports } from "cloudflare:workers";
import { parseJson } from "../../src/http/json.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Answers are compared as a whole or by path; integers are bigint.
  readonly body: Record<string, unknown>;
}

export interface Call {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  /** Null sends no Authorization at all. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function call(path: string, options: Call = {}): Promise<Reply> {
  const { method = "GET", body, token = "test-admin", headers = {} } = options;
  const response = await exports.default.fetch(`https://quota.test${path}`, {
    method,
    headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseJson(text) as Record<string, unknown> };
}

export function post(path: string, body: object | string = ""): Promise<Reply> {
  return call(path, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
}

export function refPath(ns: string, ref = "refs/heads/main", repo = "web"): string {
  return `/v1/namespaces/${ns}/repos/${repo}/refs/${encodeURIComponent(ref)}`;
}

let lastNamespace = 0;

/** A namespace no other test of this file uses. */
export function freshNamespace(): string {
  lastNamespace++;
  return `ns-${lastNamespace}`;
}
