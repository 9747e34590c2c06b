// The pinned vectors of test/fixtures, read as the types that the code under test takes.
import { fromHex } from "../../src/core/bytes.ts";
import { type Key, type QuotaTag, type Tag, toKey } from "../../src/core/keys.ts";
import type { Partition, RefPartition } from "../../src/core/partition.ts";
import type { Usage } from "../../src/core/usage.ts";
import { toWindow, type Window } from "../../src/core/window.ts";

export interface PartitionVector {
  readonly kind: string;
  readonly ns: string;
  readonly repo?: string | undefined;
  readonly ref?: string | undefined;
}

export interface UsageVector {
  readonly ops: string;
  readonly bytes: string;
}

const QUOTA_TAGS: readonly QuotaTag[] = ["qs", "qv", "qc", "qt"];

export function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error(`${hex} is not lower-case hex`);
  return bytes;
}

export function keyOf(hex: string): Key {
  return toKey(bytesOf(hex));
}

export function partitionOf(vector: PartitionVector): Partition {
  const { kind, ns } = vector;
  if (kind === "ref") return refPartitionOf(vector);
  if (kind === "namespace" || kind === "coordinator") return { kind, ns };
  throw new Error(`no partition is called ${kind}`);
}

export function refPartitionOf({ ns, repo, ref }: PartitionVector): RefPartition {
  if (repo === undefined || ref === undefined) throw new Error("a ref partition has a repo and a ref");
  return { kind: "ref", ns, repo, ref };
}

export function usageOf({ ops, bytes }: UsageVector): Usage {
  return { ops: BigInt(ops), bytes: BigInt(bytes) };
}

export function windowOfVector(window: string | undefined): Window {
  if (window === undefined) throw new Error("the vector has no window");
  return toWindow(BigInt(window));
}

export function tagOf(tag: string): Tag {
  return tag === "w" ? tag : quotaTagOf(tag);
}

export function quotaTagOf(tag: string): QuotaTag {
  const found = QUOTA_TAGS.find((known) => known === tag);
  if (found === undefined) throw new Error(`no rows are tagged ${tag}`);
  return found;
}
