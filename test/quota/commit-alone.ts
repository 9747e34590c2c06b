import { commitTogether, type Decide, type Settled } from "../../src/quota/commit-together.ts";
import type { Store } from "../../src/store/contract.ts";

/** One decision, committed by itself. */
export function commitAlone<Answer>(store: Store, decide: Decide<Answer>): Settled<Answer> {
  const [settled] = commitTogether(store, [decide]).settled;
  if (settled === undefined) throw new Error("a decision was not settled");
  return settled;
}
