// What the platform says of an error that ended a call between objects.
// https://developers.cloudflare.com/durable-objects/best-practices/error-handling/

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
