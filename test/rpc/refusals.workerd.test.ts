// Arguments that another Worker may not pass: each is refused as a value, before any object is touched.
import { describe, expect, it } from "vitest";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";
import { refOf, rpc } from "./calls.ts";

const NS = "never-used";
const REF = refOf(NS);
const TARGET = "a".repeat(40);
const NOT_COUNTERS = [
  -1,
  1.5,
  Number.NaN,
  "5",
  Number.POSITIVE_INFINITY,
  2 ** 53,
  -1n,
  2n ** 64n,
  true,
  {},
  [5n],
  new Date(0),
  () => 5n,
];
/** Where null stands for a value of its own. */
const NEVER = [...NOT_COUNTERS, undefined];
const NOT_NAMES = [
  "",
  ".",
  "..",
  "-a",
  "a/b",
  "a\n",
  "a\u0000",
  "é",
  "a".repeat(129),
  5,
  5n,
  null,
  {},
  ["a"],
  () => "a",
];
const NOT_REFS = ["", "main", "refs/", "refs/a..b", "refs/a\nb", `refs/${"a".repeat(512)}`, 5, null, []];
const NOT_IDS = ["", "a".repeat(39), "A".repeat(40), "g".repeat(40), 5, {}, () => TARGET];
const NOT_KEYS = ["", "a b", "é", "k".repeat(129), 5, {}, () => "k"];
const NOT_OBJECTS = [null, "5", 5, 5n, true, [], new Map([["bytes", 5n]]), new Date(0), () => ({})];

async function expectRefused(method: string, ...args: readonly unknown[]): Promise<string> {
  const answer = await rpc(method, ...args);
  expect(answer).toEqual({ ok: false, code: "invalid_request", detail: expect.any(String) });
  return String(answer["detail"]);
}

it.each(["charge", "moveRef", "readRef", "usage", "contributions", "limits", "setLimits", "rollUp"])(
  "%s of nothing at all",
  async (method) => {
    expect(await expectRefused(method)).toMatch(/^argument 1: /);
  },
);

describe("a counter that is none", () => {
  it.each([...NOT_COUNTERS, null])("%o is not a cost", async (bytes) => {
    expect(await expectRefused("charge", REF, { bytes })).toMatch(/^argument 2\.bytes: /);
    expect(await expectRefused("charge", { namespace: NS }, { bytes })).toMatch(/^argument 2\.bytes: /);
    expect(await expectRefused("moveRef", REF, { target: TARGET, bytes })).toMatch(/^argument 2\.bytes: /);
  });

  it.each(NEVER)("%o is not a limit", async (limit) => {
    expect(await expectRefused("setLimits", NS, { maxOps: limit, maxBytes: null })).toMatch(/^argument 2\.maxOps: /);
    expect(await expectRefused("setLimits", NS, { maxOps: 1n, maxBytes: limit })).toMatch(/^argument 2\.maxBytes: /);
  });

  it.each(NOT_COUNTERS)("%o is not a window", async (window) => {
    expect(await expectRefused("contributions", NS, { window })).toMatch(/^argument 2\.window: /);
  });

  it.each([...NOT_COUNTERS, null, 0, 1_001])("%o is not the length of a page", async (limit) => {
    expect(await expectRefused("contributions", NS, { limit })).toMatch(/^argument 2\.limit: /);
  });
});

