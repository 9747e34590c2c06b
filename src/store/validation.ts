// Limits of the contract, checked by every backend before it reads anything.
import {
  type Batch,
  MAX_BATCH_BYTES,
  MAX_BATCH_OPERATIONS,
  MAX_KEY_BYTES,
  MAX_SCAN_ROWS,
  MAX_VALUE_BYTES,
  type Precondition,
  type ScanOptions,
  type Write,
} from "./contract.ts";
import { StoreError } from "./errors.ts";

/** Throws StoreError `invalid` when the batch breaks a limit. */
export function validateBatch(batch: Batch): void {
  if (batch.preconditions.length > MAX_BATCH_OPERATIONS) throw invalid("too many preconditions");
  if (batch.writes.length > MAX_BATCH_OPERATIONS) throw invalid("too many writes");
  let bytes = 0;
  for (const part of [...batch.preconditions, ...batch.writes]) bytes += validatedSize(part);
  if (bytes > MAX_BATCH_BYTES) throw invalid("the batch is too large");
}

export function validateKey(key: Uint8Array): void {
  if (key.length > MAX_KEY_BYTES) throw invalid("the key is too long");
}

export function validateScan(options: ScanOptions): void {
  const { limit } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_SCAN_ROWS) throw invalid("the scan's limit is out of range");
}

/** The store's own time, or StoreError `unavailable` when its clock gives none. */
export function validatedNow(nowMs: number): number {
  if (!Number.isFinite(nowMs) || nowMs < 0) throw new StoreError("unavailable", "the store's clock gives no time");
  return nowMs;
}

/** Bytes that a precondition or write counts against the batch's size. */
export function sizeOf(part: Precondition | Write): number {
  if (part.kind === "notAfter") return 0;
  return part.key.length + ("value" in part ? part.value.length : 0);
}

function validatedSize(part: Precondition | Write): number {
  if (part.kind === "notAfter") {
    if (Number.isNaN(part.deadlineMs)) throw invalid("the deadline is not a time");
    return 0;
  }
  validateKey(part.key);
  if ("value" in part && part.value.length > MAX_VALUE_BYTES) throw invalid("the value is too long");
  return sizeOf(part);
}

function invalid(detail: string): StoreError {
  return new StoreError("invalid", detail);
}
