// Those who charge: each member of a namespace gets charges and moves at its own pace. A client that sent
// a key repeats its request with it until it is answered; one without a key takes what it gets.
import { withDeadline } from "../../src/core/clock.ts";
import { windowOf } from "../../src/core/window.ts";
import type { MoveResult } from "../../src/quota/charge.ts";
import type { NamespaceQuota } from "../../src/quota/namespace-quota.ts";
import type { RefMove } from "../../src/quota/ref-move.ts";
import type { ShardQuota } from "../../src/quota/shard-quota.ts";
import { GONE, type Instance } from "./faulty-object.ts";
import { type Delivery, Request } from "./ledger.ts";
import type { Member, Shard, SimulatedNamespace } from "./namespace.ts";
import type { World } from "./world.ts";

export interface Answered {
  readonly namespace: SimulatedNamespace;
  readonly member: Member;
  readonly request: Request;
  readonly answer: MoveResult;
  /** Undefined for a charge. */
  readonly move: RefMove | undefined;
}

interface Call<Quota extends ShardQuota | NamespaceQuota> {
  readonly member: Member<Quota>;
  readonly request: Request;
  readonly make: (instance: Instance<Quota>) => Promise<MoveResult>;
  readonly move: RefMove | undefined;
}

const TIMEOUT_MS = 5_000;
const MAX_PAUSE_MS = 2_000;
/** Long before a window's keys go. */
const GIVE_UP_PERIODS = 1.5;
const MAX_BURST = 6;
const MAX_BYTES = 1_000;
const SLOWEST = 8;

export class Clients {
  readonly #world: World;
  readonly #namespace: SimulatedNamespace;
  readonly #answered: (answered: Answered) => void;
  readonly #untilMs: number;
  readonly #knownTargets = new Map<Shard, string | null>();
  #made = 0;

  constructor(options: {
    readonly world: World;
    readonly namespace: SimulatedNamespace;
    readonly answered: (answered: Answered) => void;
    readonly untilMs: number;
  }) {
    this.#world = options.world;
    this.#namespace = options.namespace;
    this.#answered = options.answered;
    this.#untilMs = options.untilMs;
  }

  start(): void {
    const { coordinator, shards } = this.#namespace;
    this.#arrive(this.#gapMs(), () => this.#chargeCoordinator(coordinator));
    for (const shard of shards) this.#arrive(this.#gapMs(), () => this.#callShard(shard));
  }

  /** Some members are busy and some nearly idle, so that timers slide. */
  #gapMs(): number {
    const { random, plan } = this.#world;
    return plan.chargeGapMs * random.pick([1, 1, 2, SLOWEST]);
  }

  #arrive(meanGapMs: number, call: () => void): void {
    const { random, time } = this.#world;
    time.after(random.gapMs(meanGapMs), () => {
      if (time.nowMs >= this.#untilMs) return;
      const times = random.chance(0.2) ? random.integer(2, MAX_BURST) : 1;
      for (let made = 0; made < times; made++) call();
      this.#arrive(meanGapMs, call);
    });
  }

  #chargeCoordinator(member: Member<NamespaceQuota>): void {
    const request = this.#newRequest(member);
    const charge = { bytes: request.bytes, idempotencyKey: request.key };
    void this.#pursue({ member, request, make: ({ quota }) => quota.charge(charge), move: undefined });
  }

  #callShard(member: Shard): void {
    const request = this.#newRequest(member);
    const charge = { bytes: request.bytes, idempotencyKey: request.key };
    const move = this.#world.random.chance(0.3) ? this.#newMove(member) : undefined;
    const make: Call<ShardQuota>["make"] = ({ quota }) =>
      move === undefined ? quota.charge(charge) : quota.move(move, charge);
    void this.#pursue({ member, request, make, move });
  }

  #newRequest(member: Member): Request {
    const { random } = this.#world;
    const key = random.chance(0.6) ? `key-${this.#made++}` : null;
    const request = new Request(key, BigInt(random.integer(0, MAX_BYTES)));
    member.ledger.add(request);
    return request;
  }

  #newMove(shard: Shard): RefMove {
    const { random } = this.#world;
    const target = random.chance(0.05) ? null : random.objectId();
    if (random.chance(0.4)) return { target };
    return { target, expected: random.chance(0.1) ? null : (this.#knownTargets.get(shard) ?? null) };
  }

  async #pursue<Quota extends ShardQuota | NamespaceQuota>(call: Call<Quota>): Promise<void> {
    const { time, random, plan } = this.#world;
    const giveUpAtMs = time.nowMs + GIVE_UP_PERIODS * plan.settings.rollupMs;
    do {
      const answer = await this.#attempt(call);
      const isAnswered = answer !== null && (answer.ok || answer.code !== "unavailable");
      if (isAnswered || call.request.key === null) break;
      this.#world.count("retry");
      await time.sleep(random.integer(1, MAX_PAUSE_MS));
    } while (time.nowMs < giveUpAtMs);
    call.request.isDone = true;
  }

  /** Null when no answer came in time. */
  async #attempt<Quota extends ShardQuota | NamespaceQuota>(call: Call<Quota>): Promise<MoveResult | null> {
    const world = this.#world;
    const { promise, resolve } = Promise.withResolvers<MoveResult | null>();
    const callId = `call-${this.#made++}`;
    const copies = world.happens("doubledCall") ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (world.happens("lostCall")) continue;
      call.request.outstanding++;
      world.time.after(world.latencyMs(), () => void this.#deliver(call, callId, resolve));
    }
    const answer = await withDeadline(promise, world.time.startDelay(TIMEOUT_MS));
    return answer === "late" ? null : answer;
  }

  async #deliver<Quota extends ShardQuota | NamespaceQuota>(
    call: Call<Quota>,
    callId: string,
    resolve: (answer: MoveResult | null) => void,
  ): Promise<void> {
    const world = this.#world;
    const { object } = call.member;
    const handled = await object.handle(async (instance) => {
      const window = windowOf(object.clock(), world.plan.settings.windowMs);
      const delivery: Delivery = { callId, instance: instance.number, window, answer: null };
      call.request.deliveries.push(delivery);
      return { delivery, answer: await instance.calls.once(callId, () => call.make(instance)) };
    });
    call.request.outstanding--;
    if (handled !== GONE) {
      handled.delivery.answer = handled.answer;
      this.#learn(call, handled.answer);
    }
    if (world.happens("lostReply")) return;
    world.time.after(world.latencyMs(), () => resolve(handled === GONE ? null : handled.answer));
  }

  #learn<Quota extends ShardQuota | NamespaceQuota>(call: Call<Quota>, answer: MoveResult): void {
    const { member, request, move } = call;
    this.#world.count(answer.ok ? (answer.replayed ? "replayed" : "allowed") : answer.code);
    this.#answered({ namespace: this.#namespace, member, request, answer, move });
    if (!isShard(member)) return;
    if (answer.ok && move !== undefined) this.#knownTargets.set(member, move.target);
    else if (!answer.ok && answer.code === "conflict") this.#knownTargets.set(member, answer.current);
  }
}

export function isShard(member: Member): member is Shard {
  return member.object.partition.kind === "ref";
}
