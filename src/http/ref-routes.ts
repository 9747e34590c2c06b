// Routes of one ref: its shard answers.
import type { ProblemCode } from "./problems.ts";
import { chargeResponse, refTargetResponse, refUsageResponse } from "./presentation.ts";
import { chargeAnswer, moveAnswer, refTargetAnswer, refUsageAnswer } from "./response-schemas.ts";
import { defineRoute, type Route } from "./route.ts";
import { chargeBody, idempotencyHeaders, moveBody, noBody, refParams } from "./schemas.ts";

const REF = "/v1/namespaces/:ns/repos/:repo/refs/:ref";

/** What any charge may be refused with. */
export const CHARGE_PROBLEMS: readonly ProblemCode[] = [
  "cost_exceeds_limit",
  "idempotency_mismatch",
  "quota_exhausted",
];

export const refRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: `${REF}/charges`,
    access: "write",
    operationId: "chargeRef",
    summary: "Charge one write on the ref's shard",
    params: refParams,
    headers: idempotencyHeaders,
    body: chargeBody,
    success: { description: "Charged, or charged before with the same key.", body: chargeAnswer, isCharge: true },
    problems: CHARGE_PROBLEMS,
    handle: async ({ params, headers, body, quota }) => {
      const charge = { bytes: body.bytes, idempotencyKey: headers["Idempotency-Key"] ?? null };
      return chargeResponse(await quota.chargeRef(params, charge), Date.now());
    },
  }),
  defineRoute({
    method: "PUT",
    path: REF,
    access: "write",
    operationId: "moveRef",
    summary: "Move the ref and charge it as one write, in one transaction",
    params: refParams,
    headers: idempotencyHeaders,
    body: moveBody,
    success: { description: "Moved and charged, or so before with the same key.", body: moveAnswer, isCharge: true },
    problems: ["conflict", ...CHARGE_PROBLEMS],
    handle: async ({ params, headers, body: { bytes, ...move }, quota }) => {
      const charge = { bytes, idempotencyKey: headers["Idempotency-Key"] ?? null };
      const result = await quota.moveRef(params, move, charge);
      return chargeResponse(result, Date.now(), { target: move.target });
    },
  }),
  defineRoute({
    method: "GET",
    path: REF,
    access: "write",
    operationId: "readRef",
    summary: "Read where the ref points",
    params: refParams,
    success: { description: "Where it points.", body: refTargetAnswer },
    problems: ["not_found"],
    handle: async ({ params, quota }) => refTargetResponse(await quota.readRef(params)),
  }),
  defineRoute({
    method: "GET",
    path: `${REF}/usage`,
    access: "write",
    operationId: "readRefUsage",
    summary: "Read the shard's current window; writes nothing",
    params: refParams,
    success: { description: "The shard's own count, and what it knows of the namespace.", body: refUsageAnswer },
    handle: async ({ params, quota }) => refUsageResponse(await quota.refUsage(params)),
  }),
  defineRoute({
    method: "POST",
    path: `${REF}/rollup`,
    access: "admin",
    operationId: "rollUpRef",
    summary: "Roll the shard up at once",
    params: refParams,
    body: noBody,
    success: { description: "The shard's window, with a fresh view.", body: refUsageAnswer },
    handle: async ({ params, quota }) => refUsageResponse(await quota.rollUpRef(params)),
  }),
];
