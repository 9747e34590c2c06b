// Calls an instance has lately answered. The platform may deliver a call twice; both deliveries carry the
// id that the edge gave the call, and get the one answer. It reaches as far as the instance lives: a
// client that must be sure beyond that sends an idempotency key, which is stored.
import { RecentMap } from "../core/recent-map.ts";

/** At least so many, at most twice as many. */
const CALLS = 1_024;

export class RecentCalls {
  readonly #answers = new RecentMap<string, Promise<unknown>>(CALLS);

  /** The answer to the call; `make` runs only for its first delivery. */
  once<Answer>(callId: string, make: () => Promise<Answer>): Promise<Answer> {
    const known = this.#answers.get(callId);
    if (known !== undefined) return known as Promise<Answer>;
    const answer = make();
    this.#answers.set(callId, answer);
    return answer;
  }
}
