// The Worker under test, and beside it the same one as a deployment with a setting at fault has it.
import type { Env } from "../../src/objects/env.ts";
import { QuotaRpc } from "../../src/rpc/quota-rpc.ts";

export { default, NamespaceCoordinator, RefShard } from "../../src/index.ts";

export class Misconfigured extends QuotaRpc {
  constructor(ctx: ExecutionContext, env: Env) {
    super(ctx, { ...env, QUOTA_MAX_OPS: "many", QUOTA_ROLLUP_MS: "" });
  }
}
