import { expect, it } from "vitest";
import {
  formatAge,
  formatCount,
  formatCountdown,
  formatShare,
  formatSize,
  fraction,
} from "../../src/dashboard/format.js";

const U64_MAX = 2n ** 64n - 1n;

it.each([
  [0n, "0"],
  [9_007_199_254_740_993n, "9,007,199,254,740,993"],
  [U64_MAX, "18,446,744,073,709,551,615"],
])("the count %s is written in full", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

it.each([
  [0n, "0 B"],
  [1_023n, "1023 B"],
  [1_024n, "1 KiB"],
  [1_025n, "1.00 KiB"],
  [1_310_720n, "1.25 MiB"],
  [134_217_728n, "128 MiB"],
  [2n ** 30n - 1n, "1024 MiB"],
  [U64_MAX, "16.0 EiB"],
])("the size %s is %s", (bytes, text) => {
  expect(formatSize(bytes)).toBe(text);
});

it.each([
  [0n, 5n, "0 %"],
  [1n, 5_000n, "< 0.1 %"],
  [1n, 16n, "6.3 %"],
  [2n, 3n, "66 %"],
  [U64_MAX - 1n, U64_MAX, "> 99.9 %"],
  [7n, 5n, "100 %"],
  [0n, 0n, "0 %"],
])("%s of %s is %s", (part, whole, text) => {
  expect(formatShare(part, whole)).toBe(text);
});

it("a part over the whole is the whole, and a part of nothing is nothing", () => {
  expect([fraction(7n, 5n), fraction(3n, 0n), fraction(1n, 4n)]).toEqual([1, 0, 0.25]);
});

it("times count whole seconds, down to none", () => {
  expect([-5, 1, 61_000, 3_723_000].map(formatCountdown)).toEqual(["00:00", "00:01", "01:01", "1:02:03"]);
  expect([0, 3_999, 300_000, 7_200_000].map(formatAge)).toEqual(["just now", "3 s ago", "5 min ago", "2 h ago"]);
});
