import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, concatBytes, encodeU64, equalBytes, fromHex, toHex } from "../../src/core/bytes.ts";
import { MAX_U64 } from "../../src/core/u64.ts";

const strings = fc.uint8Array({ maxLength: 6, max: 0xff });
const u64s = fc.bigInt({ min: 0n, max: MAX_U64 });

describe("byte strings", () => {
  it("sort as their hex does, a prefix first", () => {
    fc.assert(
      fc.property(strings, strings, (left, right) => {
        const [first, second] = [toHex(left), toHex(right)];
        const order = first === second ? 0 : first < second ? -1 : 1;
        expect(Math.sign(compareBytes(left, right))).toBe(order);
        expect(equalBytes(left, right)).toBe(order === 0);
      }),
    );
  });

  it.each([
    { left: "", right: "00", order: -1 },
    { left: "00", right: "0000", order: -1 },
    { left: "7f", right: "80", order: -1 },
    { left: "ff", right: "fe", order: 1 },
    { left: "ff", right: "ffff", order: -1 },
    { left: "0102", right: "0102", order: 0 },
  ])("compare as unsigned: '$left' and '$right'", ({ left, right, order }) => {
    expect(Math.sign(compareBytes(fromHex(left) ?? encodeU64(0n), fromHex(right) ?? encodeU64(0n)))).toBe(order);
  });

  it("join in order", () => {
    expect(toHex(concatBytes(Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3)))).toBe("010203");
    expect(toHex(concatBytes())).toBe("");
  });

  it("go to hex and back", () => {
    fc.assert(
      fc.property(strings, (bytes) => {
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each(["0", "abc", "AB", "0g", " 00", "00\n", "0x00"])("are not read from %j", (hex) => {
    expect(fromHex(hex)).toBeNull();
  });
});

describe("encoded u64s", () => {
  it("sort by number", () => {
    fc.assert(
      fc.property(u64s, u64s, (left, right) => {
        const order = left === right ? 0 : left < right ? -1 : 1;
        expect(Math.sign(compareBytes(encodeU64(left), encodeU64(right)))).toBe(order);
      }),
    );
  });
});
