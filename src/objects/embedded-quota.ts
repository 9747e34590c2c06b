// The quota as a subclass of RefShard uses it: charge a write and make it, both or neither.
import { isIdempotencyKey } from "../core/names.ts";
import { isU64 } from "../core/u64.ts";
import type { ChargeResult } from "../quota/charge.ts";
import { type InvalidRequest, unavailable } from "../quota/result.ts";
import type { ShardQuota } from "../quota/shard-quota.ts";

export interface Cost {
  /** Bytes the write counts for, a u64; 0 when left out. */
  readonly bytes?: bigint;
  /** 1–128 characters of visible ASCII: the same key again gets the first answer again. */
  readonly idempotencyKey?: string;
}

export interface EmbeddedQuota {
  /**
   * Charges one write and runs `write` in the charge's own transaction: SQL and storage writes it makes commit
   * with the charge or not at all. It runs synchronously, only when the charge is allowed, and not for a
   * replay. When it throws, nothing is charged or written and the promise rejects with its error. Everything
   * else is a value: a refusal says why, `unavailable` that the write may or may not have been made, or that
   * nothing was. Resolves when the outcome is durable. Not to be called inside a transaction of your own.
   */
  charge(cost: Cost, write?: () => void): Promise<ChargeResult | InvalidRequest>;
}

/**
 * `sync` resolves when everything written is durable. What a subclass does with an answer is its own affair, and
 * the platform does not hold back all of it: a stream's chunks leave at once.
 */
export function embeddedQuota(quota: ShardQuota | null, sync: () => Promise<void>): EmbeddedQuota {
  return {
    charge: async (cost, write) => {
      if (quota === null) return unavailable("unavailable");
      const { bytes = 0n, idempotencyKey = null } = cost;
      if (typeof bytes !== "bigint" || !isU64(bytes)) return invalid("bytes: a bigint from 0 to 2^64-1 is expected");
      if (idempotencyKey !== null && !(typeof idempotencyKey === "string" && isIdempotencyKey(idempotencyKey))) {
        return invalid("idempotencyKey: 1 to 128 characters of visible ASCII are expected");
      }
      const result = await quota.charge(
        { bytes, idempotencyKey },
        write === undefined ? undefined : () => runNow(write),
      );
      return sync().then(
        () => result,
        () => unavailable("unavailable"),
      );
    },
  };
}

function invalid(detail: string): InvalidRequest {
  return { ok: false, code: "invalid_request", detail };
}

/** A transaction ends at the first await, so what goes on after one would be outside of it. */
function runNow(write: () => void): void {
  // An async function is not even begun: what it did after its first await could not be taken back.
  if (Object.prototype.toString.call(write) === "[object AsyncFunction]") throw notSynchronous();
  const result: unknown = write();
  if (!isThenable(result)) return;
  void Promise.resolve(result).catch(() => {});
  throw notSynchronous();
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return value !== null && typeof value === "object" && typeof (value as { then?: unknown }).then === "function";
}

function notSynchronous(): TypeError {
  return new TypeError("a charge's own writes must be synchronous");
}
