// Calls an instance has lately answered. The platform may deliver a call twice; both deliveries carry the
// id that the edge gave the call, and get the one answer. It reaches as far as the instance lives: a
// client that must be sure beyond that sends an idempotency key, which is stored.
import { forgetOldest } from "../core/forget-oldest.ts";

/** The oldest is forgotten first. */
const MAX_CALLS = 2_048;

export class RecentCalls {
  readonly #answers = new Map<string, Promise<unknown>>();

  /** The answer to the call; `make` runs only for its first delivery. */
  once<Answer>(callId: string, make: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(callId);
    if (known !== undefined) return known as Promise<Answer>;
    const answer = make();
    this.#answers.set(callId, answer);
    if (this.#answers.size > MAX_CALLS) forgetOldest(this.#answers);
    return answer;
  }
}
