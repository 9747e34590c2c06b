// The Worker: its entrypoint, over HTTP and RPC, and the two Durable Object classes.
import { createApp } from "./http/app.ts";
import { QuotaRpc } from "./rpc/quota-rpc.ts";

export { NamespaceCoordinator } from "./objects/namespace-coordinator.ts";
export { RefShard } from "./objects/ref-shard.ts";

const app = createApp();

export default class NamespaceQuota extends QuotaRpc {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx);
  }
}
