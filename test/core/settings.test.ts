import { describe, expect, it } from "vitest";
import { readSettings } from "../../src/core/settings.ts";

const DEPLOYED = {
  QUOTA_WINDOW_MS: "3600000",
  QUOTA_MAX_OPS: "300",
  QUOTA_MAX_BYTES: "134217728",
  QUOTA_ROLLUP_MS: "60000",
  QUOTA_CLOCK_GRACE_MS: "30000",
  QUOTA_COORDINATOR_TIMEOUT_MS: "2000",
};
const MAX_SPAN_MS = "31622400000";
const SPANS = ["QUOTA_WINDOW_MS", "QUOTA_ROLLUP_MS", "QUOTA_CLOCK_GRACE_MS", "QUOTA_COORDINATOR_TIMEOUT_MS"] as const;
const CAPS = ["QUOTA_MAX_OPS", "QUOTA_MAX_BYTES"] as const;
const NAMES = [...SPANS, ...CAPS];

const MALFORMED: readonly (readonly [what: string, value: unknown])[] = [
  ["missing", undefined],
  ["null", null],
  ["empty", ""],
  ["blank", " "],
  ["a word", "ten"],
  ["negative", "-1"],
  ["negative as a number", -1],
  ["signed", "+1"],
  ["fractional", "1.5"],
  ["fractional as a number", 1.5],
  ["a whole number with a point", "1.0"],
  ["exponential", "1e3"],
  ["hexadecimal", "0x10"],
  ["grouped", "1_000"],
  ["grouped by commas", "1,000"],
  ["led by a zero", "007"],
  ["led by a space", " 7"],
  ["followed by a space", "7 "],
  ["followed by a line feed", "7\n"],
  ["followed by a unit", "7ms"],
  ["digits that are not ASCII", "\u0667"],
  ["2^64", "18446744073709551616"],
  ["21 digits", "100000000000000000000"],
  ["2^64 as a number", 2 ** 64],
  ["a number past 2^53, which is not exact", 2 ** 53],
  ["1e21 as a number", 1e21],
  ["NaN", Number.NaN],
  ["infinite", Number.POSITIVE_INFINITY],
  ["a boolean", true],
  ["a bigint", 7n],
  ["a list", ["7"]],
  ["an object", { value: "7" }],
];

describe("settings", () => {
  it("are read from text", () => {
    expect(readSettings(DEPLOYED)).toEqual({
      kind: "settings",
      settings: {
        windowMs: 3_600_000,
        rollupMs: 60_000,
        clockGraceMs: 30_000,
        coordinatorTimeoutMs: 2_000,
        limits: { maxOps: 300n, maxBytes: 134_217_728n },
      },
    });
  });

  it("are read from numbers of an unquoted TOML value", () => {
    const asNumbers = Object.fromEntries(Object.entries(DEPLOYED).map(([name, value]) => [name, Number(value)]));
    expect(readSettings(asNumbers)).toEqual(readSettings(DEPLOYED));
  });

  it("may be as small as they go", () => {
    const smallest = {
      QUOTA_WINDOW_MS: "1",
      QUOTA_MAX_OPS: "0",
      QUOTA_MAX_BYTES: "0",
      QUOTA_ROLLUP_MS: "1",
      QUOTA_CLOCK_GRACE_MS: "0",
      QUOTA_COORDINATOR_TIMEOUT_MS: "0",
    };
    expect(readSettings(smallest)).toEqual({
      kind: "settings",
      settings: {
        windowMs: 1,
        rollupMs: 1,
        clockGraceMs: 0,
        coordinatorTimeoutMs: 0,
        limits: { maxOps: 0n, maxBytes: 0n },
      },
    });
  });

  it("may be as large as they go", () => {
    const largest = {
      ...Object.fromEntries(SPANS.map((name) => [name, MAX_SPAN_MS])),
      QUOTA_MAX_OPS: "18446744073709551615",
      QUOTA_MAX_BYTES: "18446744073709551615",
    };
    expect(readSettings(largest)).toEqual({
      kind: "settings",
      settings: {
        windowMs: 31_622_400_000,
        rollupMs: 31_622_400_000,
        clockGraceMs: 31_622_400_000,
        coordinatorTimeoutMs: 31_622_400_000,
        limits: { maxOps: 2n ** 64n - 1n, maxBytes: 2n ** 64n - 1n },
      },
    });
  });

  it("that are all missing are all named, once each", () => {
    expect(readSettings({})).toEqual({
      kind: "misconfigured",
      names: [
        "QUOTA_WINDOW_MS",
        "QUOTA_MAX_OPS",
        "QUOTA_MAX_BYTES",
        "QUOTA_ROLLUP_MS",
        "QUOTA_CLOCK_GRACE_MS",
        "QUOTA_COORDINATOR_TIMEOUT_MS",
      ],
    });
  });

  it("other than these are not looked at", () => {
    expect(readSettings({ ...DEPLOYED, QUOTA_WRITE_TOKEN: "secret", OTHER: -1 })).toEqual(readSettings(DEPLOYED));
  });
});

describe.each(NAMES)("%s", (name) => {
  it.each(MALFORMED)("is named, and its value is not, when it is %s", (_, value) => {
    expect(readSettings({ ...DEPLOYED, [name]: value })).toEqual({ kind: "misconfigured", names: [name] });
  });
});

describe.each(SPANS)("%s", (name) => {
  it("is named when it is longer than 366 days", () => {
    expect(readSettings({ ...DEPLOYED, [name]: "31622400001" })).toEqual({ kind: "misconfigured", names: [name] });
  });
});

describe.each(["QUOTA_WINDOW_MS", "QUOTA_ROLLUP_MS"])("%s", (name) => {
  it.each(["0", 0])("is named when it is %j", (value) => {
    expect(readSettings({ ...DEPLOYED, [name]: value })).toEqual({ kind: "misconfigured", names: [name] });
  });
});
