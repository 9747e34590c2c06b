// Results as they cross between objects: plain values, with the codes that clients see. Nothing expected
// is thrown, because a thrown error crosses as a bare Error and counts as an exception where it began.
import type { FailureReason } from "../core/events.ts";
import { StoreError } from "../store/errors.ts";

/** It is not known to have been done, for a reason that is not the caller's: come back later. */
export interface Unavailable {
  readonly ok: false;
  readonly code: "unavailable";
  readonly reason: FailureReason;
  readonly retryAfterMs: number;
}

export interface InvalidRequest {
  readonly ok: false;
  readonly code: "invalid_request";
  readonly detail: string;
}

export type Found<Report> = { readonly ok: true } & Report;

const RETRY_AFTER_MS = 1_000;

export function unavailable(reason: FailureReason): Unavailable {
  return { ok: false, code: "unavailable", reason, retryAfterMs: RETRY_AFTER_MS };
}

/** A report, or the fault of the store that prevented it. */
export function found<Report extends object>(read: () => Report): Found<Report> | Unavailable {
  try {
    return { ok: true, ...read() };
  } catch (error) {
    if (error instanceof StoreError) return unavailable(error.failure);
    throw error;
  }
}
