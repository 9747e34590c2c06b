// What each method answers another Worker when nothing is wrong with the call: successes and refusals.
import { describe, expect, it } from "vitest";
import { freshNamespace, over, refOf, rpc } from "./calls.ts";

const A = "a".repeat(40);
const B = "b".repeat(64);
const DEFAULTS = { maxOps: 300n, maxBytes: 134_217_728n };
const WINDOW = { number: expect.any(BigInt), startsAtMs: expect.any(Number), endsAtMs: expect.any(Number) };

function allowed(ops: bigint, bytes: bigint): object {
  const remaining = { ops: DEFAULTS.maxOps - ops, bytes: DEFAULTS.maxBytes - bytes };
  const answer = { ok: true, decision: "allowed", replayed: false, limits: DEFAULTS, remaining };
  return { ...answer, window: WINDOW, usage: { ops, bytes } };
}

describe("charge", () => {
  it("on a ref counts at its shard", async () => {
    const target = refOf(freshNamespace());
    const view = { status: "fresh", total: { ops: 0n, bytes: 0n }, observedAtMs: expect.any(Number) };
    expect(await rpc("charge", target, { bytes: 5n })).toEqual({ ...allowed(1n, 5n), countedAt: "shard", view });
    expect(await rpc("charge", target)).toEqual({ ...allowed(2n, 5n), countedAt: "shard", view });
  });

  it("on a namespace counts at its coordinator", async () => {
    const namespace = freshNamespace();
    const view = { status: "exact", total: { ops: 1n, bytes: 7n }, observedAtMs: expect.any(Number) };
    const charged = await rpc("charge", { namespace }, { bytes: 7n });
    expect(charged).toEqual({ ...allowed(1n, 7n), countedAt: "coordinator", view });
    expect(await rpc("charge", { namespace, repo: undefined, ref: undefined })).toMatchObject(allowed(2n, 7n));
  });

  it("takes a number for a bigint", async () => {
    const target = refOf(freshNamespace());
    expect(await rpc("charge", target, { bytes: 5 })).toMatchObject(allowed(1n, 5n));
    expect(await rpc("charge", target, { bytes: 0 })).toMatchObject(allowed(2n, 5n));
    await rpc("setLimits", target.namespace, { maxOps: null, maxBytes: null });
    const other = { ...target, ref: "refs/heads/other" };
    const charged = await rpc("charge", other, { bytes: Number.MAX_SAFE_INTEGER });
    expect(charged).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 2n ** 53n - 1n } });
  });

  it("counts to 2^64-1 exactly", async () => {
    const namespace = freshNamespace();
    await rpc("setLimits", namespace, { maxOps: null, maxBytes: null });
    const charged = await rpc("charge", { namespace }, { bytes: 2n ** 64n - 1n });
    expect(charged).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 18_446_744_073_709_551_615n } });
  });

  it("past the limit answers quota_exhausted", async () => {
    const target = refOf(freshNamespace());
    await rpc("setLimits", target.namespace, { maxOps: 1n, maxBytes: null });
    expect(await rpc("charge", target)).toMatchObject({ ok: true });
    const limits = { maxOps: 1n, maxBytes: null };
    expect(await rpc("charge", target)).toEqual({
      ok: false,
      code: "quota_exhausted",
      scope: "shard",
      dimension: "ops",
      retryAfterMs: expect.any(Number),
      window: WINDOW,
      usage: { ops: 1n, bytes: 0n },
      view: { status: "fresh", total: { ops: 0n, bytes: 0n }, observedAtMs: expect.any(Number) },
      limits,
      remaining: { ops: 0n, bytes: null },
    });
    await rpc("rollUp", target);
    const other = await rpc("charge", { ...target, ref: "refs/heads/other" });
    expect(other).toMatchObject({ ok: false, code: "quota_exhausted", scope: "namespace", dimension: "ops", limits });
  });

  it("that can never fit answers cost_exceeds_limit", async () => {
    const answer = { ok: false, code: "cost_exceeds_limit", dimension: "bytes", limits: DEFAULTS };
    const bytes = DEFAULTS.maxBytes + 1n;
    expect(await rpc("charge", refOf(freshNamespace()), { bytes })).toEqual(answer);
    expect(await rpc("charge", { namespace: freshNamespace() }, { bytes })).toEqual(answer);
  });

  it("with a key is made once, and with another cost is idempotency_mismatch", async () => {
    const target = refOf(freshNamespace());
    const first = await rpc("charge", target, { bytes: 5n, idempotencyKey: "k" });
    await rpc("charge", target);
    expect(await rpc("charge", target, { bytes: 5, idempotencyKey: "k" })).toEqual({ ...first, replayed: true });
    const other = await rpc("charge", target, { bytes: 6n, idempotencyKey: "k" });
    expect(other).toEqual({ ok: false, code: "idempotency_mismatch" });
    expect(await rpc("usage", target)).toMatchObject({ usage: { ops: 2n, bytes: 5n } });
  });
});

