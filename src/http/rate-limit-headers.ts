// The RateLimit fields of draft-ietf-httpapi-ratelimit-headers-10: one policy per limited dimension.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/10/
import type { QuotaState } from "../quota/charge.ts";

/** The largest integer of a structured field (RFC 9651, 3.3.1); larger quotas are shown as this. */
const MAX_FIELD_INTEGER = 999_999_999_999_999n;

/** `nowMs` is the time the answer is given. */
export function rateLimitHeaders(state: QuotaState, nowMs: number): Readonly<Record<string, string>> {
  const { window, limits, remaining } = state;
  const windowSeconds = wholeSeconds(window.endsAtMs - window.startsAtMs);
  const secondsLeft = wholeSeconds(Math.max(window.endsAtMs - nowMs, 0));
  const dimensions = [
    { name: "ops", max: limits.maxOps, left: remaining.ops, unit: "" },
    { name: "bytes", max: limits.maxBytes, left: remaining.bytes, unit: ';qu="content-bytes"' },
  ];
  const policies: string[] = [];
  const states: string[] = [];
  for (const { name, max, left, unit } of dimensions) {
    if (max === null || left === null) continue;
    policies.push(`"${name}";q=${clamp(max)};w=${windowSeconds}${unit}`);
    states.push(`"${name}";r=${clamp(left)};t=${secondsLeft}`);
  }
  if (policies.length === 0) return {};
  return { "RateLimit-Policy": policies.join(", "), RateLimit: states.join(", ") };
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

function clamp(count: bigint): bigint {
  return count < MAX_FIELD_INTEGER ? count : MAX_FIELD_INTEGER;
}
