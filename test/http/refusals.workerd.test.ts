// Bad requests, in workerd: each gets the answer it is due before any object is touched.
import { listDurableObjectIds } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { call, type Call, refPath } from "../runtime/api.ts";

let objectsBefore = 0;

async function countObjects(): Promise<number> {
  const shards = await listDurableObjectIds(env.REF_SHARD);
  const coordinators = await listDurableObjectIds(env.NS_COORDINATOR);
  return shards.length + coordinators.length;
}

beforeAll(async () => {
  objectsBefore = await countObjects();
});

afterAll(async () => {
  expect(await countObjects()).toBe(objectsBefore);
});

async function expectProblem(path: string, options: Call, status: number, code: string): Promise<void> {
  const reply = await call(path, options);
  expect([path, reply.status, reply.body["code"]]).toEqual([path, status, code]);
  expect(reply.headers.get("Content-Type")).toBe("application/problem+json");
  expect(Object.keys(reply.body)).toEqual(expect.arrayContaining(["type", "title", "status", "detail", "code"]));
}

describe("names", () => {
  const names = ["", ".a", "-a", "_a", "a b", "a/b", "é", "a\u0000", "a".repeat(129), "a\n", "%", "a:b"];
  it.each(names)("namespace and repo %j are refused", async (name) => {
    const status = name === "" ? 404 : 400;
    const code = name === "" ? "not_found" : "invalid_request";
    await expectProblem(`/v1/namespaces/${encodeURIComponent(name)}/usage`, {}, status, code);
    const path = `/v1/namespaces/acme/repos/${encodeURIComponent(name)}/refs/refs%2Fheads%2Fmain/charges`;
    await expectProblem(path, { method: "POST" }, status, code);
  });

  const refs = [
    "heads/main", "refs/", "refs//a", "refs/heads/", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a..b",
    "refs/heads/a ", "refs/heads/a~", "refs/heads/a^", "refs/heads/a:", "refs/heads/a?", "refs/heads/a*",
    "refs/heads/a[", "refs/heads/a\\", "refs/heads/a\u007f", "refs/heads/a\u0000b", "refs/heads/a\nb",
    "refs/heads/a.", "refs/heads/@{a", `refs/heads/${"a".repeat(502)}`, `refs/heads/${"é".repeat(251)}`,
    `refs/heads/${"a".repeat(10_240)}`,
  ]; // prettier-ignore
  it.each(refs)("ref %j is refused", async (ref) => {
    await expectProblem(`${refPath("acme", ref)}/charges`, { method: "POST" }, 400, "invalid_request");
  });

  it.each(["%ff", "%C3%28", "%ED%A0%80", "%", "%zz"])("a path with the encoding %s is refused", async (encoded) => {
    const path = `/v1/namespaces/acme/repos/web/refs/refs%2Fheads%2F${encoded}/charges`;
    await expectProblem(path, { method: "POST" }, 400, "invalid_request");
  });
});

describe("bodies", () => {
  const bodies = [
    '{"bytes":-1}', '{"bytes":1.5}', '{"bytes":1e3}', '{"bytes":NaN}', '{"bytes":"5"}', '{"bytes":null}',
    '{"bytes":1e309}', '{"bytes":18446744073709551616}', '{"bytes":true}', '{"bytes":[1]}', '{"bytes":{}}',
    '{"ops":2}', '{"bytes":1,"more":1}', "[]", "null", "5", '"x"', "{", "{}x", '{"bytes":01}', '{"bytes":-0}x',
    '{"__proto__":{"bytes":1}}',
  ]; // prettier-ignore
  it.each(bodies)("%s is refused", async (body) => {
    await expectProblem(`${refPath("acme")}/charges`, { method: "POST", body }, 400, "invalid_request");
    await expectProblem("/v1/namespaces/acme/charges", { method: "POST", body }, 400, "invalid_request");
  });

  it("that are not UTF-8 are refused", async () => {
    const body = new Uint8Array([0x7b, 0xff, 0x7d]);
    await expectProblem(`${refPath("acme")}/charges`, { method: "POST", body }, 400, "invalid_request");
  });

  it("over 64 KiB are 413, at 64 KiB they are read", async () => {
    const atLimit = `{"bytes":"${"x".repeat(64 * 1024 - 12)}"}`;
    expect(atLimit).toHaveLength(64 * 1024);
    await expectProblem(`${refPath("acme")}/charges`, { method: "POST", body: atLimit }, 400, "invalid_request");
    await expectProblem(
      `${refPath("acme")}/charges`,
      { method: "POST", body: `${atLimit} ` },
      413,
      "payload_too_large",
    );
  });
});

