// Keys of stored rows: `<tag> 00 <rest>`, integers big-endian. This is a public format, pinned by
// test/fixtures/layout.json and listed row by row in docs/storage.md.
//
//   qs 00 <window:u64>                        shard usage
//   qv 00 <window:u64>                        shard view
//   qc 00 <window:u64> <source partition>     contribution
//   qt 00 <window:u64>                        total
//   qi 00 <window:u64> <endpoint:u8> <key>    idempotency: what a charge was answered
//   ql 00                                     the namespace's own limits
//   rt 00                                     where the ref points
//   w  00 <dueAtMs:u64> <kind:u8> <reference> timer
import { compareBytes, concatBytes, encodeU64, equalBytes, readU64, writeU64 } from "./bytes.ts";
import { toWindow, type Window } from "./window.ts";

export type Key = Uint8Array & { readonly __brand: "Key" };

/** Half-open: `start` ≤ key < `end`; an `end` of null is past every key. */
export interface KeyRange {
  readonly start: Key;
  readonly end: Key | null;
}

/** Classes whose rows belong to a window, and go with it. */
export type QuotaTag = "qs" | "qv" | "qc" | "qt" | "qi";
export type Tag = QuotaTag | "ql" | "rt" | "w";

export interface Timer {
  readonly dueAtMs: number;
  readonly kind: number;
  readonly reference: Uint8Array;
}

const WINDOW_BYTES = 8;
const DUE_BYTES = 8;
const encoder = new TextEncoder();
/** `<tag> 00`, made once: keys are made for every charge. Never handed out to be written to. */
const PREFIX_BYTES: Readonly<Record<Tag, Uint8Array>> = {
  qs: encoder.encode("qs\0"),
  qv: encoder.encode("qv\0"),
  qc: encoder.encode("qc\0"),
  qt: encoder.encode("qt\0"),
  qi: encoder.encode("qi\0"),
  ql: encoder.encode("ql\0"),
  rt: encoder.encode("rt\0"),
  w: encoder.encode("w\0"),
};

export function toKey(bytes: Uint8Array): Key {
  return bytes as Key;
}

export function isInRange(range: KeyRange, key: Uint8Array): boolean {
  return compareBytes(key, range.start) >= 0 && (range.end === null || compareBytes(key, range.end) < 0);
}

export const quotaShardKey = (window: Window): Key => windowKey("qs", window);
export const quotaViewKey = (window: Window): Key => windowKey("qv", window);
export const quotaTotalKey = (window: Window): Key => windowKey("qt", window);

/** One row at most in each partition: its key is its tag. */
export const LIMITS_KEY: Key = toKey(tagPrefix("ql"));
export const REF_TARGET_KEY: Key = toKey(tagPrefix("rt"));

/** `key` is the client's, visible ASCII; `endpoint` keeps the keys of different operations apart. */
export function idempotencyKey(window: Window, endpoint: number, key: string): Key {
  return toKey(concatBytes(windowKey("qi", window), Uint8Array.of(endpoint), encoder.encode(key)));
}

/** `source` is an encoded partition. */
export function quotaContributionKey(window: Window, source: Uint8Array): Key {
  return toKey(concatBytes(windowKey("qc", window), source));
}

/** The window of a quota row of this class; null when the key is too short or of another class. */
export function windowOfKey(tag: QuotaTag, key: Key): Window | null {
  const prefix = tagPrefix(tag);
  if (key.length < prefix.length + WINDOW_BYTES) return null;
  if (!equalBytes(key.subarray(0, prefix.length), prefix)) return null;
  return toWindow(readU64(key, prefix.length));
}

/** The source partition's bytes in a contribution's key. */
export function sourceOfContributionKey(key: Key): Uint8Array {
  return key.subarray(tagPrefix("qc").length + WINDOW_BYTES);
}

/** `dueAtMs` is Unix ms, a whole number that is not negative. */
export function timerKey(timer: Timer): Key {
  return toKey(
    concatBytes(tagPrefix("w"), encodeU64(BigInt(timer.dueAtMs)), Uint8Array.of(timer.kind), timer.reference),
  );
}

/** Null when the key is not a timer's: too short, or of kind 0, which is invalid. */
export function decodeTimerKey(key: Key): Timer | null {
  const prefix = tagPrefix("w");
  const kindOffset = prefix.length + DUE_BYTES;
  const kind = key[kindOffset];
  if (kind === undefined || kind === 0 || !equalBytes(key.subarray(0, prefix.length), prefix)) return null;
  return {
    dueAtMs: Number(readU64(key, prefix.length)),
    kind,
    reference: key.subarray(kindOffset + 1),
  };
}

export function classRange(tag: Tag): KeyRange {
  return prefixRange(tagPrefix(tag));
}

/** All rows of a quota class whose window is lower. */
export function quotaBefore(tag: QuotaTag, window: Window): KeyRange {
  return { start: toKey(tagPrefix(tag)), end: windowKey(tag, window) };
}

/** All rows of a quota class of one window. */
export function quotaWindow(tag: QuotaTag, window: Window): KeyRange {
  return prefixRange(windowKey(tag, window));
}

/** All timers due at or before `nowMs`. */
export function timersDueBy(nowMs: number): KeyRange {
  return { start: classRange("w").start, end: firstTimerKeyAfter(nowMs) };
}

/** All timers due after `nowMs`. */
export function timersDueAfter(nowMs: number): KeyRange {
  return { start: firstTimerKeyAfter(nowMs), end: classRange("w").end };
}

function firstTimerKeyAfter(nowMs: number): Key {
  return toKey(concatBytes(tagPrefix("w"), encodeU64(BigInt(nowMs) + 1n)));
}

function windowKey(tag: QuotaTag, window: Window): Key {
  const prefix = tagPrefix(tag);
  const key = new Uint8Array(prefix.length + WINDOW_BYTES);
  key.set(prefix);
  writeU64(key, prefix.length, window);
  return toKey(key);
}

function tagPrefix(tag: Tag): Uint8Array {
  return PREFIX_BYTES[tag];
}

/** Every key that begins with `prefix`; the end is the prefix counted up by one. */
function prefixRange(prefix: Uint8Array): KeyRange {
  for (let last = prefix.length - 1; last >= 0; last--) {
    const byte = prefix[last] ?? 0xff;
    if (byte === 0xff) continue;
    const end = prefix.slice(0, last + 1);
    end[last] = byte + 1;
    return { start: toKey(prefix), end: toKey(end) };
  }
  return { start: toKey(prefix), end: null };
}
