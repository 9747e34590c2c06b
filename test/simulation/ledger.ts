// What was admitted, as seen from outside: every request with what became of each of its deliveries. An
// answer that left an object counts exactly as it says; a delivery whose instance died before answering
// may count or not, but never twice.
import type { Usage } from "../../src/core/usage.ts";
import type { Window } from "../../src/core/window.ts";
import type { Allowed, MoveResult } from "../../src/quota/charge.ts";

export interface Delivery {
  readonly callId: string;
  readonly instance: number;
  /** By the object's clock, when it was delivered. */
  readonly window: Window;
  /** Null: not answered. */
  answer: MoveResult | null;
}

export class Request {
  readonly key: string | null;
  readonly bytes: bigint;
  readonly deliveries: Delivery[] = [];
  /** Deliveries under way. */
  outstanding = 0;
  /** The client has its answer, or gave up. */
  isDone = false;
  /** Made before its object was restored to an earlier state: it may count or not, whatever was answered. */
  isUncertain = false;

  constructor(key: string | null, bytes: bigint) {
    this.key = key;
    this.bytes = bytes;
  }

  /** Answers that admitted it. */
  get admissions(): readonly Allowed[] {
    return this.deliveries.flatMap(({ answer }) => (answer?.ok === true ? [answer] : []));
  }
}

export interface Range {
  min: Usage;
  max: Usage;
}

/** Of one object. */
export class Ledger {
  #requests: Request[] = [];
  #restored = new Map<Window, Usage>();
  /** How often the object was put back to an earlier state. */
  restores = 0;

  add(request: Request): void {
    this.#requests.push(request);
  }

  /** What the restored state holds is where counting begins anew. */
  restore(holds: ReadonlyMap<Window, Usage>): void {
    this.restores++;
    this.#restored = new Map(holds);
    this.#requests = this.#requests.filter(({ isDone, outstanding }) => !isDone || outstanding > 0);
    for (const request of this.#requests) request.isUncertain = true;
  }

  /** What the object must have counted in a window. */
  countedIn(window: Window): Range {
    const base = this.#restored.get(window) ?? { ops: 0n, bytes: 0n };
    const range = { min: base, max: base };
    for (const request of this.#requests) {
      for (const count of countsOf(request)) {
        if (count.window !== window) continue;
        if (count.isCertain && !request.isUncertain) range.min = plus(range.min, request.bytes);
        range.max = plus(range.max, request.bytes);
      }
    }
    return range;
  }
}

interface Count {
  readonly window: Window;
  readonly isCertain: boolean;
}

function countsOf(request: Request): readonly Count[] {
  if (request.key !== null) return countsOfOne(request.deliveries);
  const separate = Map.groupBy(request.deliveries, ({ callId, instance }) => `${callId} ${instance}`);
  return [...separate.values()].flatMap(countsOfOne);
}

/** Of deliveries of which at most one may count. */
function countsOfOne(deliveries: readonly Delivery[]): readonly Count[] {
  for (const { answer } of deliveries) {
    if (answer?.ok === true) return [{ window: answer.window.number, isCertain: true }];
  }
  const unknown = deliveries.filter(({ answer }) => answer === null).map(({ window }) => window);
  return [...new Set(unknown)].map((window) => ({ window, isCertain: false }));
}

function plus(usage: Usage, bytes: bigint): Usage {
  return { ops: usage.ops + 1n, bytes: usage.bytes + bytes };
}
