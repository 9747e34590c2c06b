// The routes: what each takes, who may call it, and which object answers. The table is all there is to
// the HTTP surface; app.ts mounts it.
import type { Context } from "hono";
import { QuotaClient } from "../objects/quota-client.ts";
import type { Charge } from "../quota/charge.ts";
import type { Role } from "./auth.ts";
import type { HttpEnv } from "./app.ts";
import {
  chargeResponse,
  contributionsResponse,
  limitsResponse,
  metricsResponse,
  namespaceUsageResponse,
  refTargetResponse,
  refUsageResponse,
} from "./presentation.ts";
import { type Read, readBody, readIdempotencyKey, readParams, readQuery } from "./read-request.ts";
import { chargeBody, contributionsQuery, limitsBody, moveBody, namespaceParams, noBody, refParams } from "./schemas.ts";

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
  /** The least role that may call it. */
  readonly role: Role;
  readonly handle: (c: Context<HttpEnv>) => Promise<Response>;
}

const REF = "/v1/namespaces/:ns/repos/:repo/refs/:ref";
const NAMESPACE = "/v1/namespaces/:ns";

export const routes: readonly Route[] = [
  { method: "POST", path: `${REF}/charges`, role: "write", handle: chargeRef },
  { method: "PUT", path: REF, role: "write", handle: moveRef },
  { method: "GET", path: REF, role: "write", handle: readRef },
  { method: "GET", path: `${REF}/usage`, role: "write", handle: refUsage },
  { method: "POST", path: `${REF}/rollup`, role: "admin", handle: rollUpRef },
  { method: "POST", path: `${NAMESPACE}/charges`, role: "write", handle: chargeNamespace },
  { method: "GET", path: `${NAMESPACE}/usage`, role: "write", handle: namespaceUsage },
  { method: "GET", path: `${NAMESPACE}/contributions`, role: "write", handle: contributions },
  { method: "GET", path: `${NAMESPACE}/metrics`, role: "write", handle: metrics },
  { method: "GET", path: `${NAMESPACE}/limits`, role: "write", handle: limits },
  { method: "PUT", path: `${NAMESPACE}/limits`, role: "admin", handle: setLimits },
  { method: "DELETE", path: `${NAMESPACE}/limits`, role: "admin", handle: dropLimits },
];

async function chargeRef(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  const charge = await readCharge(c);
  if (!charge.ok) return charge.problem;
  return chargeResponse(await new QuotaClient(c.env).chargeRef(target.value, charge.value), Date.now());
}

async function moveRef(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  const key = readIdempotencyKey(c);
  if (!key.ok) return key.problem;
  const body = await readBody(c, moveBody);
  if (!body.ok) return body.problem;
  const { bytes, ...move } = body.value;
  const charge = { bytes, idempotencyKey: key.value };
  const result = await new QuotaClient(c.env).moveRef(target.value, move, charge);
  return chargeResponse(result, Date.now(), { target: move.target });
}

async function readRef(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  return refTargetResponse(await new QuotaClient(c.env).readRef(target.value));
}

async function refUsage(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  return refUsageResponse(await new QuotaClient(c.env).refUsage(target.value));
}

async function rollUpRef(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  const body = await readBody(c, noBody);
  if (!body.ok) return body.problem;
  return refUsageResponse(await new QuotaClient(c.env).rollUpRef(target.value));
}

async function chargeNamespace(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  const charge = await readCharge(c);
  if (!charge.ok) return charge.problem;
  return chargeResponse(await new QuotaClient(c.env).chargeNamespace(target.value.ns, charge.value), Date.now());
}

async function namespaceUsage(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  const { ns } = target.value;
  return namespaceUsageResponse(ns, await new QuotaClient(c.env).namespaceUsage(ns));
}

async function contributions(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  const query = readQuery(c, contributionsQuery);
  if (!query.ok) return query.problem;
  const { window = null, limit, cursor = null } = query.value;
  return contributionsResponse(await new QuotaClient(c.env).contributions(target.value.ns, { window, limit, cursor }));
}

async function metrics(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  const { ns } = target.value;
  return metricsResponse(ns, await new QuotaClient(c.env).namespaceUsage(ns));
}

async function limits(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  return limitsResponse(await new QuotaClient(c.env).limits(target.value.ns));
}

async function setLimits(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  const body = await readBody(c, limitsBody);
  if (!body.ok) return body.problem;
  return limitsResponse(await new QuotaClient(c.env).setLimits(target.value.ns, body.value));
}

async function dropLimits(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, namespaceParams);
  if (!target.ok) return target.problem;
  return limitsResponse(await new QuotaClient(c.env).setLimits(target.value.ns, null));
}

async function readCharge(c: Context<HttpEnv>): Promise<Read<Charge>> {
  const key = readIdempotencyKey(c);
  if (!key.ok) return key;
  const body = await readBody(c, chargeBody);
  if (!body.ok) return body;
  return { ok: true, value: { bytes: body.value.bytes, idempotencyKey: key.value } };
}
