// Rows as the scenarios write them: usage as `ops/bytes`, windows as plain numbers.
import { encodeU64 } from "../../src/core/bytes.ts";
import { decodeUsage, decodeView, encodeUsage, encodeView } from "../../src/core/codec.ts";
import {
  decodeTimerKey,
  type Key,
  quotaContributionKey,
  quotaShardKey,
  quotaTotalKey,
  quotaViewKey,
  timerKey,
} from "../../src/core/keys.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import type { Usage } from "../../src/core/usage.ts";
import { toWindow, type Window } from "../../src/core/window.ts";
import type { Row } from "../../src/store/contract.ts";

const ROLLUP_KIND = 5;

export type Count = `${number}/${number}`;

export function usage(count: Count): Usage {
  const [ops = "", bytes = ""] = count.split("/");
  return { ops: BigInt(ops), bytes: BigInt(bytes) };
}

export function shardRow(window: number, count: Count): Row {
  return { key: quotaShardKey(at(window)), value: encodeUsage(usage(count)) };
}

export function viewRow(window: number, total: Count, pushed: Count, observedAtMs: number): Row {
  const view = { total: usage(total), pushed: usage(pushed), observedAtMs: BigInt(observedAtMs) };
  return { key: quotaViewKey(at(window)), value: encodeView(view) };
}

export function totalRow(window: number, count: Count): Row {
  return { key: quotaTotalKey(at(window)), value: encodeUsage(usage(count)) };
}

export function contributionRow(window: number, source: Partition, count: Count): Row {
  return { key: contributionKey(window, source), value: encodeUsage(usage(count)) };
}

export function contributionKey(window: number, source: Partition): Key {
  return quotaContributionKey(at(window), encodePartition(source));
}

export function timerRow(window: number, dueAtMs: number, windowMs: number): Row {
  return { key: rollupTimerKey(window, dueAtMs), value: encodeU64(BigInt(windowMs)) };
}

export function rollupTimerKey(window: number, dueAtMs: number): Key {
  return timerKey({ dueAtMs, kind: ROLLUP_KIND, reference: encodeU64(at(window)) });
}

export function totalKey(window: number): Key {
  return quotaTotalKey(at(window));
}

export function viewKey(window: number): Key {
  return quotaViewKey(at(window));
}

/** `ops/bytes` of a usage row; null for a missing or malformed one. */
export function countOf(value: Uint8Array | null): string | null {
  const decoded = value === null ? null : decodeUsage(value);
  return decoded === null ? null : `${decoded.ops}/${decoded.bytes}`;
}

export function viewOf(value: Uint8Array | null): { total: string; pushed: string; observedAtMs: number } | null {
  const view = value === null ? null : decodeView(value);
  if (view === null) return null;
  return {
    total: `${view.total.ops}/${view.total.bytes}`,
    pushed: `${view.pushed.ops}/${view.pushed.bytes}`,
    observedAtMs: Number(view.observedAtMs),
  };
}

/** When each stored timer is due; null for a row that is no timer's. */
export function dueTimes(rows: readonly Row[]): readonly (number | null)[] {
  return rows
    .filter(({ key }) => key[0] === 0x77 && key[1] === 0)
    .map(({ key }) => decodeTimerKey(key)?.dueAtMs ?? null);
}

function at(window: number): Window {
  return toWindow(BigInt(window));
}
