// Decides a list of requests one after another and commits what they decided together.
//
// The decisions are those of the same requests one by one, because each reads through the draft what
// the earlier ones staged. A request that fails by itself (a corrupt row) leaves the others alone; a
// batch that does not commit fails all that were decided on it.
import type { FailureReason } from "../core/events.ts";
import type { Store } from "../store/contract.ts";
import { Draft } from "../store/draft.ts";
import { StoreError } from "../store/errors.ts";

export interface Commit<Answer> {
  /** In the order of the requests. */
  readonly answers: readonly Answer[];
  /** Whether anything was written, which must become durable before the answers leave. */
  readonly wrote: boolean;
}

/** How often a batch whose guard was lost is planned, before it counts as contention. */
const MAX_PLANS = 8;

export type Settled<Answer> =
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly reason: FailureReason };

/**
 * `decide` stages its writes only once nothing in it can fail any more.
 * A list that does not fit in one batch becomes several, in order.
 */
export function commitTogether<Request, Answer>(
  store: Store,
  requests: readonly Request[],
  decide: (draft: Draft, request: Request) => Answer,
): Commit<Settled<Answer>> {
  const answers: Settled<Answer>[] = [];
  let wrote = false;
  while (answers.length < requests.length) {
    const commit = commitOneBatch(store, requests.slice(answers.length), decide);
    answers.push(...commit.answers);
    wrote ||= commit.wrote;
  }
  return { answers, wrote };
}

function commitOneBatch<Request, Answer>(
  store: Store,
  requests: readonly Request[],
  decide: (draft: Draft, request: Request) => Answer,
): Commit<Settled<Answer>> {
  let settled: readonly Settled<Answer>[] = [];
  for (let plan = 0; plan < MAX_PLANS; plan++) {
    const draft = new Draft(store);
    settled = decideWhatFits(draft, requests, decide);
    if (!draft.hasWrites) return { answers: settled, wrote: false };
    try {
      if (store.apply(draft.batch()).kind === "committed") return { answers: settled, wrote: true };
    } catch (error) {
      return allFailed(settled.length, failureOf(error));
    }
  }
  return allFailed(settled.length, "contention");
}

function allFailed(count: number, reason: FailureReason): Commit<Settled<never>> {
  return { answers: Array.from({ length: count }, () => ({ kind: "failed", reason })), wrote: false };
}

function decideWhatFits<Request, Answer>(
  draft: Draft,
  requests: readonly Request[],
  decide: (draft: Draft, request: Request) => Answer,
): readonly Settled<Answer>[] {
  const settled: Settled<Answer>[] = [];
  for (const request of requests) {
    if (!draft.hasRoom) break;
    settled.push(decideOne(draft, request, decide));
  }
  return settled;
}

function decideOne<Request, Answer>(
  draft: Draft,
  request: Request,
  decide: (draft: Draft, request: Request) => Answer,
): Settled<Answer> {
  try {
    return { kind: "answered", answer: decide(draft, request) };
  } catch (error) {
    return { kind: "failed", reason: failureOf(error) };
  }
}

/** What a fault of the store is called in answers; anything else is our own bug and goes on up. */
function failureOf(error: unknown): FailureReason {
  if (error instanceof StoreError) return error.failure;
  throw error;
}
