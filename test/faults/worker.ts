// What runs in workerd under the fault campaign: the Worker as it is deployed, on objects whose storage and
// whose answers fail as their plan says.
import { NamespaceCoordinator as DeployedCoordinator, RefShard as DeployedShard } from "../../src/index.ts";
import type { Env } from "../../src/objects/env.ts";
import { breakStorage, type FaultPlan, planOf } from "./plan.ts";

export { default } from "../../src/index.ts";
export { StoreHost } from "../runtime/worker.ts";

function planned(ctx: DurableObjectState): FaultPlan {
  const plan = planOf(ctx.id);
  plan.instances++;
  breakStorage(ctx.storage, plan);
  return plan;
}

export class RefShard extends DeployedShard {
  readonly #plan: FaultPlan;

  constructor(ctx: DurableObjectState, env: Env) {
    const plan = planned(ctx);
    super(ctx, env);
    this.#plan = plan;
  }

  override charge(...given: Parameters<DeployedShard["charge"]>): ReturnType<DeployedShard["charge"]> {
    return this.#plan.call("charge", this.ctx, () => super.charge(...given));
  }

  override move(...given: Parameters<DeployedShard["move"]>): ReturnType<DeployedShard["move"]> {
    return this.#plan.call("move", this.ctx, () => super.move(...given));
  }

  override usage(): ReturnType<DeployedShard["usage"]> {
    return this.#plan.call("usage", this.ctx, () => super.usage());
  }
}

export class NamespaceCoordinator extends DeployedCoordinator {
  readonly #plan: FaultPlan;

  constructor(ctx: DurableObjectState, env: Env) {
    const plan = planned(ctx);
    super(ctx, env);
    this.#plan = plan;
  }

  override push(...given: Parameters<DeployedCoordinator["push"]>): ReturnType<DeployedCoordinator["push"]> {
    return this.#plan.call("push", this.ctx, () => super.push(...given));
  }
}
