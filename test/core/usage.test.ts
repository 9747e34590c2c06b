import { describe, expect, it } from "vitest";
import { addU64, isU64, MAX_U64, subtractToZero } from "../../src/core/u64.ts";
import { addUsage, remainingUnder, sameUsage, ZERO_USAGE } from "../../src/core/usage.ts";

describe("a u64", () => {
  it("ends at 2^64 - 1", () => {
    expect(MAX_U64).toBe(18_446_744_073_709_551_615n);
  });

  it.each([
    { value: -1n, fits: false },
    { value: 0n, fits: true },
    { value: 18_446_744_073_709_551_615n, fits: true },
    { value: 18_446_744_073_709_551_616n, fits: false },
  ])("may be $value: $fits", ({ value, fits }) => {
    expect(isU64(value)).toBe(fits);
  });

  it.each([
    { left: 0n, right: 0n, sum: 0n },
    { left: MAX_U64, right: 0n, sum: MAX_U64 },
    { left: MAX_U64 - 1n, right: 1n, sum: MAX_U64 },
    { left: 2n ** 53n, right: 1n, sum: 9_007_199_254_740_993n },
    { left: MAX_U64, right: 1n, sum: null },
    { left: 1n, right: MAX_U64, sum: null },
    { left: MAX_U64, right: MAX_U64, sum: null },
  ])("adds up: $left + $right = $sum", ({ left, right, sum }) => {
    expect(addU64(left, right)).toBe(sum);
  });

  it.each([
    { left: 5n, right: 3n, rest: 2n },
    { left: 3n, right: 3n, rest: 0n },
    { left: 3n, right: 5n, rest: 0n },
    { left: 0n, right: MAX_U64, rest: 0n },
    { left: MAX_U64, right: 0n, rest: MAX_U64 },
  ])("never goes below 0: $left - $right = $rest", ({ left, right, rest }) => {
    expect(subtractToZero(left, right)).toBe(rest);
  });
});

describe("usages", () => {
  it("begin at zero", () => {
    expect(ZERO_USAGE).toEqual({ ops: 0n, bytes: 0n });
  });

  it("add up by dimension", () => {
    expect(addUsage({ ops: 1n, bytes: 20n }, { ops: 3n, bytes: 40n })).toEqual({ ops: 4n, bytes: 60n });
  });

  it.each([
    { dimension: "ops", added: { ops: 1n, bytes: 0n } },
    { dimension: "bytes", added: { ops: 0n, bytes: 1n } },
  ])("have no sum when $dimension overflow", ({ added }) => {
    expect(addUsage({ ops: MAX_U64, bytes: MAX_U64 }, added)).toBeNull();
  });

  it("add up to the largest counters", () => {
    expect(addUsage({ ops: MAX_U64, bytes: 1n }, { ops: 0n, bytes: MAX_U64 - 1n })).toEqual({
      ops: MAX_U64,
      bytes: MAX_U64,
    });
  });

  it.each([
    { other: { ops: 1n, bytes: 2n }, same: true },
    { other: { ops: 2n, bytes: 2n }, same: false },
    { other: { ops: 1n, bytes: 1n }, same: false },
    { other: { ops: 2n, bytes: 1n }, same: false },
  ])("are the same only in both dimensions: $other.ops, $other.bytes", ({ other, same }) => {
    expect(sameUsage({ ops: 1n, bytes: 2n }, other)).toBe(same);
  });
});

describe("what remains", () => {
  const limits = { maxOps: 10n, maxBytes: 100n };

  it.each([
    { of: "less than the limits", used: { ops: 4n, bytes: 99n }, remaining: { ops: 6n, bytes: 1n } },
    { of: "the limits exactly", used: { ops: 10n, bytes: 100n }, remaining: { ops: 0n, bytes: 0n } },
    { of: "more than the limits", used: { ops: 11n, bytes: MAX_U64 }, remaining: { ops: 0n, bytes: 0n } },
    { of: "a count that cannot be known", used: { ops: null, bytes: 1n }, remaining: { ops: 0n, bytes: 99n } },
  ])("of $of is never negative", ({ used, remaining }) => {
    expect(remainingUnder(limits, used)).toEqual(remaining);
  });

  it("is null where there is no limit", () => {
    expect(remainingUnder({ maxOps: null, maxBytes: 100n }, { ops: 7n, bytes: 7n })).toEqual({ ops: null, bytes: 93n });
    expect(remainingUnder({ maxOps: 10n, maxBytes: null }, { ops: 7n, bytes: null })).toEqual({ ops: 3n, bytes: null });
  });
});
