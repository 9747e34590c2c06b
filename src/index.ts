// The Worker: its HTTP entrypoint and the two Durable Object classes.
import { WorkerEntrypoint } from "cloudflare:workers";
import { createApp } from "./http/app.ts";
import type { Env } from "./objects/env.ts";

export { NamespaceCoordinator } from "./objects/namespace-coordinator.ts";
export { RefShard } from "./objects/ref-shard.ts";

const app = createApp();

export default class NamespaceQuota extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx);
  }
}
