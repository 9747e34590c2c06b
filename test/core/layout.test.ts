// G10 pinned bytes: stored rows, partitions and object names are what test/fixtures/layout.json says,
// byte for byte, in both directions.
import { describe, expect, it } from "vitest";
import { encodeU64, toHex } from "../../src/core/bytes.ts";
import { decodeU64, decodeUsage, decodeView, encodeUsage, encodeView } from "../../src/core/codec.ts";
import {
  classRange,
  decodeTimerKey,
  type Key,
  type KeyRange,
  quotaBefore,
  quotaContributionKey,
  quotaShardKey,
  quotaTotalKey,
  quotaViewKey,
  quotaWindow,
  sourceOfContributionKey,
  timerKey,
  windowOfKey,
} from "../../src/core/keys.ts";
import { decodePartition, encodePartition } from "../../src/core/partition.ts";
import { objectName, type ObjectPartition, partitionOfName } from "../../src/objects/identity.ts";
import layout from "../fixtures/layout.json";
import {
  bytesOf,
  keyOf,
  partitionOf,
  type PartitionVector,
  quotaTagOf,
  refPartitionOf,
  tagOf,
  usageOf,
  windowOfVector,
} from "./vectors.ts";

type KeyVector = (typeof layout.keys)[number];
type RangeVector = (typeof layout.ranges)[number];

it("knows every list of the layout vectors", () => {
  expect(Object.keys(layout)).toEqual([
    "about",
    "partitions",
    "partitionsRejectedByDecode",
    "partitionsRejectedByEncode",
    "objectNames",
    "keys",
    "ranges",
    "usage",
    "usageRejectedByDecode",
    "view",
    "viewRejectedByDecode",
    "u64",
  ]);
});

describe("partitions (G10 pinned bytes)", () => {
  it.each(layout.partitions)("encodes the $kind $ns as $hex", (vector) => {
    expect(toHex(encodePartition(partitionOf(vector)))).toBe(vector.hex);
  });

  it.each(layout.partitions)("decodes $hex as the $kind $ns", (vector) => {
    expect(decodePartition(bytesOf(vector.hex))).toEqual(partitionOf(vector));
  });

  it.each(layout.partitionsRejectedByDecode)("decodes no partition from '%s'", (hex) => {
    expect(decodePartition(bytesOf(hex))).toBeNull();
  });

  it.each(layout.partitionsRejectedByEncode)("refuses to encode a $kind whose part holds a NUL", (vector) => {
    expect(() => encodePartition(partitionOf(vector))).toThrow(RangeError);
  });
});

describe("object names (G10 pinned bytes)", () => {
  it.each(layout.objectNames)("names the object of the $kind $ns $name", (vector) => {
    expect(objectName(objectPartitionOf(vector))).toBe(vector.name);
  });

  it.each(layout.objectNames)("finds the $kind $ns by the name $name", (vector) => {
    expect(partitionOfName(vector.name)).toEqual(objectPartitionOf(vector));
  });
});

describe("keys (G10 pinned bytes)", () => {
  it.each(layout.keys)("lays the $fn key out as $hex", (vector) => {
    expect(toHex(encodeKeyVector(vector))).toBe(vector.hex);
  });

  it.each(layout.keys)("reads the $fn key $hex back", (vector) => {
    expect(decodeKeyVector(vector)).toEqual(partsOfKeyVector(vector));
  });
});

describe("ranges (G10 pinned bytes)", () => {
  it.each(layout.ranges)("begins the $fn of $tag at $start and ends it at $end", (vector) => {
    const { start, end } = rangeOfVector(vector);
    expect({ start: toHex(start), end: end === null ? null : toHex(end) }).toEqual({
      start: vector.start,
      end: vector.end,
    });
  });
});

