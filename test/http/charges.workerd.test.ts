// Charges over HTTP, in workerd: what clients are answered, and what is stored when they are refused.
import { describe, expect, it } from "vitest";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";

const WINDOW_MS = 3_600_000;
const MAX_BYTES = 134_217_728n;

function currentWindow(): { number: bigint; startsAt: string; endsAt: string } {
  const number = Math.floor(Date.now() / WINDOW_MS);
  return {
    number: BigInt(number),
    startsAt: new Date(number * WINDOW_MS).toISOString(),
    endsAt: new Date((number + 1) * WINDOW_MS).toISOString(),
  };
}

describe("a charge on a ref", () => {
  it("is answered with the window, the shard's own count, the view, the limits and what is left", async () => {
    const ns = freshNamespace();
    const window = currentWindow();
    const { status, body } = await post(`${refPath(ns)}/charges`, { bytes: 4096 });
    expect(status).toBe(200);
    const { observedAt, ...view } = body["view"] as { observedAt: string };
    expect({ ...body, view }).toEqual({
      decision: "allowed",
      countedAt: "shard",
      window,
      usage: { ops: 1n, bytes: 4096n },
      view: { status: "fresh", total: { ops: 0n, bytes: 0n } },
      limits: { maxOps: 300n, maxBytes: MAX_BYTES },
      remaining: { ops: 299n, bytes: MAX_BYTES - 4096n },
    });
    expect(new Date(observedAt).toISOString()).toBe(observedAt);
  });

  it("without a body costs one op and no bytes", async () => {
    const { body } = await post(`${refPath(freshNamespace())}/charges`);
    expect(body["usage"]).toEqual({ ops: 1n, bytes: 0n });
  });

  it("carries the RateLimit fields of both dimensions", async () => {
    const { headers } = await post(`${refPath(freshNamespace())}/charges`, { bytes: 100 });
    expect(headers.get("RateLimit-Policy")).toBe('"ops";q=300;w=3600, "bytes";q=134217728;w=3600;qu="content-bytes"');
    const [, seconds] = /^"ops";r=299;t=(\d+), "bytes";r=134217628;t=\1$/.exec(headers.get("RateLimit") ?? "") ?? [];
    const left = Math.ceil((WINDOW_MS - (Date.now() % WINDOW_MS)) / 1_000);
    expect(Math.abs(Number(seconds) - left)).toBeLessThanOrEqual(1);
  });

  it("over the cap is 429 with what was exceeded, and stores nothing more", async () => {
    const ns = freshNamespace();
    await post(`${refPath(ns)}/charges`, { bytes: 134_217_000 });
    const before = await storedIn(shardOf(ns));
    const { status, headers, body } = await post(`${refPath(ns)}/charges`, { bytes: 729 });
    expect(status).toBe(429);
    expect(headers.get("Content-Type")).toBe("application/problem+json");
    expect(body).toMatchObject({
      status: 429n,
      code: "quota_exhausted",
      scope: "shard",
      dimension: "bytes",
      window: currentWindow(),
      usage: { ops: 1n, bytes: 134_217_000n },
      remaining: { ops: 299n, bytes: 728n },
    });
    const retryAfterMs = Number(body["retryAfterMs"]);
    expect(headers.get("Retry-After")).toBe(String(Math.ceil(retryAfterMs / 1_000)));
    expect(Math.abs(retryAfterMs - (WINDOW_MS - (Date.now() % WINDOW_MS)))).toBeLessThan(1_000);
    expect(await storedIn(shardOf(ns))).toEqual(before);
    const fits = await post(`${refPath(ns)}/charges`, { bytes: 728 });
    expect(fits.body["remaining"]).toEqual({ ops: 298n, bytes: 0n });
  });

  it("that no window can ever hold is 422, without Retry-After", async () => {
    const ns = freshNamespace();
    const { status, headers, body } = await post(`${refPath(ns)}/charges`, '{"bytes":18446744073709551615}');
    expect([status, headers.get("Retry-After")]).toEqual([422, null]);
    expect(body).toMatchObject({ code: "cost_exceeds_limit", dimension: "bytes" });
    expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
  });

  it("leaves nothing stored when it is refused on an object that has never been written", async () => {
    const ns = freshNamespace();
    await call(`${refPath(ns)}/usage`);
    await call(`/v1/namespaces/${ns}/usage`);
    await call(`/v1/namespaces/${ns}/contributions`);
    expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
    expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
  });
});

