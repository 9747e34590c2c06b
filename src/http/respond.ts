import { stringifyJson } from "./json.ts";

/** For a browser that is shown an answer; and every answer is of its moment, so none may be kept by a cache. */
export const ANSWER_HEADERS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
} as const;

/** A JSON response. */
export function respond(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(stringifyJson(body), {
    status,
    headers: { "Content-Type": "application/json", ...ANSWER_HEADERS, ...headers },
  });
}
