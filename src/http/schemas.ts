// What requests may look like. Anything else is refused here, before any object is touched. The fields
// are shared with the RPC entrypoint, which takes the same values without their JSON. `meta` says in
// JSON Schema what a check says in code; test/http/openapi.workerd.test.ts holds the two together.
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

export const name = z
  .string()
  .refine(isName, { error: "1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit" })
  .meta({ pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$", minLength: 1, maxLength: 128 });

export const ref = z
  .string()
  .refine(isRefName, {
    error: "a full git ref name beginning with refs/, at most 512 bytes, percent-encoded as one path segment",
  })
  .meta({
    description:
      "A full git ref name by the rules of git-check-ref-format, at most 512 bytes of UTF-8, percent-encoded as one path segment: refs%2Fheads%2Fmain.",
    pattern: String.raw`^refs(?:/(?!\.)(?:(?!\.\.|@\{)[^\u0000-\u0020\u007f~^:?*\[\\/])+(?<!\.lock))+(?<!\.)$`,
    minLength: 6,
    maxLength: 512,
    examples: ["refs/heads/main"],
  });

const namespace = name.meta({ description: "The namespace: whose quota it is." });
export const namespaceParams = z.strictObject({ ns: namespace });
export const refParams = z.strictObject({ ns: namespace, repo: name.meta({ description: "The repository." }), ref });

const bytes = u64.default(0n).meta({ description: "What the write adds to the bytes used; its ops are always 1." });

export const noBody = z.strictObject({});
export const chargeBody = z.strictObject({ bytes }).meta({ id: "Charge" });

export const objectId = z
  .string()
  .refine(isTarget, { error: "40 or 64 lower-case hex digits" })
  .meta({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$", minLength: 40, maxLength: 64 });
export const moveBody = z
  .strictObject({
    expected: objectId
      .nullable()
      .optional()
      .meta({ description: "Where the ref must point; null: it must not exist; left out: wherever it is." }),
    target: objectId.nullable().meta({ description: "Where the ref is to point; null deletes it." }),
    bytes,
  })
  .meta({ id: "Move" });

/** Both fields: what is left out could be meant either way. */
export const limitsBody = z
  .strictObject({ maxOps: u64.nullable(), maxBytes: u64.nullable() })
  .meta({ id: "SetLimits", description: "Null is unlimited, 0 blocks every charge." });

const idempotencyKeyText = z.string().refine(isIdempotencyKey, { error: "1 to 128 characters of visible ASCII" }).meta({
  description:
    "The same key with the same body, on the same partition and endpoint, charges once and is answered the same again.",
  pattern: "^[!-~]{1,128}$",
  minLength: 1,
  maxLength: 128,
});
export const idempotencyKey = idempotencyKeyText.nullable();
export const idempotencyHeaders = z.strictObject({ "Idempotency-Key": idempotencyKeyText.optional() });

const decimal = z
  .string()
  .regex(DECIMAL, { error: "a whole decimal number is expected" })
  .transform(BigInt)
  .refine(isU64, { error: "out of range" });

export const contributionsQuery = z.strictObject({
  window: decimal
    .transform(toWindow)
    .meta({ type: "integer", format: "uint64", description: "The window's number; left out: the current one." })
    .optional(),
  limit: decimal
    .refine((limit) => limit >= 1n && limit <= BigInt(MAX_SCAN_ROWS), { error: `1 to ${MAX_SCAN_ROWS}` })
    .transform(Number)
    .meta({ type: "integer", minimum: 1, maximum: MAX_SCAN_ROWS, description: "Rows at most." })
    .default(DEFAULT_PAGE_ROWS),
  cursor: z.string().meta({ description: "`next` of an earlier page of the same window." }).optional(),
});
