import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeU64, readU64, toHex } from "../../src/core/bytes.ts";
import { decodeU64, decodeUsage, decodeView, encodeUsage, encodeView } from "../../src/core/codec.ts";
import { MAX_U64 } from "../../src/core/u64.ts";

const u64s = fc.oneof(
  fc.bigInt({ min: 0n, max: MAX_U64 }),
  fc.constantFrom(0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n, MAX_U64),
);
const usages = fc.record({ ops: u64s, bytes: u64s });
const views = fc.record({ total: usages, pushed: usages, observedAtMs: u64s });

describe("what is encoded is decoded", () => {
  it("for every u64", () => {
    fc.assert(
      fc.property(u64s, (value) => {
        expect(decodeU64(encodeU64(value))).toBe(value);
      }),
    );
  });

  it("for every usage", () => {
    fc.assert(
      fc.property(usages, (usage) => {
        expect(decodeUsage(encodeUsage(usage))).toEqual(usage);
      }),
    );
  });

  it("for every view", () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(decodeView(encodeView(view))).toEqual(view);
      }),
    );
  });
});

describe("what is decoded", () => {
  it("encodes to the same bytes for any 8, 16 or 40", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), (bytes) => {
        const [number, usage, view] = [bytes.slice(0, 8), bytes.slice(0, 16), bytes];
        expect(toHex(encodeU64(decodeU64(number) ?? 0n))).toBe(toHex(number));
        expect(toHex(encodeUsage(decodeUsage(usage) ?? { ops: 0n, bytes: 0n }))).toBe(toHex(usage));
        const decoded = decodeView(view);
        expect(decoded === null ? null : toHex(encodeView(decoded))).toBe(toHex(view));
      }),
    );
  });

  it("is null for any other length", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeU64(bytes) === null).toBe(bytes.length !== 8);
        expect(decodeUsage(bytes) === null).toBe(bytes.length !== 16);
        expect(decodeView(bytes) === null).toBe(bytes.length !== 40);
      }),
    );
  });

  it("is read within a larger buffer", () => {
    const buffer = Uint8Array.of(0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 8, 0xff);
    expect(decodeUsage(buffer.subarray(3, 19))).toEqual({ ops: 5n, bytes: 8n });
    expect(readU64(buffer.subarray(3), 8)).toBe(8n);
  });
});
