// Shared commits: requests that arrive while a commit is becoming durable are handled together in the
// next one. A commit is what a charge costs, so under load one is paid by many; a lone request finds
// the queue empty and is handled at once.

import type { Commit } from "./commit-together.ts";

/** Requests waiting for their commit. More than this, and the caller should come back later. */
export const MAX_WAITING = 10_000;

interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

export class CommitQueue<Request, Answer> {
  readonly #commit: (requests: readonly Request[]) => Commit<Answer>;
  readonly #flush: () => Promise<void>;
  #waiting: Waiting<Request, Answer>[] = [];
  #isDraining = false;

  /** `commit` answers in the order of its requests; `flush` resolves when all that was written is durable. */
  constructor(commit: (requests: readonly Request[]) => Commit<Answer>, flush: () => Promise<void>) {
    this.#commit = commit;
    this.#flush = flush;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING;
  }

  /** Resolves when the commit is durable; rejects, with all that shared it, when it failed. */
  submit(request: Request): Promise<Answer> {
    const answer = new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
    });
    if (!this.#isDraining) void this.#drain();
    return answer;
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

  async #settle(taken: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const { answers, wrote } = this.#commit(taken.map((waiting) => waiting.request));
      if (wrote) await this.#flush();
      for (const [index, waiting] of taken.entries()) waiting.resolve(answers[index] as Answer);
    } catch (error) {
      for (const waiting of taken) waiting.reject(error);
    }
  }
}
