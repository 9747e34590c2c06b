// Routes of a whole namespace: its coordinator answers.
import {
  chargeResponse,
  contributionsResponse,
  limitsResponse,
  metricsResponse,
  namespaceUsageResponse,
} from "./presentation.ts";
import { CHARGE_PROBLEMS } from "./ref-routes.ts";
import {
  chargeAnswer,
  contributionsAnswer,
  limitsAnswer,
  metricsAnswer,
  namespaceUsageAnswer,
} from "./response-schemas.ts";
import { defineRoute, type Route } from "./route.ts";
import { chargeBody, contributionsQuery, idempotencyHeaders, limitsBody, namespaceParams } from "./schemas.ts";

const NAMESPACE = "/v1/namespaces/:ns";

export const namespaceRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: `${NAMESPACE}/charges`,
    access: "write",
    operationId: "chargeNamespace",
    summary: "Charge one write that belongs to no ref, exactly, at the coordinator",
    params: namespaceParams,
    headers: idempotencyHeaders,
    body: chargeBody,
    success: { description: "Charged, or charged before with the same key.", body: chargeAnswer, isCharge: true },
    problems: CHARGE_PROBLEMS,
    handle: async ({ params, headers, body, quota }) => {
      const charge = { bytes: body.bytes, idempotencyKey: headers["Idempotency-Key"] ?? null };
      return chargeResponse(await quota.chargeNamespace(params.ns, charge), Date.now());
    },
  }),
  defineRoute({
    method: "GET",
    path: `${NAMESPACE}/usage`,
    access: "write",
    operationId: "readNamespaceUsage",
    summary: "Read the namespace's current window and those still stored; writes nothing",
    params: namespaceParams,
    success: { description: "The namespace's totals, as far as rolled up.", body: namespaceUsageAnswer },
    handle: async ({ params: { ns }, quota }) => namespaceUsageResponse(ns, await quota.namespaceUsage(ns)),
  }),
  defineRoute({
    method: "GET",
    path: `${NAMESPACE}/contributions`,
    access: "write",
    operationId: "listContributions",
    summary: "List what each ref shard has rolled up in one window, in order, page by page",
    params: namespaceParams,
    query: contributionsQuery,
    success: { description: "A page.", body: contributionsAnswer },
    handle: async ({ params, query: { window = null, limit, cursor = null }, quota }) =>
      contributionsResponse(await quota.contributions(params.ns, { window, limit, cursor })),
  }),
  defineRoute({
    method: "GET",
    path: `${NAMESPACE}/metrics`,
    access: "write",
    operationId: "readNamespaceMetrics",
    summary: "Read the namespace's gauges for Prometheus",
    params: namespaceParams,
    success: { description: "The gauges.", body: metricsAnswer, mediaType: "text/plain" },
    handle: async ({ params: { ns }, quota }) => metricsResponse(ns, await quota.namespaceUsage(ns)),
  }),
  defineRoute({
    method: "GET",
    path: `${NAMESPACE}/limits`,
    access: "write",
    operationId: "readLimits",
    summary: "Read the limits in force",
    params: namespaceParams,
    success: { description: "The limits and where they come from.", body: limitsAnswer },
    handle: async ({ params, quota }) => limitsResponse(await quota.limits(params.ns)),
  }),
  defineRoute({
    method: "PUT",
    path: `${NAMESPACE}/limits`,
    access: "admin",
    operationId: "setLimits",
    summary: "Give the namespace limits of its own, in force on every shard by its next rollup",
    params: namespaceParams,
    body: limitsBody,
    success: { description: "The limits now in force.", body: limitsAnswer },
    handle: async ({ params, body, quota }) => limitsResponse(await quota.setLimits(params.ns, body)),
  }),
  defineRoute({
    method: "DELETE",
    path: `${NAMESPACE}/limits`,
    access: "admin",
    operationId: "dropLimits",
    summary: "Take the namespace's own limits away, back to the deployment's",
    params: namespaceParams,
    success: { description: "The limits now in force.", body: limitsAnswer },
    handle: async ({ params, quota }) => limitsResponse(await quota.setLimits(params.ns, null)),
  }),
];
