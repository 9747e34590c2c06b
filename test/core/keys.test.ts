import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, concatBytes, encodeU64, toHex } from "../../src/core/bytes.ts";
import {
  classRange,
  decodeTimerKey,
  isInRange,
  type Key,
  type KeyRange,
  quotaBefore,
  quotaContributionKey,
  quotaShardKey,
  type QuotaTag,
  quotaTotalKey,
  quotaViewKey,
  quotaWindow,
  sourceOfContributionKey,
  type Tag,
  type Timer,
  timerKey,
  timersDueAfter,
  timersDueBy,
  toKey,
  windowOfKey,
} from "../../src/core/keys.ts";
import { MAX_U64 } from "../../src/core/u64.ts";
import { toWindow, type Window } from "../../src/core/window.ts";
import { keyOf } from "./vectors.ts";

const TAGS: readonly Tag[] = ["qc", "qs", "qt", "qv", "w"];
const QUOTA_TAGS: readonly QuotaTag[] = ["qc", "qs", "qt", "qv"];

const u64s = fc.bigInt({ min: 0n, max: MAX_U64 });
const windows = fc.oneof(u64s, fc.bigInt({ min: 0n, max: 3n }), fc.constantFrom(MAX_U64, MAX_U64 - 1n)).map(toWindow);
const sources = fc.uint8Array({ maxLength: 12 });
const dueTimes = fc.oneof(fc.maxSafeNat(), fc.nat(3), fc.constant(Number.MAX_SAFE_INTEGER));
const timers: fc.Arbitrary<Timer> = fc.record({
  dueAtMs: dueTimes,
  kind: fc.integer({ min: 1, max: 0xff }),
  reference: fc.uint8Array({ maxLength: 12 }),
});
const anyKeys = fc.oneof(
  fc.tuple(windows, sources).map(([window, source]) => quotaContributionKey(window, source)),
  windows.map(quotaShardKey),
  windows.map(quotaViewKey),
  windows.map(quotaTotalKey),
  timers.map(timerKey),
  fc.uint8Array({ maxLength: 12 }).map(toKey),
);

describe("key order", () => {
  it.each([
    { of: "shard usage", keyAt: quotaShardKey },
    { of: "view", keyAt: quotaViewKey },
    { of: "total", keyAt: quotaTotalKey },
  ])("of $of rows is the numeric order of windows", ({ keyAt }) => {
    fc.assert(
      fc.property(windows, windows, (left, right) => {
        expect(Math.sign(compareBytes(keyAt(left), keyAt(right)))).toBe(orderOf(left, right));
      }),
    );
  });

  it("of contributions is by window, then by source", () => {
    fc.assert(
      fc.property(windows, windows, sources, sources, (left, right, leftSource, rightSource) => {
        const keys = [quotaContributionKey(left, leftSource), quotaContributionKey(right, rightSource)] as const;
        expect(Math.sign(compareBytes(...keys))).toBe(
          orderOf(left, right) || Math.sign(compareBytes(leftSource, rightSource)),
        );
      }),
    );
  });

  it("of timers is by due time, then by kind, then by reference", () => {
    fc.assert(
      fc.property(timers, timers, (left, right) => {
        expect(Math.sign(compareBytes(timerKey(left), timerKey(right)))).toBe(
          orderOf(left.dueAtMs, right.dueAtMs) ||
            orderOf(left.kind, right.kind) ||
            Math.sign(compareBytes(left.reference, right.reference)),
        );
      }),
    );
  });
});

describe("class ranges", () => {
  it("never overlap", () => {
    const inOrder = TAGS.map((tag) => classRange(tag));
    for (const [index, { start, end }] of inOrder.entries()) {
      const next = inOrder[index + 1];
      if (end === null) throw new Error("a class has an end");
      expect(compareBytes(start, end)).toBeLessThan(0);
      if (next !== undefined) expect(compareBytes(end, next.start)).toBeLessThanOrEqual(0);
    }
  });

  it("hold any key at most once, and every row of their class", () => {
    fc.assert(
      fc.property(anyKeys, (key) => {
        const holders = TAGS.filter((tag) => isInRange(classRange(tag), key));
        expect(holders).toEqual(TAGS.filter((tag) => toHex(key).startsWith(toHex(tagPrefix(tag)))));
      }),
    );
  });

  it.each([
    { tag: "qs", start: "717300", end: "717301" },
    { tag: "qv", start: "717600", end: "717601" },
    { tag: "qc", start: "716300", end: "716301" },
    { tag: "qt", start: "717400", end: "717401" },
    { tag: "w", start: "7700", end: "7701" },
  ] as const)("of $tag run from $start to $end", ({ tag, start, end }) => {
    expect(hexRange(classRange(tag))).toEqual({ start, end });
  });
});

