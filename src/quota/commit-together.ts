// Takes decisions one after another and commits what they staged together.
//
// The outcome is that of the same decisions one by one, because each reads through the draft what the
// earlier ones staged. A decision that fails by itself (a corrupt row) leaves the others alone; a batch
// that does not commit fails all that were decided on it.
import type { FailureReason } from "../core/events.ts";
import type { Store } from "../store/contract.ts";
import { Draft } from "../store/draft.ts";
import { StoreError } from "../store/errors.ts";

/** Stages writes on the draft, once nothing in it can fail any more, and answers. */
export type Decide<Answer> = (draft: Draft) => Answer;

export type Settled<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly reason: FailureReason };

export interface Commit<Answer> {
  /** In the order of the decisions. */
  readonly settled: readonly Settled<Answer>[];
  /** Whether anything was written, which must become durable before an answer leaves. */
  readonly wrote: boolean;
}

/** How often a batch whose guard was lost is planned, before it counts as contention. */
const MAX_PLANS = 8;

/** A list that does not fit in one batch becomes several, in order. */
export function commitTogether<Answer>(store: Store, decisions: readonly Decide<Answer>[]): Commit<Answer> {
  const settled: Settled<Answer>[] = [];
  let wrote = false;
  while (settled.length < decisions.length) {
    const commit = commitOneBatch(store, decisions.slice(settled.length));
    settled.push(...commit.settled);
    wrote ||= commit.wrote;
  }
  return { settled, wrote };
}

/**
 * One decision by itself, with writes of the caller's own in the very transaction of what it stages. They are
 * made only if it stages something. When `alongside` throws, nothing is written and the error goes on up.
 */
export function commitAccompanied<Answer>(store: Store, decide: Decide<Answer>, alongside: () => void): Commit<Answer> {
  return commitOneBatch(store, [decide], alongside);
}

function commitOneBatch<Answer>(
  store: Store,
  decisions: readonly Decide<Answer>[],
  alongside?: () => void,
): Commit<Answer> {
  let settled: readonly Settled<Answer>[] = [];
  for (let plan = 0; plan < MAX_PLANS; plan++) {
    const draft = new Draft(store);
    settled = decideWhatFits(draft, decisions);
    if (!draft.hasWrites) return { settled, wrote: false };
    try {
      if (store.apply(draft.batch(), alongside).kind === "committed") return { settled, wrote: true };
    } catch (error) {
      return allFailed(settled.length, failureOf(error));
    }
  }
  return allFailed(settled.length, "contention");
}

function decideWhatFits<Answer>(draft: Draft, decisions: readonly Decide<Answer>[]): readonly Settled<Answer>[] {
  const settled: Settled<Answer>[] = [];
  for (const decide of decisions) {
    if (!draft.hasRoom) break;
    settled.push(settle(draft, decide));
  }
  return settled;
}

function settle<Answer>(draft: Draft, decide: Decide<Answer>): Settled<Answer> {
  try {
    return { kind: "answered", answer: decide(draft) };
  } catch (error) {
    return { kind: "failed", reason: failureOf(error) };
  }
}

function allFailed(count: number, reason: FailureReason): Commit<never> {
  return { settled: Array.from({ length: count }, () => ({ kind: "failed", reason })), wrote: false };
}

/** What a fault of the store is called in answers; anything else is our own bug and goes on up. */
function failureOf(error: unknown): FailureReason {
  if (error instanceof StoreError) return error.failure;
  throw error;
}