describe("values (G10 pinned bytes)", () => {
  it.each(layout.usage)("encodes a usage of $ops ops and $bytes bytes as $hex", (vector) => {
    expect(toHex(encodeUsage(usageOf(vector)))).toBe(vector.hex);
  });

  it.each(layout.usage)("decodes $hex as a usage of $ops ops and $bytes bytes", (vector) => {
    expect(decodeUsage(bytesOf(vector.hex))).toEqual(usageOf(vector));
  });

  it.each(layout.usageRejectedByDecode)("decodes no usage from '%s'", (hex) => {
    expect(decodeUsage(bytesOf(hex))).toBeNull();
  });

  it.each(layout.view)("encodes a view as $hex", (vector) => {
    expect(toHex(encodeView(viewOf(vector)))).toBe(vector.hex);
  });

  it.each(layout.view)("decodes $hex as a view", (vector) => {
    expect(decodeView(bytesOf(vector.hex))).toEqual(viewOf(vector));
  });

  it.each(layout.viewRejectedByDecode)("decodes no view from '%s'", (hex) => {
    expect(decodeView(bytesOf(hex))).toBeNull();
  });

  it.each(layout.u64)("encodes the u64 $value as $hex", ({ value, hex }) => {
    expect(toHex(encodeU64(BigInt(value)))).toBe(hex);
  });

  it.each(layout.u64)("decodes $hex as the u64 $value", ({ value, hex }) => {
    expect(decodeU64(bytesOf(hex))).toBe(BigInt(value));
  });

  it.each(["", "00000000000927", "00000000000927c000"])("decodes no u64 from '%s'", (hex) => {
    expect(decodeU64(bytesOf(hex))).toBeNull();
  });
});

function objectPartitionOf(vector: PartitionVector): ObjectPartition {
  return vector.kind === "coordinator" ? { kind: "coordinator", ns: vector.ns } : refPartitionOf(vector);
}

function viewOf(vector: (typeof layout.view)[number]) {
  return {
    total: usageOf(vector.total),
    pushed: usageOf(vector.pushed),
    observedAtMs: BigInt(vector.observedAtMs),
  };
}

function sourceOf(vector: KeyVector): Uint8Array {
  if (vector.source === undefined) throw new Error("the vector has no source");
  return encodePartition(partitionOf(vector.source));
}

function timerOf({ dueAtMs, kind, reference }: KeyVector) {
  if (dueAtMs === undefined || kind === undefined || reference === undefined) throw new Error("not a timer's vector");
  return { dueAtMs: Number(dueAtMs), kind, reference: bytesOf(reference) };
}

function encodeKeyVector(vector: KeyVector): Key {
  switch (vector.fn) {
    case "quotaShard":
      return quotaShardKey(windowOfVector(vector.window));
    case "quotaView":
      return quotaViewKey(windowOfVector(vector.window));
    case "quotaTotal":
      return quotaTotalKey(windowOfVector(vector.window));
    case "quotaContribution":
      return quotaContributionKey(windowOfVector(vector.window), sourceOf(vector));
    case "timer":
      return timerKey(timerOf(vector));
    default:
      throw new Error(`no key is made by ${vector.fn}`);
  }
}

/** What the key's bytes say, read by the decoders. */
function decodeKeyVector(vector: KeyVector): unknown {
  const key = keyOf(vector.hex);
  switch (vector.fn) {
    case "quotaShard":
      return windowOfKey("qs", key);
    case "quotaView":
      return windowOfKey("qv", key);
    case "quotaTotal":
      return windowOfKey("qt", key);
    case "quotaContribution":
      return [windowOfKey("qc", key), toHex(sourceOfContributionKey(key))];
    default:
      return decodeTimerKey(key);
  }
}

function partsOfKeyVector(vector: KeyVector): unknown {
  if (vector.fn === "timer") return timerOf(vector);
  const window = windowOfVector(vector.window);
  return vector.fn === "quotaContribution" ? [window, toHex(sourceOf(vector))] : window;
}

function rangeOfVector({ fn, tag, window }: RangeVector): KeyRange {
  switch (fn) {
    case "classRange":
      return classRange(tagOf(tag));
    case "quotaBefore":
      return quotaBefore(quotaTagOf(tag), windowOfVector(window));
    case "quotaWindow":
      return quotaWindow(quotaTagOf(tag), windowOfVector(window));
    default:
      throw new Error(`no range is made by ${fn}`);
  }
}
