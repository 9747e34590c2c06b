import { stringifyJson } from "./json.ts";

/** A JSON response. Every answer is of its moment, so none may be kept by a cache. */
export function respond(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(stringifyJson(body), {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headers },
  });
}
