// The admission decision is what test/fixtures/admission.json says. The vectors leave open which scope
// and which dimension refused; those are pinned here.
import { describe, expect, it } from "vitest";
import {
  type Admission,
  type ChargeState,
  estimateTotal,
  evaluateCharge,
  viewStatus,
} from "../../src/core/admission.ts";
import { MAX_U64 } from "../../src/core/u64.ts";
import type { View } from "../../src/core/usage.ts";
import admission from "../fixtures/admission.json";
import { usageOf } from "./vectors.ts";

type Vector = (typeof admission.admission)[number];
type Refusal = Omit<Extract<Admission, { kind: "exhausted" }>, "kind">;

const REFUSALS: Readonly<Record<string, Refusal>> = {
  "local op cap is exact without a view": { scope: "shard", dimension: "ops", view: "missing" },
  "one byte over": { scope: "shard", dimension: "bytes", view: "missing" },
  "a single write over the byte cap": { scope: "shard", dimension: "bytes", view: "missing" },
  "fresh view: others fill the rest": { scope: "namespace", dimension: "ops", view: "fresh" },
  "view exactly two periods old is still fresh": { scope: "namespace", dimension: "ops", view: "fresh" },
  "a view whose total is below its own pushed share denies": { scope: "namespace", dimension: "ops", view: "fresh" },
  "exact partition at cap": { scope: "namespace", dimension: "ops", view: "fresh" },
  "local counter overflow fails closed": { scope: "shard", dimension: "bytes", view: "missing" },
  "estimate overflow fails closed": { scope: "namespace", dimension: "bytes", view: "fresh" },
  "a view from the future counts as fresh": { scope: "namespace", dimension: "ops", view: "fresh" },
};

const VIEW: View = { total: { ops: 9n, bytes: 90n }, pushed: { ops: 4n, bytes: 40n }, observedAtMs: 1_000n };

describe("the vectors", () => {
  it("are all known", () => {
    expect(Object.keys(admission)).toEqual(["about", "rollupMs", "windows", "admission"]);
    const refused = admission.admission.filter((vector) => vector.expect.kind === "exhausted");
    expect(refused.map((vector) => vector.name)).toEqual(Object.keys(REFUSALS));
  });

  it.each(admission.admission)("decide: $name", (vector) => {
    expect(evaluateCharge(stateOf(vector))).toEqual(expectedOf(vector));
  });
});

describe("a charge", () => {
  const state: ChargeState = {
    limits: { maxOps: 10n, maxBytes: 100n },
    current: { ops: 4n, bytes: 40n },
    cost: { ops: 1n, bytes: 10n },
    view: VIEW,
    exact: false,
    nowMs: 1_000,
    rollupMs: 60_000,
  };

  it("is admitted when own and estimated counts reach both caps exactly", () => {
    expect(evaluateCharge(state)).toEqual({ kind: "allowed", usage: { ops: 5n, bytes: 50n }, view: "fresh" });
  });

  it.each([
    { by: "own ops", limits: { maxOps: 4n, maxBytes: null }, scope: "shard", dimension: "ops" },
    { by: "own bytes", limits: { maxOps: null, maxBytes: 49n }, scope: "shard", dimension: "bytes" },
    { by: "estimated ops", limits: { maxOps: 9n, maxBytes: null }, scope: "namespace", dimension: "ops" },
    { by: "estimated bytes", limits: { maxOps: null, maxBytes: 99n }, scope: "namespace", dimension: "bytes" },
    { by: "ops before bytes", limits: { maxOps: 4n, maxBytes: 49n }, scope: "shard", dimension: "ops" },
    { by: "own bytes before estimated ops", limits: { maxOps: 9n, maxBytes: 49n }, scope: "shard", dimension: "bytes" },
    { by: "a limit of 0", limits: { maxOps: 0n, maxBytes: null }, scope: "shard", dimension: "ops" },
  ])("is refused by $by", ({ limits, scope, dimension }) => {
    expect(evaluateCharge({ ...state, limits })).toEqual({ kind: "exhausted", scope, dimension, view: "fresh" });
  });

  it("is admitted by null limits up to the largest counters", () => {
    const limits = { maxOps: null, maxBytes: null };
    const current = { ops: MAX_U64 - 1n, bytes: MAX_U64 - 10n };
    expect(evaluateCharge({ ...state, limits, current, view: null })).toEqual({
      kind: "allowed",
      usage: { ops: MAX_U64, bytes: MAX_U64 },
      view: "missing",
    });
  });

  it.each([
    { dimension: "ops", current: { ops: MAX_U64, bytes: 0n } },
    { dimension: "bytes", current: { ops: 0n, bytes: MAX_U64 - 9n } },
  ])("is refused, even without limits, when its count of $dimension overflows", ({ dimension, current }) => {
    const limits = { maxOps: null, maxBytes: null };
    expect(evaluateCharge({ ...state, limits, current, view: null })).toEqual({
      kind: "exhausted",
      scope: "shard",
      dimension,
      view: "missing",
    });
  });

  it("names the namespace when an exact partition refuses bytes", () => {
    expect(evaluateCharge({ ...state, exact: true, limits: { maxOps: 10n, maxBytes: 49n } })).toEqual({
      kind: "exhausted",
      scope: "namespace",
      dimension: "bytes",
      view: "fresh",
    });
  });
});

