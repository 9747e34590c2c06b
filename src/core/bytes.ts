// Byte strings: how rows are laid out and ordered. Integers are big-endian, so that byte order is
// numeric order.

const HEX_DIGITS = /^(?:[0-9a-f]{2})*$/;

// Every charge encodes and decodes a few counters. A view on the bytes themselves would cost ten times as
// much: asking a small array for its buffer makes the engine move it out of its own heap.
const scratch = new Uint8Array(8);
const scratchView = new DataView(scratch.buffer);

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Negative, zero or positive, as `left` sorts before, with or after `right`. A prefix sorts first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let i = 0; i < shared; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && compareBytes(left, right) === 0;
}

/** 8 bytes, big-endian. `value` must be a u64. */
export function encodeU64(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  writeU64(bytes, 0, value);
  return bytes;
}

/** Puts 8 bytes at `offset`, where there must be room for them. `value` must be a u64. */
export function writeU64(bytes: Uint8Array, offset: number, value: bigint): void {
  scratchView.setBigUint64(0, value);
  bytes.set(scratch, offset);
}

/** The big-endian u64 at `offset`. Throws RangeError where 8 bytes are not there. */
export function readU64(bytes: Uint8Array, offset = 0): bigint {
  if (offset + scratch.length > bytes.length) throw new RangeError("a u64 is 8 bytes");
  for (let i = 0; i < scratch.length; i++) scratch[i] = bytes[offset + i] ?? 0;
  return scratchView.getBigUint64(0);
}

/** One character for each byte, in the order of the bytes: what a map can hold. At most a few thousand bytes. */
export function toBinaryText(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** Bytes of a lower-case hex string; null when it is not one. */
export function fromHex(hex: string): Uint8Array | null {
  if (!HEX_DIGITS.test(hex)) return null;
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}
