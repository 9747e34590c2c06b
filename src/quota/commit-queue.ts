// Shared commits: decisions asked for while a commit is becoming durable are taken together in the
// next one. A commit is what a charge costs, so under load one is paid by many; a lone decision finds
// the queue empty and is taken at once.
import type { Store } from "../store/contract.ts";
import { commitTogether, type Decide, type Settled } from "./commit-together.ts";

/** Decisions waiting for their commit. More than this, and callers should come back later. */
export const MAX_WAITING = 10_000;

interface Waiting {
  readonly decide: Decide<unknown>;
  readonly resolve: (settled: Settled<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue {
  readonly #store: Store;
  readonly #flush: () => Promise<void>;
  #waiting: Waiting[] = [];
  #isDraining = false;

  /** `flush` resolves when everything written is durable. */
  constructor(store: Store, flush: () => Promise<void>) {
    this.#store = store;
    this.#flush = flush;
  }

  /**
   * Resolves when what was decided is durable. A queue that is full fails the decision as `unavailable`.
   * Rejects, with all that shared the commit, for a fault that is not the store's.
   */
  submit<Answer>(decide: Decide<Answer>): Promise<Settled<Answer>> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.resolve({ kind: "failed", reason: "unavailable" });
    const settled = new Promise<Settled<unknown>>((resolve, reject) => {
      this.#waiting.push({ decide, resolve, reject });
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
    try {
      const decisions = taken.map((waiting) => waiting.decide);
      const { settled, wrote } = commitTogether(this.#store, decisions);
      if (wrote) await this.#flush();
      for (const [index, waiting] of taken.entries()) {
        waiting.resolve(settled[index] ?? { kind: "failed", reason: "unavailable" });
      }
    } catch (error) {
      for (const waiting of taken) waiting.reject(error);
    }
  }
}
