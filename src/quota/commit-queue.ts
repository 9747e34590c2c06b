// Shared commits: decisions asked for while a commit is becoming durable are taken together in the
// next one. A commit is what a charge costs, so under load one is paid by many; a lone decision finds
// the queue empty and is taken at once.
import type { Store } from "../store/contract.ts";
import { StoreError } from "../store/errors.ts";
import { commitAccompanied, commitTogether, type Decide, type Settled } from "./commit-together.ts";

/** Decisions waiting for their commit. More than this, and callers should come back later. */
export const MAX_WAITING = 10_000;

/**
 * Resolves when what was written with so many decisions may be answered for: it is durable, or no answer can
 * leave before it is. Decisions that come meanwhile are taken together.
 */
export type Flush = (decisions: number) => Promise<void>;

interface Waiting {
  readonly decide: Decide<unknown>;
  readonly alongside: (() => void) | undefined;
  readonly resolve: (settled: Settled<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue {
  readonly #store: Store;
  readonly #flush: Flush;
  #waiting: Waiting[] = [];
  #isDraining = false;

  constructor(store: Store, flush: Flush) {
    this.#store = store;
    this.#flush = flush;
  }

  /**
   * Resolves when what was decided may be answered for. A queue that is full fails the decision as `unavailable`.
   * `alongside` is made in the decision's own transaction, if it stages anything; what it throws rejects this
   * decision alone. Otherwise rejects, with all that shared the commit, for a fault that is not the store's.
   */
  submit<Answer>(decide: Decide<Answer>, alongside?: () => void): Promise<Settled<Answer>> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve({ kind: "failed", reason: "unavailable" });
    const settled = new Promise<Settled<unknown>>((resolve, reject) => {
      this.#waiting.push({ decide, alongside, resolve, reject });
    });
    if (!this.#isDraining) void this.#drain();
    return settled as Promise<Settled<Answer>>;
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      await this.#settle(taken);
    }
    this.#isDraining = false;
  }

  async #settle(taken: readonly Waiting[]): Promise<void> {
    const answers: (() => void)[] = [];
    try {
      let wrote = false;
      for (const group of groupsOf(taken)) {
        const commit = this.#commit(group);
        wrote ||= commit.wrote;
        answers.push(commit.answer);
      }
      if (wrote) await this.#flush(taken.length);
      for (const answer of answers) answer();
    } catch (error) {
      for (const waiting of taken) {
        if (error instanceof StoreError) waiting.resolve({ kind: "failed", reason: error.failure });
        else waiting.reject(error);
      }
    }
  }

  /** Commits one group; what it returns gives the answers, once they are durable. */
  #commit(group: readonly Waiting[]): { readonly wrote: boolean; readonly answer: () => void } {
    const [first] = group;
    if (first?.alongside !== undefined) return this.#commitAccompanied(first, first.alongside);
    const decisions = group.map((waiting) => waiting.decide);
    const { settled, wrote } = commitTogether(this.#store, decisions);
    return { wrote, answer: () => group.forEach((waiting, index) => resolveWith(waiting, settled[index])) };
  }

  #commitAccompanied(
    waiting: Waiting,
    alongside: () => void,
  ): { readonly wrote: boolean; readonly answer: () => void } {
    try {
      const { settled, wrote } = commitAccompanied(this.#store, waiting.decide, alongside);
      return { wrote, answer: () => resolveWith(waiting, settled[0]) };
    } catch (error) {
      return { wrote: false, answer: () => waiting.reject(error) };
    }
  }
}

/** Decisions that commit together: each run without writes of the caller's own, and each with them alone. */
function groupsOf(taken: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const groups: Waiting[][] = [];
  for (const waiting of taken) {
    const last = groups.at(-1);
    const joins = waiting.alongside === undefined && last !== undefined && last[0]?.alongside === undefined;
    if (joins) last.push(waiting);
    else groups.push([waiting]);
  }
  return groups;
}

function resolveWith(waiting: Waiting, settled: Settled<unknown> | undefined): void {
  waiting.resolve(settled ?? { kind: "failed", reason: "unavailable" });
}
