// The counter of the documentation's first example, for one object or for all: every request visits one
// object that reads, adds one and writes.
// https://developers.cloudflare.com/durable-objects/examples/build-a-counter/
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import type { BenchEnv } from "./env.ts";

export class TextbookCounter extends DurableObject<BenchEnv> {
  async increment(key: string): Promise<number> {
    const count = ((await this.ctx.storage.get<number>(key)) ?? 0) + 1;
    await this.ctx.storage.put(key, count);
    return count;
  }
}

export class TextbookWorker extends WorkerEntrypoint<BenchEnv> {
  override async fetch(request: Request): Promise<Response> {
    const { TEXTBOOK } = this.env;
    const key = new URL(request.url).pathname;
    const count = await TEXTBOOK.get(TEXTBOOK.idFromName("counter")).increment(key);
    return Response.json({ decision: "allowed", count });
  }
}
