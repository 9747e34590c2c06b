// Unsigned 64-bit counters as bigint. Every sum is checked: an overflow is a value the caller must
// handle, never a silent wrap.

export const MAX_U64 = 2n ** 64n - 1n;

export function isU64(value: bigint): boolean {
  return value >= 0n && value <= MAX_U64;
}

/** Sum of two u64; null when it does not fit. */
export function addU64(left: bigint, right: bigint): bigint | null {
  const sum = left + right;
  return sum <= MAX_U64 ? sum : null;
}

/** Difference of two u64; 0 when `right` is the larger. */
export function subtractToZero(left: bigint, right: bigint): bigint {
  return left > right ? left - right : 0n;
}
