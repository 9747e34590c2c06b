// Counters in JSON: exact where the runtime can, refused where it cannot.
import { afterEach, describe, expect, it, vi } from "vitest";
import { parseCounters, stringifyCounters } from "../../client/counters.ts";

const EXACT = '{"usage":{"ops":18446744073709551615,"bytes":9007199254740993},"maxOps":null,"retryAfterMs":1500}';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

it("are bigint, and nothing else is", () => {
  const value = {
    usage: { ops: 18_446_744_073_709_551_615n, bytes: 9_007_199_254_740_993n },
    maxOps: null,
    retryAfterMs: 1500,
  };
  expect(parseCounters(EXACT)).toEqual(value);
  expect(stringifyCounters(value)).toBe(EXACT);
});

describe("in a runtime that shows no source text and writes none", () => {
  const parse = JSON.parse.bind(JSON);

  function forget(): void {
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) =>
      parse(text, (key, value: unknown) => (reviver === undefined ? value : (reviver(key, value) as unknown))),
    );
    vi.stubGlobal("JSON", { parse: JSON.parse, stringify: JSON.stringify });
  }

  it("up to 2^53 they are the same", async () => {
    forget();
    vi.resetModules();
    const old = await import("../../client/counters.ts");
    expect(old.parseCounters('{"ops":9007199254740991}')).toEqual({ ops: 9_007_199_254_740_991n });
    expect(old.stringifyCounters({ bytes: 9_007_199_254_740_991n })).toBe('{"bytes":9007199254740991}');
  });

  it("above it they throw and are never rounded", async () => {
    forget();
    vi.resetModules();
    const old = await import("../../client/counters.ts");
    expect(() => old.parseCounters(EXACT)).toThrow(RangeError);
    expect(() => old.stringifyCounters({ bytes: 9_007_199_254_740_993n })).toThrow(RangeError);
  });
});
