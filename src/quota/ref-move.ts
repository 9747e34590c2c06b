// A ref moved and charged in one: the compare, the move and the charge are decided together and commit
// together. A lost compare charges nothing; a denied charge moves nothing.
import { concatBytes, encodeU64 } from "../core/bytes.ts";
import { decodeTarget, encodeTarget } from "../core/codec.ts";
import { REF_TARGET_KEY } from "../core/keys.ts";
import type { Store } from "../store/contract.ts";
import type { Draft } from "../store/draft.ts";
import { StoreError } from "../store/errors.ts";
import type { Conflict } from "./charge.ts";

export interface RefMove {
  /** Where the ref must point now; null: it must not exist; undefined: wherever it points. */
  readonly expected?: string | null | undefined;
  /** Where it shall point, 40 or 64 hex digits; null deletes it. */
  readonly target: string | null;
}

/** Moves the ref if `charge` allows it. Throws StoreError `corrupt`. */
export function decideMove<Answer extends { readonly ok: boolean }>(
  draft: Draft,
  move: RefMove,
  charge: () => Answer,
): Answer | Conflict {
  const stored = draft.get(REF_TARGET_KEY);
  const current = targetOf(stored);
  if (move.expected !== undefined && move.expected !== current) return { ok: false, code: "conflict", current };
  const answer = charge();
  if (!answer.ok) return answer;
  if (move.target !== null) draft.put(REF_TARGET_KEY, encodeTarget(move.target));
  else if (stored !== null) draft.delete(REF_TARGET_KEY);
  return answer;
}

/** Where the ref points, in hex; null when it does not exist. Throws StoreError `corrupt`. */
export function readTarget(store: Store): string | null {
  return targetOf(store.get(REF_TARGET_KEY));
}

/** What a move asks, in bytes: each id behind its length, 0 for none and 255 for unconditional. */
export function moveFingerprint(move: RefMove, bytes: bigint): Uint8Array {
  const expected = move.expected === undefined ? Uint8Array.of(0xff) : withLength(move.expected);
  return concatBytes(encodeU64(bytes), expected, withLength(move.target));
}

function withLength(target: string | null): Uint8Array {
  const encoded = target === null ? new Uint8Array() : encodeTarget(target);
  return concatBytes(Uint8Array.of(encoded.length), encoded);
}

function targetOf(stored: Uint8Array | null): string | null {
  if (stored === null) return null;
  const target = decodeTarget(stored);
  if (target === null) throw new StoreError("corrupt", "the ref's target has the wrong length");
  return target;
}