describe("a name that is none", () => {
  it.each(NOT_NAMES)("%o is not a namespace", async (namespace) => {
    for (const method of ["charge", "usage", "readRef", "rollUp"]) {
      expect(await expectRefused(method, { ...REF, namespace })).toMatch(/^argument 1\.namespace: /);
    }
    expect(await expectRefused("charge", { namespace })).toMatch(/^argument 1\.namespace: /);
    expect(await expectRefused("moveRef", { ...REF, namespace }, { target: TARGET })).toMatch(
      /^argument 1\.namespace: /,
    );
    for (const method of ["limits", "contributions"]) {
      expect(await expectRefused(method, namespace)).toMatch(/^argument 1: /);
    }
    expect(await expectRefused("setLimits", namespace, null)).toMatch(/^argument 1: /);
  });

  it.each(NOT_NAMES)("%o is not a repo", async (repo) => {
    for (const method of ["charge", "usage", "readRef", "rollUp"]) {
      expect(await expectRefused(method, { ...REF, repo })).toMatch(/^argument 1\.repo: /);
    }
  });

  it.each(NOT_REFS)("%o is not a ref", async (ref) => {
    for (const method of ["charge", "usage", "readRef", "rollUp"]) {
      expect(await expectRefused(method, { ...REF, ref })).toMatch(/^argument 1\.ref: /);
    }
  });

  it("a lone surrogate is not part of a ref", async () => {
    expect(await expectRefused("charge", { ...REF, ref: "refs/\u{d800}" })).toMatch(/^argument 1\.ref: /);
  });

  it("a repo without a ref, and a ref without a repo", async () => {
    const { namespace, repo, ref } = REF;
    for (const target of [
      { namespace, repo },
      { namespace, ref },
    ]) {
      const detail = "argument 1: repo and ref are given both or neither";
      expect(await expectRefused("charge", target)).toBe(detail);
      expect(await expectRefused("usage", target)).toBe(detail);
      await expectRefused("readRef", target);
    }
    for (const method of ["readRef", "rollUp"]) await expectRefused(method, { namespace });
  });
});

describe("an argument that is no object of its kind", () => {
  it.each(NOT_OBJECTS)("%o", async (value) => {
    for (const method of ["charge", "usage", "readRef", "rollUp"]) await expectRefused(method, value);
    await expectRefused("charge", REF, value);
    await expectRefused("moveRef", REF, value);
    await expectRefused("contributions", NS, value);
    if (value !== null) await expectRefused("setLimits", NS, value);
  });

  it("a move or limits left out", async () => {
    await expectRefused("moveRef", REF);
    await expectRefused("moveRef", REF, {});
    await expectRefused("setLimits", NS);
    await expectRefused("setLimits", NS, {});
  });

  it("a field that nobody knows", async () => {
    for (const method of ["charge", "usage", "readRef", "rollUp"]) await expectRefused(method, { ...REF, tenant: "x" });
    await expectRefused("charge", { namespace: NS, tenant: "x" });
    await expectRefused("charge", REF, { bytes: 1n, ops: 2n });
    await expectRefused("moveRef", REF, { target: TARGET, force: true });
    await expectRefused("contributions", NS, { offset: 1 });
    await expectRefused("setLimits", NS, { maxOps: 1n, maxBytes: 1n, maxRefs: 1n });
  });
});

it.each(NOT_IDS)("%o is not an object id", async (id) => {
  expect(await expectRefused("moveRef", REF, { target: id })).toMatch(/^argument 2\.target: /);
  expect(await expectRefused("moveRef", REF, { expected: id, target: null })).toMatch(/^argument 2\.expected: /);
});

it.each(NOT_KEYS)("%o is not an idempotency key", async (idempotencyKey) => {
  expect(await expectRefused("charge", REF, { idempotencyKey })).toMatch(/^argument 2\.idempotencyKey: /);
  expect(await expectRefused("charge", { namespace: NS }, { idempotencyKey })).toMatch(/^argument 2\.idempotencyKey: /);
  expect(await expectRefused("moveRef", REF, { target: TARGET, idempotencyKey })).toMatch(/idempotencyKey: /);
});

it.each([5, {}, "", "forged", "%", "A".repeat(3_000), () => ""])("%o is not a cursor", async (cursor) => {
  await expectRefused("contributions", NS, { cursor });
});

it("after all of which nothing is stored", async () => {
  expect(await storedIn(shardOf(NS))).toEqual(NOTHING_STORED);
  expect(await storedIn(coordinatorOf(NS))).toEqual(NOTHING_STORED);
});
