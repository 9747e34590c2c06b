// Calls between objects that fail, and when they may be made again: at most three times, with jitter,
// and only where the platform says so and the call says what is, not what changed.
// https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
import type { StartDelay } from "../core/clock.ts";

export const MAX_ATTEMPTS = 3;
const BASE_BACKOFF_MS = 25;

export type ErrorFlag =
  /** The call may be repeated, if what it does may be. */
  | "retryable"
  /** The object has more than it can do and must be left alone for now. */
  | "overloaded"
  /** The object's instance is gone: a new version, or an abort. */
  | "durableObjectReset";

export function hasFlag(error: unknown, flag: ErrorFlag): boolean {
  return error instanceof Error && (error as Partial<Record<ErrorFlag, unknown>>)[flag] === true;
}

/** `call` must take a fresh stub each time. Rejects with the last failure. */
export async function withRetries<Answer>(
  attempts: number,
  startDelay: StartDelay,
  call: () => Promise<Answer>,
): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const mayRetry = hasFlag(error, "retryable") && !hasFlag(error, "overloaded");
      if (!mayRetry || attempt >= attempts) throw error;
      await startDelay(Math.random() * BASE_BACKOFF_MS * 2 ** attempt).passed;
    }
  }
}
