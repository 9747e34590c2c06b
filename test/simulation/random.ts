// Seeded randomness: one seed gives the same draws on every machine, so a run can be repeated exactly.
export class Random {
  #state: number;

  /** `seed` is a u32. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1. The generator is mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A generator of its own, so that drawing more from one does not shift the other. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 32 - 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Both ends included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.integer(0, items.length - 1)] ?? items[0];
  }

  /** Whole ms between two events that come at random, `meanMs` apart on average; at least 1. */
  gapMs(meanMs: number): number {
    return Math.max(Math.round(-Math.log(1 - this.next()) * meanMs), 1);
  }

  /** 40 hex digits. */
  objectId(): string {
    return Array.from({ length: 5 }, () =>
      this.integer(0, 2 ** 32 - 1)
        .toString(16)
        .padStart(8, "0"),
    ).join("");
  }
}
