// Scan cursors: opaque to callers, and bound to the partition and range they came from, so that one
// kept too long, cut short or taken elsewhere is refused and not silently misread. The check is
// against mistakes: it is no secret, and a cursor gives no access that its range did not.
import { concatBytes, encodeU64, toBinaryText } from "../core/bytes.ts";
import { isInRange, type Key, type KeyRange, toKey } from "../core/keys.ts";
import { StoreError } from "./errors.ts";

const CHECK_BYTES = 8;
const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** `scope` is the encoded partition; `last` the last key of the page. */
export function encodeCursor(scope: Uint8Array, range: KeyRange, last: Key): string {
  const bytes = concatBytes(checkOf(scope, range, last), last);
  return btoa(toBinaryText(bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The key after which the next page begins. Throws StoreError `invalid` for any but an own cursor. */
export function decodeCursor(scope: Uint8Array, range: KeyRange, cursor: string): Key {
  const bytes = decodeBase64Url(cursor);
  const last = toKey(bytes.subarray(CHECK_BYTES));
  if (!isInRange(range, last) || encodeCursor(scope, range, last) !== cursor) {
    throw new StoreError("invalid", "the cursor is not of this scan");
  }
  return last;
}

function decodeBase64Url(text: string): Uint8Array {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  } catch {
    throw new StoreError("invalid", "the cursor is not base64url");
  }
}

/** FNV-1a over all that the cursor is bound to; lengths keep the parts apart. */
function checkOf(scope: Uint8Array, range: KeyRange, last: Key): Uint8Array {
  let hash = FNV_OFFSET;
  for (const part of [scope, range.start, range.end ?? new Uint8Array(), last]) {
    for (const byte of concatBytes(encodeU64(BigInt(part.length)), part)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
    }
  }
  return encodeU64(hash);
}
