// What the conformance suite needs of a backend, and the short words its tests are written in.
import { expect } from "vitest";
import { toHex } from "../../src/core/bytes.ts";
import { type Key, type KeyRange, toKey } from "../../src/core/keys.ts";
import type { Partition } from "../../src/core/partition.ts";
import {
  ALL_ROWS,
  type Batch,
  MAX_SCAN_ROWS,
  type Page,
  type Precondition,
  type Store,
  type Write,
} from "../../src/store/contract.ts";
import { StoreError, type StoreFailure } from "../../src/store/errors.ts";

/** A place for partitions that nobody has written to; what is stored in it outlives a `use`. */
export interface Backend {
  /** What the clock of every store in it says. */
  nowMs: number;
  /** Opens the partition's store for as long as `work` runs. */
  use(partition: Partition, work: (store: Store) => void): Promise<void>;
}

export type OpenBackend = () => Backend;

export const PARTITION: Partition = { kind: "ref", ns: "acme", repo: "web", ref: "refs/heads/main" };

/** More pages than any scan of these tests has: a cursor that leads nowhere ends the test. */
const MAX_PAGES = 100;
const encoder = new TextEncoder();

/** Runs one test's work on a fresh store. */
export function onFreshStore(open: OpenBackend, work: (store: Store, backend: Backend) => void): () => Promise<void> {
  return async () => {
    const backend = open();
    await backend.use(PARTITION, (store) => work(store, backend));
  };
}

export const bytes = (text: string): Uint8Array => encoder.encode(text);
export const key = (text: string): Key => toKey(encoder.encode(text));
export const range = (start: string, end: string | null): KeyRange => ({
  start: key(start),
  end: end === null ? null : key(end),
});

export const put = (name: string, value: string): Write => ({ kind: "put", key: key(name), value: bytes(value) });
export const remove = (name: string): Write => ({ kind: "delete", key: key(name) });

export const absent = (name: string): Precondition => ({ kind: "absent", key: key(name) });
export const present = (name: string): Precondition => ({ kind: "present", key: key(name) });
export const equals = (name: string, value: string): Precondition => ({
  kind: "equals",
  key: key(name),
  value: bytes(value),
});
export const notAfter = (deadlineMs: number): Precondition => ({ kind: "notAfter", deadlineMs });

export function batch(preconditions: readonly Precondition[], writes: readonly Write[]): Batch {
  return { preconditions, writes };
}

/** Commits writes that must commit. */
export function write(store: Store, ...writes: readonly Write[]): void {
  expect(store.apply(batch([], writes))).toEqual({ kind: "committed" });
}

/** Every page of a scan, `limit` rows each. */
export function pagesOf(store: Store, of: KeyRange, limit: number): readonly Page[] {
  const pages = [store.scan(of, { limit })];
  for (;;) {
    const cursor = pages.at(-1)?.cursor ?? null;
    if (cursor === null) return pages;
    if (pages.length >= MAX_PAGES) throw new Error("the scan does not end");
    pages.push(store.scan(of, { limit, cursor }));
  }
}

/** Every row, keys and values in hex. */
export function rowsOf(store: Store, of: KeyRange = ALL_ROWS): readonly (readonly [key: string, value: string])[] {
  const rows = pagesOf(store, of, MAX_SCAN_ROWS).flatMap((page) => page.rows);
  return rows.map((row) => [toHex(row.key), toHex(row.value)] as const);
}

/** Every row, keys and values as text. */
export function textRowsOf(store: Store, of: KeyRange = ALL_ROWS): readonly (readonly [key: string, value: string])[] {
  return rowsOf(store, of).map(([name, value]) => [textOf(name), textOf(value)] as const);
}

export function expectFailure(failure: StoreFailure, act: () => unknown): void {
  let thrown: unknown = null;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(StoreError);
  expect(thrown).toMatchObject({ failure });
}

function textOf(hex: string): string {
  return hex.replaceAll(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16)));
}
