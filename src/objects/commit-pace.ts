// Whether to wait until a commit is durable before the next is begun. Answers do not depend on it: the platform
// holds back what an object answers, and every call it makes, until its writes are durable. Waiting is what lets
// charges gather for one commit; where none gather, it is a turn of the event loop for nothing, a sixth of what a
// lone charge costs.
// https://developers.cloudflare.com/durable-objects/reference/in-memory-state/

/** So many commits of one decision each, one after another, make an object quiet. */
const QUIET_AFTER = 3;
/** While it is quiet, one commit in so many waits all the same, to see whether anybody comes. */
const LOOKS_EVERY = 8;

export class CommitPace {
  #alone = 0;

  /** To be asked once for each commit, with the number of decisions in it. */
  waitsFor(decisions: number): boolean {
    this.#alone = decisions > 1 ? 0 : this.#alone + 1;
    return this.#alone < QUIET_AFTER || this.#alone % LOOKS_EVERY === 0;
  }
}
