// What must not get out or in, over HTTP in workerd: tokens in a log, names that forge a log line, bodies
// larger than allowed, writes with the wrong token, pages a browser could be made to misuse.
import { createExecutionContext, evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";

const TARGET = "a".repeat(40);
const MAX_BODY_BYTES = 64 * 1_024;

const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => {
      logged.push(parts.map(String).join(" "));
    });
  }
});

afterEach(() => vi.restoreAllMocks());

/** The shard's own count becomes unreadable: from here on each charge fails and is logged. */
async function corruptUsage(ns: string, ref: string): Promise<void> {
  await runInDurableObject(shardOf(ns, ref), (_instance, { storage }) => {
    storage.sql.exec("UPDATE quota_rows SET value = x'00' WHERE substr(key, 1, 3) = x'717300'");
  });
  await evictDurableObject(shardOf(ns, ref));
}

describe("logs", () => {
  it.each(['refs/heads/"},{"kind', "refs/heads/é\u2028\u0085", "refs/heads/<script>", "refs/heads/%0Akind"])(
    "name the ref %j in one line of JSON, as it is",
    async (ref) => {
      const ns = freshNamespace();
      await post(`${refPath(ns, ref)}/charges`);
      await corruptUsage(ns, ref);
      const reply = await post(`${refPath(ns, ref)}/charges`);
      expect([reply.status, reply.body["code"]]).toEqual([503, "unavailable"]);
      const lines = logged.map((line) => JSON.parse(line) as { kind: string; partition?: unknown });
      const failed = lines.filter(({ kind }) => kind === "chargeFailed");
      expect(failed).toEqual([
        { kind: "chargeFailed", reason: "corrupt", partition: { kind: "ref", ns, repo: "web", ref } },
      ]);
      expect(logged.filter((line) => /[\r\n]/.test(line))).toEqual([]);
    },
  );

  it.each(["refs/heads/a\nb", "refs/heads/a\r\nb", "refs/heads/\u001b[2J"])("never see the ref %j", async (ref) => {
    const reply = await post(`${refPath("acme", ref)}/charges`);
    expect([reply.status, reply.body["code"], logged]).toEqual([400, "invalid_request", []]);
  });

  it("and answers never hold a token, right or wrong, whatever fails", async () => {
    const ns = freshNamespace();
    const secrets = ["test-admin", "test-write", "guessed-token"];
    await post(`${refPath(ns)}/charges`);
    await corruptUsage(ns, "refs/heads/main");
    const answers: string[] = [];
    const app = createApp();
    for (const broken of [{}, { REF_SHARD: null }, { QUOTA_ADMIN_TOKEN: "test-write" }, { QUOTA_WINDOW_MS: "x" }]) {
      for (const token of secrets) {
        const headers = { Authorization: `Bearer ${token}` };
        const request = new Request(`https://quota.test${refPath(ns)}/charges`, { method: "POST", headers });
        const response = await app.fetch(request, { ...env, ...broken }, createExecutionContext());
        answers.push(`${JSON.stringify([...response.headers])} ${await response.text()}`);
      }
    }
    const gone = new ReadableStream({ pull: (controller) => controller.error(new Error("the client is gone")) });
    const headers = { Authorization: "Bearer test-admin" };
    const broken = new Request(`https://quota.test${refPath(ns)}/charges`, { method: "POST", headers, body: gone });
    const response = await app.fetch(broken, env, createExecutionContext());
    expect([response.status, logged.some((line) => line.includes("requestFailed"))]).toEqual([500, true]);
    answers.push(await response.text());
    expect(answers).toHaveLength(13);
    for (const text of [...answers, ...logged]) {
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });
});

describe("the write token", () => {
  const adminRoutes = [
    ["POST", (ns: string) => `${refPath(ns)}/rollup`, ""],
    ["PUT", (ns: string) => `/v1/namespaces/${ns}/limits`, '{"maxOps":null,"maxBytes":null}'],
    ["DELETE", (ns: string) => `/v1/namespaces/${ns}/limits`, ""],
  ] as const;

  it.each(adminRoutes)("is refused for %s on an admin route, and nothing is stored", async (method, pathOf, body) => {
    const ns = freshNamespace();
    const reply = await call(pathOf(ns), { method, token: "test-write", ...(body === "" ? {} : { body }) });
    expect([reply.status, reply.body["code"]]).toEqual([403, "forbidden"]);
    expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
    expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
  });

  it("is not raised by another method's name in a header", async () => {
    const ns = freshNamespace();
    const headers = { "X-HTTP-Method-Override": "PUT", "X-Method-Override": "PUT" };
    const reply = await call(`/v1/namespaces/${ns}/limits`, { method: "POST", token: "test-write", headers });
    expect([reply.status, reply.body["code"]]).toEqual([405, "method_not_allowed"]);
  });
});

describe("a body", () => {
  /** `total` bytes in chunks, and how many of them were asked for. */
  function measured(total: number): { readonly stream: ReadableStream<Uint8Array>; readonly pulled: () => number } {
    const chunk = new Uint8Array(16 * 1_024).fill(0x20);
    let pulled = 0;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (pulled >= total) return controller.close();
          pulled += chunk.length;
          controller.enqueue(chunk);
        },
      },
      { highWaterMark: 0 },
    );
    return { stream, pulled: () => pulled };
  }

  async function send(body: ReadableStream<Uint8Array>, method: string, path: string): Promise<Response> {
    const headers = { Authorization: "Bearer test-admin" };
    const request = new Request(`https://quota.test${path}`, { method, headers, body });
    return createApp().fetch(request, env, createExecutionContext());
  }

  it.each([
    ["POST", "/v1/namespaces/acme/charges"],
    ["POST", `${refPath("acme")}/charges`],
    ["PUT", refPath("acme")],
    ["PUT", "/v1/namespaces/acme/limits"],
  ])("of 10 MiB without a length, sent to %s %s, is 413 and hardly read", async (method, path) => {
    const { stream, pulled } = measured(10 * 1_024 * 1_024);
    const response = await send(stream, method, path);
    const { code } = await response.json<{ code: string }>();
    expect([response.status, code]).toEqual([413, "payload_too_large"]);
    expect(pulled()).toBeLessThanOrEqual(MAX_BODY_BYTES + 2 * 16 * 1_024);
    expect(logged).toEqual([]);
  });

  it("is not read at all without a token", async () => {
    const { stream, pulled } = measured(10 * 1_024 * 1_024);
    const request = new Request("https://quota.test/v1/namespaces/acme/charges", { method: "POST", body: stream });
    const response = await createApp().fetch(request, env, createExecutionContext());
    expect([response.status, pulled()]).toEqual([401, 0]);
  });

  it.each([
    ["arrays", "[".repeat(32_000) + "]".repeat(32_000)],
    ["objects", '{"bytes":'.repeat(6_000) + "1" + "}".repeat(6_000)],
    ["open arrays", "[".repeat(65_536)],
  ])("of thousands of nested %s is 400", async (_name, body) => {
    const reply = await post(`${refPath("acme")}/charges`, body);
    expect([reply.status, reply.body["code"], logged]).toEqual([400, "invalid_request", []]);
  });

  it("with a number of 60,000 digits is 400", async () => {
    const reply = await post(`${refPath("acme")}/charges`, `{"bytes":${"9".repeat(60_000)}}`);
    expect([reply.status, reply.body["code"]]).toEqual([400, "invalid_request"]);
  });
});

it.each([
  ["GET", "/healthz"],
  ["GET", "/nowhere"],
  ["POST", "/v1/namespaces/acme/charges"],
  ["DELETE", "/v1/namespaces/acme/charges"],
  ["GET", "/v1/namespaces/%ff/usage"],
  ["GET", "/v1/namespaces/acme/metrics"],
  ["PUT", refPath("headers")],
])("an answer to %s %s carries the security headers", async (method, path) => {
  const body = method === "PUT" ? JSON.stringify({ target: TARGET }) : undefined;
  const request = new Request(`https://quota.test${path}`, {
    method,
    headers: { Authorization: "Bearer test-admin" },
    ...(body === undefined ? {} : { body }),
  });
  const { headers } = await createApp().fetch(request, env, createExecutionContext());
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
});
