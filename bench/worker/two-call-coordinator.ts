// The protocol that one call per rollup replaces: the shard reads two rows of the coordinator, decides, and
// writes them back guarded on what it read. It runs over the same store; a lost guard is tried again, up to
// the number of times that the design allows a rollup.
import { DurableObject } from "cloudflare:workers";
import { decodeUsage, encodeUsage } from "../../src/core/codec.ts";
import { type Key, quotaContributionKey, quotaTotalKey } from "../../src/core/keys.ts";
import { type Usage, ZERO_USAGE } from "../../src/core/usage.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import type { Push } from "../../src/quota/protocol.ts";
import type { Batch, BatchOutcome, Precondition } from "../../src/store/contract.ts";
import type { BenchEnv } from "./env.ts";

const MAX_ATTEMPTS = 8;

export class TwoCallCoordinator extends DurableObject<BenchEnv> {
  readonly #store: SqliteStore;

  constructor(ctx: DurableObjectState, env: BenchEnv) {
    super(ctx, env);
    this.#store = new SqliteStore(ctx.storage, { kind: "coordinator", ns: "two-call" }, Date.now);
  }

  async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | null)[]> {
    return this.#store.getMany(keys as readonly Key[]);
  }

  async apply(batch: Batch): Promise<BatchOutcome> {
    return this.#store.apply(batch);
  }
}

/** False when the guard was lost every time. */
export async function rollUpInTwoCalls(
  coordinator: DurableObjectStub<TwoCallCoordinator>,
  push: Push,
): Promise<boolean> {
  const keys = [quotaContributionKey(push.window, push.source), quotaTotalKey(push.window)] as const;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const [contribution = null, total = null] = await coordinator.getMany(keys);
    const moved = movedTotal(usageOf(total), usageOf(contribution), push.usage);
    const outcome = await coordinator.apply({
      preconditions: [unchanged(keys[0], contribution), unchanged(keys[1], total)],
      writes: [
        { kind: "put", key: keys[0], value: encodeUsage(push.usage) },
        { kind: "put", key: keys[1], value: encodeUsage(moved) },
      ],
    });
    if (outcome.kind === "committed") return true;
  }
  return false;
}

function unchanged(key: Key, value: Uint8Array | null): Precondition {
  return value === null ? { kind: "absent", key } : { kind: "equals", key, value };
}

function usageOf(value: Uint8Array | null): Usage {
  return (value === null ? null : decodeUsage(value)) ?? ZERO_USAGE;
}

function movedTotal(total: Usage, before: Usage, after: Usage): Usage {
  return { ops: total.ops - before.ops + after.ops, bytes: total.bytes - before.bytes + after.bytes };
}
