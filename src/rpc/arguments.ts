// What other Workers may pass: the same names and numbers as over HTTP, as values. A counter is a bigint,
// or a number where a number is exact.
import { z } from "zod";
import { toWindow } from "../core/window.ts";
import { DEFAULT_PAGE_ROWS, idempotencyKey, name, objectId, ref, u64 as exactU64 } from "../http/schemas.ts";
import { MAX_SCAN_ROWS } from "../store/contract.ts";

const u64 = z.union([exactU64, z.int().transform(BigInt).pipe(exactU64)], {
  error: "a bigint or a safe whole number from 0 on is expected",
});

export const namespaceArgument = name;
export const refArgument = z
  .strictObject({ namespace: name, repo: name, ref })
  .transform(({ namespace, ...rest }) => ({ ns: namespace, ...rest }));

/** A ref's shard, or with neither repo nor ref the namespace itself. */
export const targetArgument = z
  .strictObject({ namespace: name, repo: name.optional(), ref: ref.optional() })
  .transform(({ namespace: ns, ...at }, context) => {
    if (at.repo !== undefined && at.ref !== undefined) return { ns, repo: at.repo, ref: at.ref };
    if (at.repo === undefined && at.ref === undefined) return { ns, repo: undefined, ref: undefined };
    context.addIssue({ code: "custom", message: "repo and ref are given both or neither" });
    return z.NEVER;
  });

export const costArgument = z
  .strictObject({ bytes: u64.default(0n), idempotencyKey: idempotencyKey.default(null) })
  .default({ bytes: 0n, idempotencyKey: null });

export const moveArgument = z.strictObject({
  expected: objectId.nullable().optional(),
  target: objectId.nullable(),
  bytes: u64.default(0n),
  idempotencyKey: idempotencyKey.default(null),
});

export const pageArgument = z
  .strictObject({
    window: u64.transform(toWindow).nullable().default(null),
    limit: z.int().min(1).max(MAX_SCAN_ROWS).default(DEFAULT_PAGE_ROWS),
    cursor: z.string().nullable().default(null),
  })
  .default({ window: null, limit: DEFAULT_PAGE_ROWS, cursor: null });

/** Both fields; null in place of the whole takes the namespace's own limits away. */
export const limitsArgument = z.strictObject({ maxOps: u64.nullable(), maxBytes: u64.nullable() }).nullable();

export type TargetArgument = z.input<typeof targetArgument>;
export type RefArgument = z.input<typeof refArgument>;
export type CostArgument = z.input<typeof costArgument>;
export type MoveArgument = z.input<typeof moveArgument>;
export type PageArgument = z.input<typeof pageArgument>;
export type LimitsArgument = z.input<typeof limitsArgument>;
