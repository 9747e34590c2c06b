// The totals seen so far, oldest first, as many as are worth drawing. A change of window and a time
// without an answer are breaks: nothing is known of what lies between.

export const MAX_SAMPLES = 1_800;
/** Longer than a few polls: the page was hidden or the service away. */
const BREAK_MS = 10_000;

/** @typedef {import("./api.js").Counters & {atMs: number, window: bigint}} Sample */

export class History {
  /** @type {Sample[]} */
  #samples = [];

  /** @param {Sample} sample not older than those before it */
  add(sample) {
    this.#samples.push(sample);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }

  clear() {
    this.#samples = [];
  }

  /** @returns {readonly Sample[]} */
  get samples() {
    return this.#samples;
  }

  /**
   * With null for a break.
   * @returns {(Sample | null)[]}
   */
  withBreaks() {
    return this.#samples.flatMap((sample, index) => {
      const before = this.#samples[index - 1];
      const isBreak = before !== undefined && (before.window !== sample.window || sample.atMs - before.atMs > BREAK_MS);
      return isBreak ? [null, sample] : [sample];
    });
  }
}
