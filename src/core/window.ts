// Fixed windows. A window is numbered floor(now / windowMs), so every object agrees on the number
// without talking to another; its counts are kept for a grace period after its end, because clocks
// of different objects do not.

export type Window = bigint & { readonly __brand: "Window" };

/** The end of ECMAScript time; nothing is scheduled later. */
export const MAX_TIME_MS = 8.64e15;

export function toWindow(number: bigint): Window {
  return number as Window;
}

/** `windowMs` of 0 is treated as 1. Both in ms; `nowMs` is Unix time and not negative. */
export function windowOf(nowMs: number, windowMs: number): Window {
  return toWindow(BigInt(Math.floor(nowMs / Math.max(windowMs, 1))));
}

export function windowStartMs(window: Window, windowMs: number): number {
  return Math.min(Number(window) * windowMs, MAX_TIME_MS);
}

/** First ms after the window. */
export function windowEndMs(window: Window, windowMs: number): number {
  return Math.min((Number(window) + 1) * windowMs, MAX_TIME_MS);
}

/** First ms at which nothing of the window need be kept. */
export function windowExpiryMs(window: Window, windowMs: number, graceMs: number): number {
  return Math.min(windowEndMs(window, windowMs) + graceMs, MAX_TIME_MS);
}
