// The quota as a subclass of RefShard uses it: charge a write and make it, both or neither.
import type { ChargeResult } from "../quota/charge.ts";
import { unavailable } from "../quota/result.ts";
import type { ShardQuota } from "../quota/shard-quota.ts";

export interface Cost {
  /** Bytes the write counts for; 0 when left out. */
  readonly bytes?: bigint;
  /** 1–128 characters of visible ASCII: the same key again gets the first answer again. */
  readonly idempotencyKey?: string;
}

export interface EmbeddedQuota {
  /**
   * Charges one write and runs `write` in the charge's own transaction: SQL and storage writes it makes commit
   * with the charge or not at all. It runs synchronously, only when the charge is allowed, and not for a
   * replay. When it throws, nothing is charged or written and the promise rejects with its error. Everything
   * else is a value: a refusal says why, `unavailable` says that nothing was done.
   */
  charge(cost: Cost, write?: () => void): Promise<ChargeResult>;
}

export function embeddedQuota(quota: ShardQuota | null): EmbeddedQuota {
  return {
    charge: async ({ bytes = 0n, idempotencyKey }, write) => {
      if (quota === null) return unavailable("unavailable");
      const charge = { bytes, idempotencyKey: idempotencyKey ?? null };
      return quota.charge(charge, write === undefined ? undefined : () => runNow(write));
    },
  };
}

/** A transaction ends at the first await, so what goes on after one would be outside of it. */
function runNow(write: () => void): void {
  const result: unknown = write();
  if (result instanceof Promise) throw new TypeError("a charge's own writes must be synchronous");
}