describe("queries", () => {
  const queries = [
    "limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=x", "limit=", "limit=01", "limit=1&limit=2", "window=-1",
    "window=18446744073709551616", "window=x", "page=2",
  ]; // prettier-ignore
  it.each(queries)("%s is refused", async (query) => {
    await expectProblem(`/v1/namespaces/acme/contributions?${query}`, {}, 400, "invalid_request");
  });
});

describe("tokens", () => {
  const path = `${refPath("acme")}/rollup`;
  it.each([
    [null, 401, "unauthenticated"],
    ["", 401, "unauthenticated"],
    ["wrong", 401, "unauthenticated"],
    ["test-admin2", 401, "unauthenticated"],
    ["test-admi", 401, "unauthenticated"],
    ["test-write", 403, "forbidden"],
  ])("%j on an admin route is %i", async (token, status, code) => {
    await expectProblem(path, { method: "POST", token }, status, code);
  });

  it.each(["Basic dGVzdC1hZG1pbg==", "test-admin", "Bearer", "Bearer test-admin test-admin"])(
    "Authorization: %s is refused",
    async (authorization) => {
      const options = { token: null, headers: { Authorization: authorization } };
      await expectProblem("/v1/namespaces/acme/usage", options, 401, "unauthenticated");
    },
  );

  it("names the scheme to use", async () => {
    expect((await call(path, { token: null })).headers.get("WWW-Authenticate")).toBeNull();
    expect((await call(path, { method: "POST", token: null })).headers.get("WWW-Authenticate")).toBe("Bearer");
    const rejected = await call(path, { method: "POST", token: "wrong" });
    expect(rejected.headers.get("WWW-Authenticate")).toBe('Bearer error="invalid_token"');
  });
});

describe("routes", () => {
  it.each(["/", "/v1", "/v1/namespaces/acme", "/v1/namespaces/acme/repos/web/refs/refs/heads/main/charges"])(
    "%s is not found",
    async (path) => {
      await expectProblem(path, { token: null }, 404, "not_found");
    },
  );

  it("a method that a route does not have is 405 with those it has", async () => {
    const reply = await call("/v1/namespaces/acme/charges", { method: "DELETE" });
    expect([reply.status, reply.body["code"], reply.headers.get("Allow")]).toEqual([405, "method_not_allowed", "POST"]);
  });
});

describe("settings", () => {
  const settings = { ...env };
  const misconfigured = [
    ["QUOTA_WINDOW_MS", "0"], ["QUOTA_WINDOW_MS", ""], ["QUOTA_WINDOW_MS", undefined], ["QUOTA_MAX_OPS", "-1"],
    ["QUOTA_MAX_BYTES", "18446744073709551616"], ["QUOTA_ROLLUP_MS", "1.5"], ["QUOTA_CLOCK_GRACE_MS", "x"],
    ["QUOTA_COORDINATOR_TIMEOUT_MS", "1e3"], ["QUOTA_WRITE_TOKEN", undefined], ["QUOTA_WRITE_TOKEN", ""],
    ["QUOTA_ADMIN_TOKEN", "with space"], ["QUOTA_ADMIN_TOKEN", "test-write"],
  ] as const; // prettier-ignore
  it.each(misconfigured)("%s of %j answers 503 on every route and names it", async (name, value) => {
    const app = createApp();
    for (const path of ["/healthz", "/v1/namespaces/acme/usage", "/nowhere"]) {
      const response = await app.request(path, {}, { ...settings, [name]: value });
      const body: Record<string, unknown> = await response.json();
      expect([response.status, body["code"], body["settings"]]).toEqual([503, "not_configured", [name]]);
    }
  });

  it("a healthy deployment says so without a token", async () => {
    expect((await call("/healthz", { token: null })).body).toEqual({ status: "ok" });
  });
});
