// Values of stored rows, pinned byte for byte by test/fixtures/layout.json. A value of the wrong
// length decodes to null: the row is corrupt, and its reader decides what that stops.
import { concatBytes, encodeU64, readU64 } from "./bytes.ts";
import type { Usage, View } from "./usage.ts";

const USAGE_BYTES = 16;
const VIEW_BYTES = 40;
const U64_BYTES = 8;

export function encodeUsage(usage: Usage): Uint8Array {
  return concatBytes(encodeU64(usage.ops), encodeU64(usage.bytes));
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
