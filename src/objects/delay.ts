import type { Delay } from "../core/clock.ts";

/** A delay on the runtime's own timer. */
export function startDelay(ms: number): Delay {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return { passed: promise, cancel: () => clearTimeout(timer) };
}