describe("window ranges", () => {
  it("hold exactly the contributions of their window", () => {
    fc.assert(
      fc.property(windows, windows, sources, (window, other, source) => {
        expect(isInRange(quotaWindow("qc", window), quotaContributionKey(other, source))).toBe(window === other);
      }),
    );
  });

  it("end with the class for the last window of all", () => {
    expect(hexRange(quotaWindow("qs", toWindow(MAX_U64)))).toEqual({ start: "717300ffffffffffffffff", end: "717301" });
  });

  it("carry into the next byte", () => {
    expect(hexRange(quotaWindow("qs", toWindow(255n)))).toEqual({
      start: "71730000000000000000ff",
      end: "71730000000000000001",
    });
  });

  it("before a window hold exactly the lower windows", () => {
    fc.assert(
      fc.property(windows, windows, sources, (window, other, source) => {
        expect(isInRange(quotaBefore("qc", window), quotaContributionKey(other, source))).toBe(other < window);
      }),
    );
  });

  it("before window 0 are empty", () => {
    const { start, end } = quotaBefore("qt", toWindow(0n));
    expect(isInRange({ start, end }, quotaTotalKey(toWindow(0n)))).toBe(false);
    expect(hexRange({ start, end })).toEqual({ start: "717400", end: "7174000000000000000000" });
  });
});

describe("timer ranges", () => {
  it("divide timers into those due by a time and those due after it", () => {
    fc.assert(
      fc.property(timers, dueTimes, (timer, nowMs) => {
        expect(isInRange(timersDueBy(nowMs), timerKey(timer))).toBe(timer.dueAtMs <= nowMs);
        expect(isInRange(timersDueAfter(nowMs), timerKey(timer))).toBe(timer.dueAtMs > nowMs);
      }),
    );
  });

  it("meet at the ms after the time", () => {
    expect(hexRange(timersDueBy(60_000))).toEqual({ start: "7700", end: "7700000000000000ea61" });
    expect(hexRange(timersDueAfter(60_000))).toEqual({ start: "7700000000000000ea61", end: "7701" });
  });
});

describe("keys read back", () => {
  it("give the window of every quota row", () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUOTA_TAGS), windows, (tag, window) => {
        expect(windowOfKey(tag, keyOfTag(tag, window))).toBe(window);
      }),
    );
  });

  it("give no window when they are of another class", () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUOTA_TAGS), fc.constantFrom(...QUOTA_TAGS), windows, (tag, other, window) => {
        expect(windowOfKey(tag, keyOfTag(other, window))).toBe(tag === other ? window : null);
      }),
    );
  });

  it.each(["", "71", "717300", "71730000000000000000", "7173010000000000000000"])(
    "give no window when they are too short or badly tagged: '%s'",
    (hex) => {
      expect(windowOfKey("qs", keyOf(hex))).toBeNull();
    },
  );

  it("give the source of every contribution", () => {
    fc.assert(
      fc.property(windows, sources, (window, source) => {
        expect(toHex(sourceOfContributionKey(quotaContributionKey(window, source)))).toBe(toHex(source));
      }),
    );
  });

  it("give every timer, up to the last due time a number holds exactly", () => {
    fc.assert(
      fc.property(timers, (timer) => {
        expect(decodeTimerKey(timerKey(timer))).toEqual(timer);
      }),
    );
  });

  it.each([
    { of: "nothing", hex: "" },
    { of: "a tag alone", hex: "7700" },
    { of: "a due time without a kind", hex: "7700000000000000ea60" },
    { of: "kind 0", hex: "7700000000000000ea60000000000000000000" },
    { of: "another tag", hex: "7800000000000000ea60050000000000000000" },
    { of: "a tag without its zero byte", hex: "7701000000000000ea60050000000000000000" },
  ])("give no timer for $of", ({ hex }) => {
    expect(decodeTimerKey(keyOf(hex))).toBeNull();
  });

  it("give a timer without a reference", () => {
    expect(decodeTimerKey(keyOf("7700000000000000ea6005"))).toEqual({
      dueAtMs: 60_000,
      kind: 5,
      reference: new Uint8Array(),
    });
  });
});

function orderOf<T extends bigint | number>(left: T, right: T): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function tagPrefix(tag: Tag): Uint8Array {
  return new TextEncoder().encode(`${tag}\0`);
}

function keyOfTag(tag: QuotaTag, window: Window): Key {
  return toKey(concatBytes(tagPrefix(tag), encodeU64(window)));
}

function hexRange({ start, end }: KeyRange): { start: string; end: string | null } {
  return { start: toHex(start), end: end === null ? null : toHex(end) };
}
