// The ceilings: an object that gathers upserts for shared commits and does nothing else, called by RPC, and by
// a Worker that reads the same body and gives the same answer as ours without checking or deciding anything.
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { encodeUsage } from "../../src/core/codec.ts";
import type { Usage } from "../../src/core/usage.ts";
import { ANSWER_HEADERS } from "../../src/http/respond.ts";
import { CREATE_TABLE, KEY, PUT } from "./bare-object.ts";
import type { BenchEnv } from "./env.ts";

interface Waiting {
  readonly bytes: bigint;
  readonly answer: (usage: Usage) => void;
}

export class SharingObject extends DurableObject<BenchEnv> {
  #usage: Usage = { ops: 0n, bytes: 0n };
  #waiting: Waiting[] = [];
  #isDraining = false;

  constructor(ctx: DurableObjectState, env: BenchEnv) {
    super(ctx, env);
    ctx.storage.sql.exec(CREATE_TABLE);
  }

  async upsert(bytes: bigint): Promise<Usage> {
    const answered = new Promise<Usage>((answer) => this.#waiting.push({ bytes, answer }));
    if (!this.#isDraining) void this.#drain();
    return answered;
  }

  async #drain(): Promise<void> {
    this.#isDraining = true;
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      const answers = taken.map(({ bytes }) => this.#count(bytes));
      this.ctx.storage.sql.exec(PUT, KEY, encodeUsage(this.#usage));
      await this.ctx.storage.sync();
      for (const [index, { answer }] of taken.entries()) answer(answers[index] ?? this.#usage);
    }
    this.#isDraining = false;
  }

  #count(bytes: bigint): Usage {
    this.#usage = { ops: this.#usage.ops + 1n, bytes: this.#usage.bytes + bytes };
    return this.#usage;
  }
}

const HEADERS = {
  "Content-Type": "application/json",
  ...ANSWER_HEADERS,
  "RateLimit-Policy": '"ops";q=300;w=3600, "bytes";q=134217728;w=3600;qu="content-bytes"',
  RateLimit: '"ops";r=258;t=2999, "bytes";r=134123520;t=2999',
};

export class SharingWorker extends WorkerEntrypoint<BenchEnv> {
  override async fetch(request: Request): Promise<Response> {
    const { SHARING } = this.env;
    const { bytes } = await request.json<{ bytes: number }>();
    const usage = await SHARING.get(SHARING.idFromName(request.url)).upsert(BigInt(bytes));
    const counts = { ops: Number(usage.ops), bytes: Number(usage.bytes) };
    const window = { number: 498_888, startsAt: "2026-12-01T00:00:00.000Z", endsAt: "2026-12-01T01:00:00.000Z" };
    const view = { status: "fresh", total: counts, observedAt: "2026-12-01T00:10:00.000Z" };
    const limits = { maxOps: 300, maxBytes: 134_217_728 };
    const answer = { decision: "allowed", countedAt: "shard", window, usage: counts, view, limits, remaining: counts };
    return new Response(JSON.stringify(answer), { headers: HEADERS });
  }
}
