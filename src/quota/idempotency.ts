// A charge with an idempotency key is made once: the answer it got is stored under the key in the
// charge's own commit, and a repeat is answered from there. The row lives as long as its window; while
// it does, a repeat in a later window finds it too. Refusals are not remembered.
import { concatBytes, encodeU64, equalBytes, readU64 } from "../core/bytes.ts";
import { decodeLimits, encodeLimits, encodeUsage } from "../core/codec.ts";
import { classRange, idempotencyKey, quotaWindow, windowOfKey } from "../core/keys.ts";
import { ZERO_USAGE } from "../core/usage.ts";
import type { Window } from "../core/window.ts";
import type { Draft } from "../store/draft.ts";
import { StoreError } from "../store/errors.ts";
import { type Allowed, type IdempotencyMismatch, type ViewReport, windowSpan } from "./charge.ts";

/** Keeps the keys of different operations apart. */
export const ENDPOINT = { charge: 1, move: 2 } as const;

export interface Once {
  /** Null: the request carries no key and is made each time it comes. */
  readonly key: string | null;
  readonly endpoint: (typeof ENDPOINT)[keyof typeof ENDPOINT];
  /** The request's window, in which its answer is remembered. */
  readonly window: Window;
  /** What was asked, in bytes; the same key with other bytes is a mistake of the client's. */
  readonly fingerprint: Uint8Array;
  readonly countedAt: Allowed["countedAt"];
}

/** Windows that can hold a key at once, far above what is ever stored: the current one and those in grace. */
const MAX_WINDOWS = 64;
const VIEW_STATUS = ["missing", "fresh", "stale", "exact"] as const;
const LENGTH = { windowMs: 8, usage: 16, status: 1, total: 16, observedAtMs: 8, limits: 18, remaining: 18 } as const;
const FINGERPRINT_OFFSET = Object.values(LENGTH).reduce((sum, length) => sum + length, 0);

/** The remembered answer, or what `decide` decides, remembered if it was allowed. Throws StoreError `corrupt`. */
export function decideOnce<Refusal extends { readonly ok: false }>(
  draft: Draft,
  once: Once,
  decide: () => Allowed | Refusal,
): Allowed | Refusal | IdempotencyMismatch {
  if (once.key === null) return decide();
  const remembered = findRemembered(draft, once, once.key);
  if (remembered !== null) {
    const isSame = equalBytes(remembered.value.subarray(FINGERPRINT_OFFSET), once.fingerprint);
    if (!isSame) return { ok: false, code: "idempotency_mismatch" };
    return { ...decodeAnswer(remembered.window, remembered.value, once.countedAt), replayed: true };
  }
  const answer = decide();
  if (answer.ok) {
    draft.put(idempotencyKey(once.window, once.endpoint, once.key), encodeAnswer(answer, once.fingerprint));
  }
  return answer;
}

function findRemembered(draft: Draft, once: Once, key: string): { window: Window; value: Uint8Array } | null {
  for (const window of [once.window, ...earlierWindows(draft, once.window)]) {
    const row = idempotencyKey(window, once.endpoint, key);
    // Only the own window's row is ever written here, so only it needs a guard.
    const value = window === once.window ? draft.get(row) : draft.peek(row);
    if (value === null) continue;
    if (value.length < FINGERPRINT_OFFSET) throw new StoreError("corrupt", "an idempotency row is too short");
    return { window, value };
  }
  return null;
}

/** Stored windows with keys but the request's own; one look for each, however many keys it has. */
function earlierWindows(draft: Draft, own: Window): readonly Window[] {
  const windows: Window[] = [];
  let range = classRange("qi");
  for (let look = 0; look < MAX_WINDOWS; look++) {
    const row = draft.firstStored(range);
    const window = row === null ? null : windowOfKey("qi", row.key);
    if (window === null) break;
    if (window !== own) windows.push(window);
    range = { start: quotaWindow("qi", window).end ?? range.start, end: range.end };
  }
  return windows;
}

/**
 * windowMs u64, usage, view status u8, total, observedAtMs u64, limits, remaining, fingerprint. The window
 * itself is in the key.
 */
function encodeAnswer(answer: Allowed, fingerprint: Uint8Array): Uint8Array {
  const { view, window, remaining } = answer;
  const isKnown = view.status !== "missing";
  return concatBytes(
    encodeU64(BigInt(window.endsAtMs - window.startsAtMs)),
    encodeUsage(answer.usage),
    Uint8Array.of(VIEW_STATUS.indexOf(view.status)),
    encodeUsage(isKnown ? view.total : ZERO_USAGE),
    encodeU64(isKnown ? BigInt(view.observedAtMs) : 0n),
    encodeLimits(answer.limits),
    encodeLimits({ maxOps: remaining.ops, maxBytes: remaining.bytes }),
    fingerprint,
  );
}

function decodeAnswer(window: Window, value: Uint8Array, countedAt: Allowed["countedAt"]): Allowed {
  let offset = 0;
  const take = (length: number): Uint8Array => value.subarray(offset, (offset += length));
  const windowMs = Number(readU64(take(LENGTH.windowMs)));
  const usage = readPair(take(LENGTH.usage));
  const status = VIEW_STATUS[take(LENGTH.status)[0] ?? VIEW_STATUS.length];
  const total = readPair(take(LENGTH.total));
  const observedAtMs = Number(readU64(take(LENGTH.observedAtMs)));
  const limits = decodeLimits(take(LENGTH.limits));
  const remaining = decodeLimits(take(LENGTH.remaining));
  if (status === undefined || limits === null || remaining === null) {
    throw new StoreError("corrupt", "an idempotency row is malformed");
  }
  const view: ViewReport = status === "missing" ? { status } : { status, total, observedAtMs };
  return {
    ok: true,
    decision: "allowed",
    countedAt,
    replayed: false,
    window: windowSpan(window, windowMs),
    usage,
    view,
    limits,
    remaining: { ops: remaining.maxOps, bytes: remaining.maxBytes },
  };
}

function readPair(bytes: Uint8Array): { ops: bigint; bytes: bigint } {
  return { ops: readU64(bytes, 0), bytes: readU64(bytes, 8) };
}
