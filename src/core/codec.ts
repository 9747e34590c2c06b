// Values of stored rows, pinned byte for byte by test/fixtures/layout.json. A value of the wrong
// length decodes to null: the row is corrupt, and its reader decides what that stops.
import { concatBytes, encodeU64, fromHex, readU64, toHex, writeU64 } from "./bytes.ts";
import type { Limits, Usage, View } from "./usage.ts";

const USAGE_BYTES = 16;
const VIEW_BYTES = 40;
const U64_BYTES = 8;
const OPTIONAL_BYTES = 9;
/** SHA-1 and SHA-256. */
const TARGET_BYTES: readonly number[] = [20, 32];

export function encodeUsage(usage: Usage): Uint8Array {
  const value = new Uint8Array(USAGE_BYTES);
  writeU64(value, 0, usage.ops);
  writeU64(value, 8, usage.bytes);
  return value;
}

export function decodeUsage(value: Uint8Array): Usage | null {
  if (value.length !== USAGE_BYTES) return null;
  return { ops: readU64(value, 0), bytes: readU64(value, 8) };
}

export function encodeView(view: View): Uint8Array {
  return concatBytes(encodeUsage(view.total), encodeUsage(view.pushed), encodeU64(view.observedAtMs));
}

export function decodeView(value: Uint8Array): View | null {
  if (value.length !== VIEW_BYTES) return null;
  return {
    total: { ops: readU64(value, 0), bytes: readU64(value, 8) },
    pushed: { ops: readU64(value, 16), bytes: readU64(value, 24) },
    observedAtMs: readU64(value, 32),
  };
}

export function decodeU64(value: Uint8Array): bigint | null {
  return value.length === U64_BYTES ? readU64(value) : null;
}

/** Two optional counters: a byte that is 1 where there is a limit, and the limit; all zero where there is none. */
export function encodeLimits(limits: Limits): Uint8Array {
  return concatBytes(encodeOptional(limits.maxOps), encodeOptional(limits.maxBytes));
}

export function decodeLimits(value: Uint8Array): Limits | null {
  if (value.length !== 2 * OPTIONAL_BYTES) return null;
  const maxOps = decodeOptional(value, 0);
  const maxBytes = decodeOptional(value, OPTIONAL_BYTES);
  return maxOps === undefined || maxBytes === undefined ? null : { maxOps, maxBytes };
}

/** An object id of 40 or 64 lower-case hex digits, as its bytes. */
export function encodeTarget(target: string): Uint8Array {
  const bytes = fromHex(target);
  if (bytes === null) throw new RangeError("a target is lower-case hex");
  return bytes;
}

export function decodeTarget(value: Uint8Array): string | null {
  return TARGET_BYTES.includes(value.length) ? toHex(value) : null;
}

function encodeOptional(count: bigint | null): Uint8Array {
  return concatBytes(Uint8Array.of(count === null ? 0 : 1), encodeU64(count ?? 0n));
}

/** Undefined when malformed. */
function decodeOptional(value: Uint8Array, offset: number): bigint | null | undefined {
  const count = readU64(value, offset + 1);
  if (value[offset] === 1) return count;
  return value[offset] === 0 && count === 0n ? null : undefined;
}
