// The typed client against the running Worker.
import { exports } from "cloudflare:workers";
import { expect, expectTypeOf, it } from "vitest";
import { createQuotaClient } from "../../client/index.ts";
import { freshNamespace } from "../runtime/api.ts";

const MAX_U64 = 18_446_744_073_709_551_615n;
const A = "a".repeat(40);

const options = { url: "https://quota.test", fetch: (request: Request) => exports.default.fetch(request) };
const quota = createQuotaClient({ ...options, token: "test-admin" });

function refOf(ns: string, ref = "refs/heads/main"): { ns: string; repo: string; ref: string } {
  return { ns, repo: "web", ref };
}

it("charges, moves, reads and rolls up a ref", async () => {
  const path = refOf(freshNamespace());
  const charged = await quota.chargeRef({ params: { path }, body: { bytes: 4096 } });
  expectTypeOf(charged.data?.usage.bytes).toEqualTypeOf<bigint | undefined>();
  expect(charged.data).toMatchObject({ decision: "allowed", countedAt: "shard", usage: { ops: 1n, bytes: 4096n } });
  expect(charged.response.headers.get("RateLimit")).toMatch(/^"ops";r=299;/);

  const moved = await quota.moveRef({ params: { path }, body: { expected: null, target: A, bytes: 4n } });
  expect(moved.data).toMatchObject({ target: A, usage: { ops: 2n, bytes: 4100n } });
  expect((await quota.readRef({ params: { path } })).data).toEqual({ target: A });
  expect((await quota.readRefUsage({ params: { path } })).data?.usage).toEqual({ ops: 2n, bytes: 4100n });
  expect((await quota.rollUpRef({ params: { path } })).data?.view).toMatchObject({
    status: "fresh",
    total: { ops: 2n },
  });
});

it("a charge needs no body, and a key makes it once", async () => {
  const params = { path: refOf(freshNamespace()), header: { "Idempotency-Key": "push-1" } };
  const first = await quota.chargeRef({ params });
  const again = await quota.chargeRef({ params });
  expect([first.data?.usage, again.data]).toEqual([{ ops: 1n, bytes: 0n }, first.data]);
  expect(again.response.headers.get("Idempotent-Replayed")).toBe("true");
});

it("counters are exact to 2^64-1, there and back", async () => {
  const path = { ns: freshNamespace() };
  const limits = { maxOps: 2n ** 53n + 1n, maxBytes: MAX_U64 };
  expect((await quota.setLimits({ params: { path }, body: limits })).data).toEqual({ ...limits, source: "namespace" });
  expect((await quota.readLimits({ params: { path } })).data).toEqual({ ...limits, source: "namespace" });
  const { data } = await quota.chargeNamespace({ params: { path }, body: { bytes: MAX_U64 - 1n } });
  expect([data?.usage, data?.remaining]).toEqual([
    { ops: 1n, bytes: MAX_U64 - 1n },
    { ops: 2n ** 53n, bytes: 1n },
  ]);
  const { error } = await quota.chargeNamespace({ params: { path }, body: { bytes: 2 } });
  if (error?.code !== "quota_exhausted") throw new Error("it was to be exhausted");
  expectTypeOf(error.retryAfterMs).toEqualTypeOf<number>();
  expect([error.usage.bytes, error.limits, error.status]).toEqual([MAX_U64 - 1n, limits, 429]);
  expect(error.retryAfterMs).toBeGreaterThan(0);
  expect((await quota.dropLimits({ params: { path } })).data?.source).toBe("default");
});

it("reads a namespace's usage, contributions page by page, and metrics", async () => {
  const ns = freshNamespace();
  for (const ref of ["refs/heads/a", "refs/heads/ü/b"]) {
    await quota.chargeRef({ params: { path: refOf(ns, ref) }, body: { bytes: 3 } });
    await quota.rollUpRef({ params: { path: refOf(ns, ref) } });
  }
  const { data: usage } = await quota.readNamespaceUsage({ params: { path: { ns } } });
  expect(usage).toMatchObject({ namespace: ns, total: { ops: 2n, bytes: 6n }, sources: 2 });

  const refs: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { window?: bigint; limit: number; cursor?: string } = {
      limit: 1,
      ...(cursor === null ? {} : { cursor }),
    };
    if (usage !== undefined) query.window = usage.window.number;
    const page = await quota.listContributions({ params: { path: { ns }, query } });
    refs.push(...(page.data?.items ?? []).map(({ ref }) => ref));
    cursor = page.data?.next ?? null;
  } while (cursor !== null);
  expect(refs).toEqual(["refs/heads/a", "refs/heads/ü/b"]);

  const { data: metrics } = await quota.readNamespaceMetrics({ params: { path: { ns } } });
  expectTypeOf(metrics).toEqualTypeOf<string | undefined>();
  expect(metrics).toContain(`namespace_quota_used{namespace="${ns}",dimension="bytes"} 6\n`);
});

it("a refusal is a value with its code", async () => {
  const path = refOf(freshNamespace());
  expect((await quota.readRef({ params: { path } })).error?.code).toBe("not_found");
  const writer = createQuotaClient({ ...options, token: "test-write" });
  const refused = await writer.rollUpRef({ params: { path } });
  expect([refused.error?.code, refused.response.status]).toEqual(["forbidden", 403]);
  await quota.moveRef({ params: { path }, body: { target: A } });
  const { error } = await quota.moveRef({ params: { path }, body: { expected: null, target: A } });
  expect(error?.code === "conflict" ? error.current : "none").toBe(A);
});

it("reads the document and the health of the service", async () => {
  expect((await quota.checkHealth()).data).toEqual({ status: "ok" });
  expect((await quota.readOpenApi()).data?.openapi).toBe("3.1.1");
});

it("does not let pass what the document does not have", () => {
  const params = { path: refOf("acme") };
  // @ts-expect-error -- a path has all of its parameters
  void (() => quota.readRef({ params: { path: { ns: "acme" } } }));
  // @ts-expect-error -- a counter is no text
  void (() => quota.chargeRef({ params, body: { bytes: "1" } }));
  // @ts-expect-error -- a move says where to
  void (() => quota.moveRef({ params, body: { expected: null } }));
});
