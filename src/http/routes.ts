// The routes: what each takes, who may call it, and which object answers. The table is all there is to
// the HTTP surface; app.ts mounts it.
import type { Context } from "hono";
import { QuotaClient } from "../objects/quota-client.ts";
import type { Role } from "./auth.ts";
import type { HttpEnv } from "./app.ts";
import { chargeResponse, contributionsResponse, namespaceUsageResponse, refUsageResponse } from "./presentation.ts";
import { readBody, readParams, readQuery } from "./read-request.ts";
import { chargeBody, contributionsQuery, namespaceParams, noBody, refParams } from "./schemas.ts";

export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** The least role that may call it. */
  readonly role: Role;
  readonly handle: (c: Context<HttpEnv>) => Promise<Response>;
}

const REF = "/v1/namespaces/:ns/repos/:repo/refs/:ref";
const NAMESPACE = "/v1/namespaces/:ns";

export const routes: readonly Route[] = [
  { method: "POST", path: `${REF}/charges`, role: "write", handle: chargeRef },
  { method: "GET", path: `${REF}/usage`, role: "write", handle: refUsage },
  { method: "POST", path: `${REF}/rollup`, role: "admin", handle: rollUpRef },
  { method: "POST", path: `${NAMESPACE}/charges`, role: "write", handle: chargeNamespace },
  { method: "GET", path: `${NAMESPACE}/usage`, role: "write", handle: namespaceUsage },
  { method: "GET", path: `${NAMESPACE}/contributions`, role: "write", handle: contributions },
];

async function chargeRef(c: Context<HttpEnv>): Promise<Response> {
  const target = readParams(c, refParams);
  if (!target.ok) return target.problem;
  const body = await readBody(c, chargeBody);
  if (!body.ok) return body.problem;
  return chargeResponse(await new QuotaClient(c.env).chargeRef(target.value, body.value.bytes), Date.now());
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
  const body = await readBody(c, chargeBody);
  if (!body.ok) return body.problem;
  return chargeResponse(await new QuotaClient(c.env).chargeNamespace(target.value.ns, body.value.bytes), Date.now());
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
