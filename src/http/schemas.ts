// What requests may look like. Anything else is refused here, before any object is touched. The fields
// are shared with the RPC entrypoint, which takes the same values without their JSON.
import { z } from "zod";
import { isIdempotencyKey, isName, isRefName, isTarget } from "../core/names.ts";
import { isU64 } from "../core/u64.ts";
import { toWindow } from "../core/window.ts";
import { MAX_SCAN_ROWS } from "../store/contract.ts";

/** A counter, as parseJson gives it. */
export const u64 = z
  .bigint({ error: "a whole number is expected" })
  .refine(isU64, { error: "out of range for a counter" });

const DECIMAL = /^(?:0|[1-9][0-9]{0,19})$/;
export const DEFAULT_PAGE_ROWS = 100;

export const name = z.string().refine(isName, {
  error: "1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit",
});
export const ref = z.string().refine(isRefName, {
  error: "a full git ref name beginning with refs/, at most 512 bytes, percent-encoded as one path segment",
});

export const namespaceParams = z.strictObject({ ns: name });
export const refParams = z.strictObject({ ns: name, repo: name, ref });

export const noBody = z.strictObject({});
export const chargeBody = z.strictObject({ bytes: u64.default(0n) });

export const objectId = z.string().refine(isTarget, { error: "40 or 64 lower-case hex digits" });
export const moveBody = z.strictObject({
  expected: objectId.nullable().optional(),
  target: objectId.nullable(),
  bytes: u64.default(0n),
});

/** Both fields: what is left out could be meant either way. */
export const limitsBody = z.strictObject({ maxOps: u64.nullable(), maxBytes: u64.nullable() });

export const idempotencyKey = z
  .string()
  .refine(isIdempotencyKey, { error: "1 to 128 characters of visible ASCII" })
  .nullable();

const decimal = z
  .string()
  .regex(DECIMAL, { error: "a whole decimal number is expected" })
  .transform(BigInt)
  .refine(isU64, { error: "out of range" });

export const contributionsQuery = z.strictObject({
  window: decimal.transform(toWindow).optional(),
  limit: decimal
    .refine((limit) => limit >= 1n && limit <= BigInt(MAX_SCAN_ROWS), { error: `1 to ${MAX_SCAN_ROWS}` })
    .transform(Number)
    .default(DEFAULT_PAGE_ROWS),
  cursor: z.string().optional(),
});
