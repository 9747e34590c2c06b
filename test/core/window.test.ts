import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TIME_MS, toWindow, windowEndMs, windowExpiryMs, windowOf, windowStartMs } from "../../src/core/window.ts";
import admission from "../fixtures/admission.json";

const times = fc.integer({ min: 0, max: MAX_TIME_MS });
const lengths = fc.integer({ min: 1, max: 366 * 24 * 3_600_000 });

describe("windows", () => {
  it.each(admission.windows)("of $windowMs ms have number $window at $nowMs", ({ nowMs, windowMs, window }) => {
    expect(windowOf(nowMs, windowMs)).toBe(BigInt(window));
  });

  it("begin at their first ms and end at the next one's", () => {
    const window = toWindow(498_888n);
    expect(windowStartMs(window, 3_600_000)).toBe(1_795_996_800_000);
    expect(windowEndMs(window, 3_600_000)).toBe(1_796_000_400_000);
    expect(windowExpiryMs(window, 3_600_000, 30_000)).toBe(1_796_000_430_000);
  });

  it("hold the time they were numbered by", () => {
    fc.assert(
      fc.property(times, lengths, (nowMs, windowMs) => {
        const window = windowOf(nowMs, windowMs);
        expect(window).toBe(BigInt(nowMs) / BigInt(windowMs));
        expect(windowStartMs(window, windowMs)).toBeLessThanOrEqual(nowMs);
        expect(windowEndMs(window, windowMs)).toBeGreaterThan(Math.min(nowMs, MAX_TIME_MS - 1));
      }),
    );
  });

  it.each([18_446_744_073_709_551_615n, 8_640_000_000_000_000n])("past the end of time end at it: %s", (number) => {
    const window = toWindow(number);
    expect(windowStartMs(window, 3_600_000)).toBe(8.64e15);
    expect(windowEndMs(window, 3_600_000)).toBe(8.64e15);
    expect(windowExpiryMs(window, 3_600_000, 30_000)).toBe(8.64e15);
  });
});
