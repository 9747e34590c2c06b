/**
 * A map of what was set lately: at least the last `capacity` entries, at most twice as many. Two generations
 * take turns, so that forgetting costs nothing; deleting one entry at a time leaves holes to step over.
 */
export class RecentMap<Key, Value> {
  readonly #capacity: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  /** Counts as set anew, however long it has been there. */
  set(key: Key, value: Value): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