describe("a view", () => {
  it.each([
    { age: "from the future", nowMs: 0, status: "fresh" },
    { age: "of this moment", nowMs: 1_000, status: "fresh" },
    { age: "two periods old", nowMs: 121_000, status: "fresh" },
    { age: "1 ms older than two periods", nowMs: 121_001, status: "stale" },
  ])("$age is $status", ({ nowMs, status }) => {
    expect(viewStatus(VIEW, nowMs, 60_000)).toBe(status);
  });

  it("that is not there is missing", () => {
    expect(viewStatus(null, 1_000, 60_000)).toBe("missing");
  });

  it("of a time that no number holds exactly is from the future", () => {
    expect(viewStatus({ ...VIEW, observedAtMs: MAX_U64 }, 8.64e15, 60_000)).toBe("fresh");
  });

  it("gives the others' share and the own newer count as the estimate", () => {
    expect(estimateTotal(VIEW, { ops: 6n, bytes: 60n })).toEqual({ ops: 11n, bytes: 110n });
  });

  it("that contradicts itself in one dimension gives no estimate there", () => {
    const view = { ...VIEW, pushed: { ops: 10n, bytes: 90n } };
    expect(estimateTotal(view, { ops: 6n, bytes: 60n })).toEqual({ ops: null, bytes: 60n });
  });

  it("whose sum overflows in one dimension gives no estimate there", () => {
    const view = { ...VIEW, total: { ops: 9n, bytes: MAX_U64 } };
    expect(estimateTotal(view, { ops: 6n, bytes: 41n })).toEqual({ ops: 11n, bytes: null });
  });
});

function stateOf({ limits, current, bytes, view, nowMs, rollup }: Vector): ChargeState {
  return {
    limits: { maxOps: BigInt(limits.maxOps), maxBytes: BigInt(limits.maxBytes) },
    current: usageOf(current),
    cost: { ops: 1n, bytes: BigInt(bytes) },
    view:
      view === null
        ? null
        : { total: usageOf(view.total), pushed: usageOf(view.pushed), observedAtMs: BigInt(view.observedAtMs) },
    exact: !rollup,
    nowMs,
    rollupMs: admission.rollupMs,
  };
}

function expectedOf({ name, expect: expected }: Vector): unknown {
  if (expected.usage === undefined) return { kind: "exhausted", ...REFUSALS[name] };
  return { kind: expected.kind, usage: usageOf(expected.usage), view: expected.view };
}