describe("moveRef and readRef", () => {
  it("a move is charged, and the ref points where it says", async () => {
    const target = refOf(freshNamespace());
    expect(await rpc("readRef", target)).toEqual({ ok: false, code: "not_found" });
    const created = await rpc("moveRef", target, { expected: null, target: A, bytes: 9n });
    expect(created).toMatchObject({ ...allowed(1n, 9n), countedAt: "shard", target: A });
    expect(await rpc("readRef", target)).toEqual({ ok: true, target: A });
    expect(await rpc("moveRef", target, { target: B })).toMatchObject({ ...allowed(2n, 9n), target: B });
    expect(await rpc("moveRef", target, { expected: B, target: null })).toMatchObject({ ok: true, target: null });
    expect(await rpc("readRef", target)).toEqual({ ok: false, code: "not_found" });
  });

  it("a lost compare is a conflict, says where the ref points and charges nothing", async () => {
    const target = refOf(freshNamespace());
    const lost = await rpc("moveRef", target, { expected: A, target: B });
    expect(lost).toEqual({ ok: false, code: "conflict", current: null });
    await rpc("moveRef", target, { target: A });
    const late = await rpc("moveRef", target, { expected: null, target: B, bytes: 3 });
    expect(late).toEqual({ ok: false, code: "conflict", current: A });
    expect(await rpc("usage", target)).toMatchObject({ usage: { ops: 1n, bytes: 0n } });
  });
});

describe("usage and rollUp", () => {
  it("a ref's usage is its shard's, and a rollup brings it into the total", async () => {
    const target = refOf(freshNamespace());
    await rpc("charge", target, { bytes: 5n });
    const state = { ok: true, window: WINDOW, usage: { ops: 1n, bytes: 5n }, limits: DEFAULTS };
    const remaining = { ops: 299n, bytes: DEFAULTS.maxBytes - 5n };
    const observedAtMs = expect.any(Number);
    const before = { status: "fresh", total: { ops: 0n, bytes: 0n }, observedAtMs };
    expect(await rpc("usage", target)).toEqual({ ...state, remaining, view: before });
    const after = { status: "fresh", total: { ops: 1n, bytes: 5n }, observedAtMs };
    expect(await rpc("rollUp", target)).toEqual({ ...state, remaining, view: after });
  });

  it("a namespace's usage is its total", async () => {
    const target = refOf(freshNamespace());
    const { namespace } = target;
    const empty = { ops: 0n, bytes: 0n };
    const remaining = { ops: DEFAULTS.maxOps, bytes: DEFAULTS.maxBytes };
    const report = { ok: true, window: WINDOW, limits: DEFAULTS };
    const nothing = { ...report, total: empty, sources: 0, remaining, windows: [] };
    expect(await rpc("usage", { namespace })).toEqual(nothing);
    await rpc("charge", target, { bytes: 5n });
    await rpc("rollUp", target);
    const total = { ops: 1n, bytes: 5n };
    expect(await rpc("usage", { namespace })).toEqual({
      ...report,
      total,
      sources: 1,
      remaining: { ops: 299n, bytes: DEFAULTS.maxBytes - 5n },
      windows: [{ window: expect.any(BigInt), total, sources: 1 }],
    });
  });
});

it("contributions come in pages, of the current window or another", async () => {
  const namespace = freshNamespace();
  expect(await rpc("contributions", namespace)).toEqual({ ok: true, items: [], next: null });
  for (const branch of ["a", "b"]) {
    const target = { ...refOf(namespace), ref: `refs/heads/${branch}` };
    await rpc("charge", target, { bytes: 2n });
    await rpc("rollUp", target);
  }
  const item = (branch: string): object => ({ repo: "web", ref: `refs/heads/${branch}`, ops: 1n, bytes: 2n });
  const page = await rpc("contributions", namespace, { limit: 1 });
  expect(page).toEqual({ ok: true, items: [item("a")], next: expect.any(String) });
  const rest = { limit: 1, cursor: page["next"] };
  expect(await rpc("contributions", namespace, rest)).toEqual({ ok: true, items: [item("b")], next: null });
  const { windows } = await rpc("usage", { namespace });
  const [{ window }] = windows as [{ window: bigint }];
  for (const same of [window, Number(window), null]) {
    const all = await rpc("contributions", namespace, { window: same });
    expect(all).toEqual({ ok: true, items: [item("a"), item("b")], next: null });
  }
  expect(await rpc("contributions", namespace, { window: 1 })).toEqual({ ok: true, items: [], next: null });
});

it("limits are set, read and taken away", async () => {
  const namespace = freshNamespace();
  const defaults = { ok: true, ...DEFAULTS, source: "default" };
  expect(await rpc("limits", namespace)).toEqual(defaults);
  const own = { ok: true, maxOps: 0n, maxBytes: null, source: "namespace" };
  expect(await rpc("setLimits", namespace, { maxOps: 0, maxBytes: null })).toEqual(own);
  expect(await rpc("limits", namespace)).toEqual(own);
  expect(await rpc("charge", { namespace })).toMatchObject({ ok: false, code: "cost_exceeds_limit", dimension: "ops" });
  expect(await rpc("setLimits", namespace, null)).toEqual(defaults);
  expect(await rpc("limits", namespace)).toEqual(defaults);
});

it.each([
  ["charge", refOf("acme")],
  ["charge", { namespace: "acme" }],
  ["moveRef", refOf("acme"), { target: A }],
  ["readRef", refOf("acme")],
  ["usage", refOf("acme")],
  ["contributions", "acme"],
  ["limits", "acme"],
  ["setLimits", "acme", null],
  ["rollUp", refOf("acme")],
  ["charge"],
])("%s of a deployment with settings at fault names them, whatever is asked", async (method, ...args) => {
  const answer = await over("MISCONFIGURED", method, ...args);
  expect(answer).toEqual({ ok: false, code: "not_configured", settings: ["QUOTA_MAX_OPS", "QUOTA_ROLLUP_MS"] });
});
