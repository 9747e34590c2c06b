// Time that passes only when nothing is left to do: events in order of their time, then of their making.
import type { Delay } from "../../src/core/clock.ts";
import { untilQuiet } from "./cluster.ts";

export interface TimedEvent {
  readonly atMs: number;
  readonly order: number;
  /** Null once it has happened or was called off. */
  action: (() => void) | null;
}

export class VirtualTime {
  nowMs: number;
  #heap: TimedEvent[] = [];
  #made = 0;

  constructor(nowMs: number) {
    this.nowMs = nowMs;
  }

  at(atMs: number, action: () => void): TimedEvent {
    const event = { atMs: Math.max(Math.ceil(atMs), this.nowMs), order: this.#made++, action };
    this.#push(event);
    return event;
  }

  after(ms: number, action: () => void): TimedEvent {
    return this.at(this.nowMs + ms, action);
  }

  sleep(ms: number): Promise<void> {
    return this.startDelay(ms).passed;
  }

  readonly startDelay = (ms: number): Delay => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const event = this.after(ms, resolve);
    return {
      passed: promise,
      cancel: () => {
        event.action = null;
      },
    };
  };

  /** Lets time pass to `untilMs`; `afterEach` runs when all that an event set off has come to rest. */
  async runTo(untilMs: number, afterEach: () => void): Promise<void> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#pop();
      const { action } = next;
      if (action === null) continue;
      next.action = null;
      this.nowMs = next.atMs;
      action();
      await untilQuiet();
      afterEach();
    }
    this.nowMs = Math.max(this.nowMs, untilMs);
  }

  #push(event: TimedEvent): void {
    let index = this.#heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >>> 1;
      if (!this.#swapIfEarlier(index, parent)) break;
      index = parent;
    }
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#isEarlier(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfEarlier(child, index)) break;
      index = child;
    }
  }

  #isEarlier(index: number, than: number): boolean {
    const [event, other] = [this.#heap[index], this.#heap[than]];
    if (event === undefined || other === undefined) return false;
    return event.atMs < other.atMs || (event.atMs === other.atMs && event.order < other.order);
  }

  #swapIfEarlier(index: number, than: number): boolean {
    const [event, other] = [this.#heap[index], this.#heap[than]];
    if (event === undefined || other === undefined || !this.#isEarlier(index, than)) return false;
    this.#heap[index] = other;
    this.#heap[than] = event;
    return true;
  }
}