describe("a charge on a namespace", () => {
  it("is counted at the coordinator, exactly", async () => {
    const ns = freshNamespace();
    await post(`/v1/namespaces/${ns}/charges`, { bytes: 9 });
    const { status, body } = await post(`/v1/namespaces/${ns}/charges`, { bytes: 1 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      decision: "allowed",
      countedAt: "coordinator",
      usage: { ops: 2n, bytes: 10n },
      view: { status: "exact", total: { ops: 2n, bytes: 10n } },
      remaining: { ops: 298n, bytes: MAX_BYTES - 10n },
    });
  });

  it("admits exactly the cap of 400 that arrive at once", async () => {
    const ns = freshNamespace();
    const replies = await Promise.all(Array.from({ length: 400 }, () => post(`/v1/namespaces/${ns}/charges`)));
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(300);
    expect(replies.filter((reply) => reply.body["scope"] === "namespace")).toHaveLength(100);
    const { body } = await call(`/v1/namespaces/${ns}/usage`);
    expect([body["total"], body["sources"]]).toEqual([{ ops: 300n, bytes: 0n }, 0n]);
  });
});

describe("reading", () => {
  it("an admin's rollup brings the total to the coordinator and a fresh view back", async () => {
    const ns = freshNamespace();
    await post(`/v1/namespaces/${ns}/charges`, { bytes: 9 });
    await post(`${refPath(ns)}/charges`, { bytes: 1 });
    const rolledUp = await post(`${refPath(ns)}/rollup`);
    expect(rolledUp.status).toBe(200);
    expect(rolledUp.body).toMatchObject({
      window: currentWindow(),
      usage: { ops: 1n, bytes: 1n },
      view: { status: "fresh", total: { ops: 2n, bytes: 10n } },
      remaining: { ops: 298n, bytes: MAX_BYTES - 10n },
    });
    const usage = await call(`${refPath(ns)}/usage`);
    expect(usage.body["view"]).toEqual(rolledUp.body["view"]);
    const { body } = await call(`/v1/namespaces/${ns}/usage`);
    expect(body).toEqual({
      namespace: ns,
      window: currentWindow(),
      total: { ops: 2n, bytes: 10n },
      sources: 1n,
      limits: { maxOps: 300n, maxBytes: MAX_BYTES },
      remaining: { ops: 298n, bytes: MAX_BYTES - 10n },
      windows: [{ window: currentWindow().number, total: { ops: 2n, bytes: 10n }, sources: 1n }],
    });
  });

  it("contributions are paged in order, and a cursor is only good for its own window", async () => {
    const ns = freshNamespace();
    for (const ref of ["refs/heads/a", "refs/heads/b", "refs/tags/v1"]) {
      await post(`${refPath(ns, ref)}/charges`, { bytes: 2 });
      await post(`${refPath(ns, ref)}/rollup`);
    }
    const path = `/v1/namespaces/${ns}/contributions`;
    const first = await call(`${path}?limit=2`);
    expect(first.body["items"]).toEqual([
      { repo: "web", ref: "refs/heads/a", ops: 1n, bytes: 2n },
      { repo: "web", ref: "refs/heads/b", ops: 1n, bytes: 2n },
    ]);
    const cursor = String(first.body["next"]);
    const second = await call(`${path}?limit=2&cursor=${cursor}&window=${currentWindow().number}`);
    expect(second.body).toEqual({ items: [{ repo: "web", ref: "refs/tags/v1", ops: 1n, bytes: 2n }], next: null });
    for (const forged of [`${cursor}A`, "AAAA", "%00", ""]) {
      expect((await call(`${path}?cursor=${forged}`)).status).toBe(400);
    }
    expect((await call(`${path}?window=7&cursor=${cursor}`)).status).toBe(400);
    expect((await call(`${path}?window=7`)).body).toEqual({ items: [], next: null });
  });

  it("a thousand reads write no row", async () => {
    const ns = freshNamespace();
    await post(`${refPath(ns)}/charges`, { bytes: 3 });
    const before = await storedIn(shardOf(ns));
    for (let read = 0; read < 1_000; read += 50) {
      await Promise.all(Array.from({ length: 50 }, () => call(`${refPath(ns)}/usage`)));
    }
    expect(await storedIn(shardOf(ns))).toEqual(before);
  });
});
