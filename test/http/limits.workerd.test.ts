// A namespace's own limits over HTTP, in workerd.
import { expect, it } from "vitest";
import { call, freshNamespace, post, refPath, type Reply } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, storedIn } from "../runtime/objects.ts";

const DEFAULT = { maxOps: 300n, maxBytes: 134_217_728n, source: "default" };

function setLimits(ns: string, body: object | string): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return call(`/v1/namespaces/${ns}/limits`, { method: "PUT", body: text });
}

it("are the deployment's until set, and again when dropped", async () => {
  const ns = freshNamespace();
  const path = `/v1/namespaces/${ns}/limits`;
  expect((await call(path)).body).toEqual(DEFAULT);
  const own = { maxOps: 18_446_744_073_709_551_615n, maxBytes: null, source: "namespace" };
  expect((await setLimits(ns, '{"maxOps":18446744073709551615,"maxBytes":null}')).body).toEqual(own);
  expect((await call(path)).body).toEqual(own);
  expect((await call(path, { method: "DELETE" })).body).toEqual(DEFAULT);
  expect(await storedIn(coordinatorOf(ns))).toMatchObject({ rows: [], alarmMs: null });
});

it("hold on a new shard from its first charge, and on an old one from its next rollup", async () => {
  const ns = freshNamespace();
  const old = refPath(ns, "refs/heads/old");
  await post(`${old}/charges`);
  await post(`${old}/charges`);
  await setLimits(ns, { maxOps: 2, maxBytes: null });
  await post(`${old}/rollup`);
  const denied = await post(`${old}/charges`);
  expect(denied.body).toMatchObject({
    code: "quota_exhausted",
    scope: "shard",
    limits: { maxOps: 2n, maxBytes: null },
    remaining: { ops: 0n, bytes: null },
  });
  const fresh = await post(`${refPath(ns, "refs/heads/new")}/charges`);
  expect(fresh.body).toMatchObject({ code: "quota_exhausted", scope: "namespace", dimension: "ops" });
  expect(fresh.headers.get("RateLimit")).toMatch(/^"ops";r=0;t=\d+$/);

  await setLimits(ns, { maxOps: 1, maxBytes: 5 });
  const lowered = await post(`${old}/rollup`);
  expect(lowered.body).toMatchObject({ usage: { ops: 2n, bytes: 0n }, remaining: { ops: 0n, bytes: 5n } });
  await call(`/v1/namespaces/${ns}/limits`, { method: "DELETE" });
  await post(`${old}/rollup`);
  expect((await post(`${old}/charges`)).body["limits"]).toEqual({ maxOps: 300n, maxBytes: 134_217_728n });
});

it("of 0 block every charge, and of null let every charge through", async () => {
  const ns = freshNamespace();
  await setLimits(ns, { maxOps: 0, maxBytes: 0 });
  for (const path of [refPath(ns), `/v1/namespaces/${ns}`]) {
    const blocked = await post(`${path}/charges`);
    expect([blocked.status, blocked.body["code"], blocked.body["dimension"]]).toEqual([
      422,
      "cost_exceeds_limit",
      "ops",
    ]);
  }
  await setLimits(ns, { maxOps: null, maxBytes: null });
  const allowed = await post(`/v1/namespaces/${ns}/charges`, '{"bytes":18446744073709551615}');
  expect(allowed.body).toMatchObject({ decision: "allowed", remaining: { ops: null, bytes: null } });
  expect(allowed.headers.get("RateLimit")).toBeNull();
  const overflow = await post(`/v1/namespaces/${ns}/charges`, { bytes: 1 });
  expect(overflow.body).toMatchObject({ code: "quota_exhausted", dimension: "bytes" });
});

it.each([
  "{}",
  '{"maxOps":1}',
  '{"maxBytes":1}',
  '{"maxOps":-1,"maxBytes":null}',
  '{"maxOps":1.5,"maxBytes":null}',
  '{"maxOps":"1","maxBytes":null}',
  '{"maxOps":1,"maxBytes":18446744073709551616}',
  '{"maxOps":1,"maxBytes":2,"x":3}',
  "",
])("%s are refused", async (body) => {
  const ns = freshNamespace();
  const reply = await setLimits(ns, body);
  expect([reply.status, reply.body["code"]]).toEqual([400, "invalid_request"]);
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
});

it("are set and dropped by the admin token alone, and read with either", async () => {
  const path = `/v1/namespaces/${freshNamespace()}/limits`;
  const token = "test-write";
  expect((await call(path, { token })).status).toBe(200);
  expect((await call(path, { token, method: "PUT", body: '{"maxOps":1,"maxBytes":1}' })).status).toBe(403);
  expect((await call(path, { token, method: "DELETE" })).status).toBe(403);
});
