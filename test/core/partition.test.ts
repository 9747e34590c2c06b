import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { decodePartition, encodePartition, type Partition } from "../../src/core/partition.ts";
import { objectName, type ObjectPartition, partitionOfName } from "../../src/objects/identity.ts";
import { bytesOf } from "./vectors.ts";

// Few letters, so that parts of one partition often begin, end or spell those of another.
const parts = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "/", "\n", "r", "c"), minLength: 1, maxLength: 3 }),
  fc.string({ unit: "binary", minLength: 1, maxLength: 8 }).filter((part) => !part.includes("\0")),
  fc.constantFrom("coordinator", "global", "__proto__", "\ufeff", "\ufeffa", "caf\u00e9", "cafe\u0301"),
);
const partitions: fc.Arbitrary<Partition> = fc.oneof(
  fc.record({ kind: fc.constant("namespace" as const), ns: parts }),
  fc.record({ kind: fc.constant("coordinator" as const), ns: parts }),
  fc.record({ kind: fc.constant("ref" as const), ns: parts, repo: parts, ref: parts }),
);
const oneLine = parts.filter((part) => !part.includes("\n"));
const objectPartitions: fc.Arbitrary<ObjectPartition> = fc.oneof(
  fc.record({ kind: fc.constant("coordinator" as const), ns: oneLine }),
  fc.record({ kind: fc.constant("ref" as const), ns: oneLine, repo: oneLine, ref: oneLine }),
);

describe("an encoded partition (G6 isolation)", () => {
  it("is decoded to what it was", () => {
    fc.assert(
      fc.property(partitions, (partition) => {
        expect(decodePartition(encodePartition(partition))).toEqual(partition);
      }),
      { numRuns: 500 },
    );
  });

  it("is like no other's, and none begins with another", () => {
    fc.assert(
      fc.property(partitions, partitions, (left, right) => {
        const [first, second] = [toHex(encodePartition(left)), toHex(encodePartition(right))];
        const isSame = JSON.stringify(fieldsOf(left)) === JSON.stringify(fieldsOf(right));
        expect(first === second).toBe(isSame);
        expect(first.startsWith(second)).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is the only byte string that decodes to its partition", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.constantFrom("n", "c", "r"), (bytes, letter) => {
        const text = Uint8Array.of(letter.charCodeAt(0), ...bytes, 0);
        const partition = decodePartition(text);
        if (partition !== null) expect(toHex(encodePartition(partition))).toBe(toHex(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("encodePartition", () => {
  it.each([
    { of: "an empty namespace", partition: { kind: "coordinator", ns: "" } },
    { of: "an empty repo", partition: { kind: "ref", ns: "a", repo: "", ref: "refs/x" } },
    { of: "an empty ref", partition: { kind: "ref", ns: "a", repo: "b", ref: "" } },
    { of: "a NUL in a namespace", partition: { kind: "namespace", ns: "a\0b" } },
    { of: "a NUL in a repo", partition: { kind: "ref", ns: "a", repo: "b\0", ref: "refs/x" } },
    { of: "a high surrogate alone", partition: { kind: "ref", ns: "a", repo: "b", ref: "refs/\ud800" } },
    { of: "a low surrogate alone", partition: { kind: "coordinator", ns: "\udc00" } },
  ] satisfies readonly { of: string; partition: Partition }[])("refuses $of", ({ partition }) => {
    expect(() => encodePartition(partition)).toThrow(RangeError);
  });
});

describe("decodePartition", () => {
  it.each([
    { of: "a kind letter alone", hex: "63" },
    { of: "an empty part", hex: "6300" },
    { of: "an upper-case kind letter", hex: "43726f6f7400" },
    { of: "a namespace with a repo", hex: "6e61006200" },
    { of: "a ref without its last part", hex: "7261006200" },
    { of: "a ref with one part too many", hex: "726100620063006400" },
    { of: "a ref with an empty part", hex: "726100006300" },
    { of: "an overlong form of UTF-8", hex: "63c08000" },
    { of: "an encoded surrogate", hex: "63eda08000" },
    { of: "a cut-off character", hex: "63c300" },
    { of: "a byte order mark before the kind letter", hex: "efbbbf636100" },
  ])("finds nothing in $of", ({ hex }) => {
    expect(decodePartition(bytesOf(hex))).toBeNull();
  });

  it("keeps a byte order mark", () => {
    expect(decodePartition(bytesOf("63efbbbf6100"))).toEqual({ kind: "coordinator", ns: "\ufeffa" });
  });
});

describe("an object's name (G6 isolation)", () => {
  it("finds the partition it was made from", () => {
    fc.assert(
      fc.property(objectPartitions, (partition) => {
        expect(partitionOfName(objectName(partition))).toEqual(partition);
      }),
      { numRuns: 500 },
    );
  });

  it("is like no other's", () => {
    fc.assert(
      fc.property(objectPartitions, objectPartitions, (left, right) => {
        const isSame = JSON.stringify(fieldsOf(left)) === JSON.stringify(fieldsOf(right));
        expect(objectName(left) === objectName(right)).toBe(isSame);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    "",
    "c",
    "c:",
    "r:",
    "r:a",
    "r:a\nb",
    "r:a\n\nc",
    "r:\nb\nc",
    "r:a\nb\n",
    "r:a\nb\nc\nd",
    "c:a\nb",
    "n:a",
    "a",
  ])("that is not one of ours finds nothing: %j", (name) => {
    expect(partitionOfName(name)).toBeNull();
  });
});

function fieldsOf(partition: Partition): readonly string[] {
  const { kind, ns } = partition;
  return kind === "ref" ? [kind, ns, partition.repo, partition.ref] : [kind, ns];
}
