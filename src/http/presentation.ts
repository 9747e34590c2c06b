// Results of the objects as responses, of the shape that response-schemas.ts gives them: the one place where
// codes meet statuses and times become text.
import type { MoveResult, QuotaState, ViewReport, WindowSpan } from "../quota/charge.ts";
import type { LimitsReport } from "../quota/namespace-quota.ts";
import type { ContributionsPage, NamespaceReport } from "../quota/reports.ts";
import type { Found, InvalidRequest } from "../quota/result.ts";
import type { CallFailure } from "../objects/quota-client.ts";
import type { z } from "zod";
import { problem, retryAfter } from "./problems.ts";
import { PROMETHEUS_CONTENT_TYPE, prometheusText } from "./prometheus.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";
import { ANSWER_HEADERS, respond } from "./respond.ts";
import type {
  chargeAnswer,
  contributionsAnswer,
  limitsAnswer,
  moveAnswer,
  namespaceUsageAnswer,
  refTargetAnswer,
  refUsageAnswer,
} from "./response-schemas.ts";

type Failure = CallFailure | InvalidRequest;
type StateJson = z.input<typeof refUsageAnswer>;

/** Of a charge, or of a move with where the ref then points. */
export function chargeResponse(
  result: MoveResult | CallFailure,
  nowMs: number,
  moved?: { readonly target: string | null },
): Response {
  if (result.ok) {
    const { decision, countedAt, replayed } = result;
    const headers = { ...rateLimitHeaders(result, nowMs), ...(replayed ? { "Idempotent-Replayed": "true" } : {}) };
    const body = { decision, countedAt, ...stateJson(result) } satisfies z.input<typeof chargeAnswer>;
    if (moved === undefined) return respond(200, body, headers);
    return respond(200, { ...body, ...moved } satisfies z.input<typeof moveAnswer>, headers);
  }
  switch (result.code) {
    case "quota_exhausted": {
      const { scope, dimension, retryAfterMs } = result;
      return problem("quota_exhausted", {
        detail: exhaustedDetail(scope, dimension),
        members: { scope, dimension, ...stateJson(result), retryAfterMs },
        headers: { ...rateLimitHeaders(result, nowMs), ...retryAfter(retryAfterMs) },
      });
    }
    case "cost_exceeds_limit": {
      const { dimension, limits } = result;
      const detail = `The cost in ${dimension} is over the limit of a whole window, so no wait can help.`;
      return problem("cost_exceeds_limit", { detail, members: { dimension, limits } });
    }
    case "idempotency_mismatch":
      return problem("idempotency_mismatch", { detail: "The same key came before with another body." });
    case "conflict":
      return problem("conflict", {
        detail: "The ref does not point to what was expected; nothing was moved or charged.",
        members: { current: result.current },
      });
    default:
      return failureResponse(result);
  }
}

export function refTargetResponse(result: Found<{ readonly target: string | null }> | CallFailure): Response {
  if (!result.ok) return failureResponse(result);
  if (result.target === null) return problem("not_found", { detail: "The ref does not exist." });
  return respond(200, { target: result.target } satisfies z.input<typeof refTargetAnswer>);
}

export function limitsResponse(result: Found<LimitsReport> | CallFailure): Response {
  if (!result.ok) return failureResponse(result);
  const { maxOps, maxBytes, source } = result;
  return respond(200, { maxOps, maxBytes, source } satisfies z.input<typeof limitsAnswer>);
}

export function refUsageResponse(result: Found<QuotaState> | CallFailure): Response {
  return result.ok ? respond(200, stateJson(result)) : failureResponse(result);
}

export function namespaceUsageResponse(namespace: string, result: Found<NamespaceReport> | CallFailure): Response {
  if (!result.ok) return failureResponse(result);
  const { window, total, sources, limits, remaining, windows } = result;
  return respond(200, {
    namespace,
    window: windowJson(window),
    total,
    sources,
    limits,
    remaining,
    windows: [...windows],
  } satisfies z.input<typeof namespaceUsageAnswer>);
}

export function metricsResponse(namespace: string, result: Found<NamespaceReport> | CallFailure): Response {
  if (!result.ok) return failureResponse(result);
  const headers = { ...ANSWER_HEADERS, "Content-Type": PROMETHEUS_CONTENT_TYPE };
  return new Response(prometheusText(namespace, result), { headers });
}

export function contributionsResponse(result: Found<ContributionsPage> | Failure): Response {
  if (!result.ok) return failureResponse(result);
  const { items, next } = result;
  return respond(200, { items: [...items], next } satisfies z.input<typeof contributionsAnswer>);
}

function failureResponse(failure: Failure): Response {
  switch (failure.code) {
    case "unavailable":
      return problem("unavailable", {
        detail: "The request could not be completed. Try again later, with an Idempotency-Key if it must count once.",
        headers: retryAfter(failure.retryAfterMs),
      });
    case "invalid_request":
      return problem("invalid_request", { detail: failure.detail });
    case "internal":
      return problem("internal", { detail: "The request could not be handled." });
  }
}

function exhaustedDetail(scope: "shard" | "namespace", dimension: "ops" | "bytes"): string {
  const whose = scope === "shard" ? "This ref alone has" : "The namespace's refs together have";
  return `${whose} used up the window's ${dimension}.`;
}

function stateJson({ window, usage, view, limits, remaining }: QuotaState): StateJson {
  return { window: windowJson(window), usage, view: viewJson(view), limits, remaining };
}

function windowJson({ number, startsAtMs, endsAtMs }: WindowSpan): StateJson["window"] {
  return { number, startsAt: isoTime(startsAtMs), endsAt: isoTime(endsAtMs) };
}

function viewJson(view: ViewReport): StateJson["view"] {
  if (view.status === "missing") return { status: view.status };
  return { status: view.status, total: view.total, observedAt: isoTime(view.observedAtMs) };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
