// One run of the fault simulation, decided by its seed alone. Each window has rounds: faults over its
// beginning, a calm in which the window before comes to rest and is checked, faults and restores, a calm
// in which every shard rolls up after a restore, and faults again past its end.
import { type Window, windowOf } from "../../src/core/window.ts";
import { Clients } from "./clients.ts";
import { GONE } from "./faulty-object.ts";
import { Incidents } from "./incidents.ts";
import { type Committed, SimulatedNamespace } from "./namespace.ts";
import { drawPlan, GRACE_PERIODS, type Plan, WINDOW_PERIODS } from "./plan.ts";
import { Random } from "./random.ts";
import { StepChecks } from "./step-checks.ts";
import { checkGone, checkNothingLeft, checkWindow } from "./window-checks.ts";
import { type Violation, World } from "./world.ts";

export interface RunReport {
  readonly seed: number;
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** How often what happened. */
  readonly counts: ReadonlyMap<string, number>;
}

/** In periods from a window's beginning. */
const ROUND = { firstCalm: 0.5, check: 3.6, restoreCalm: 7, touch: 7.5, lastFaults: 8.6 } as const;
const MARGIN_MS = 2_000;
const MAX_TOUCHES = 5;

/** `seed` is a u32. */
export async function runSeed(seed: number): Promise<RunReport> {
  const random = new Random(seed);
  const plan = drawPlan(random.fork());
  const world = new World(plan, random);
  await new Campaign(world).run();
  return { seed, plan, violations: world.violations, counts: world.counts };
}

class Campaign {
  readonly #world: World;
  readonly #namespaces: readonly SimulatedNamespace[];
  readonly #checks: readonly StepChecks[];
  readonly #incidents: Incidents;

  constructor(world: World) {
    this.#world = world;
    const checks = new Map<string, StepChecks>();
    this.#namespaces = world.plan.namespaces.map((ns) => {
      const committed: Committed = (member, batch, before) => checks.get(ns)?.committed(member, batch, before);
      const namespace = new SimulatedNamespace(world, ns, committed);
      checks.set(ns, new StepChecks(world, namespace));
      return namespace;
    });
    this.#checks = [...checks.values()];
    this.#incidents = new Incidents(world, this.#namespaces, this.#endMs);
  }

  async run(): Promise<void> {
    const { plan, startMs } = this.#world;
    this.#startClients();
    this.#incidents.start();
    for (let index = 0; index < plan.windows; index++) await this.#runWindow(startMs + index * plan.settings.windowMs);
    await this.#runTo(this.#endMs, ROUND.firstCalm);
    this.#calm();
    await this.#runTo(this.#endMs, ROUND.check);
    this.#checkWindowBefore(this.#endMs);
    const restMs = this.#endMs + 2 * plan.maxSkewMs + MARGIN_MS;
    await this.#runTo(restMs, GRACE_PERIODS + 1);
    for (const namespace of this.#namespaces) checkGone(this.#world, namespace, this.#windowAt(this.#endMs));
    // Repeats of the last requests may have been counted in the window after.
    await this.#runTo(restMs + plan.settings.windowMs, GRACE_PERIODS + 1);
    for (const namespace of this.#namespaces) checkNothingLeft(this.#world, namespace);
  }

  get #endMs(): number {
    const { plan, startMs } = this.#world;
    return startMs + plan.windows * plan.settings.windowMs;
  }

  async #runWindow(startMs: number): Promise<void> {
    await this.#runTo(startMs, ROUND.firstCalm);
    this.#calm();
    await this.#runTo(startMs, ROUND.check);
    if (startMs > this.#world.startMs) this.#checkWindowBefore(startMs);
    this.#trouble();
    this.#incidents.allowRestores = true;
    await this.#runTo(startMs, ROUND.restoreCalm);
    this.#incidents.allowRestores = false;
    if (this.#world.plan.gaps.restoreMs !== null) {
      this.#calm();
      await this.#runTo(startMs, ROUND.touch);
      this.#rollUpAll();
      await this.#runTo(startMs, ROUND.lastFaults);
      this.#trouble();
    }
    await this.#runTo(startMs, WINDOW_PERIODS);
  }

  #startClients(): void {
    for (const [index, namespace] of this.#namespaces.entries()) {
      const checks = this.#checks[index];
      if (checks === undefined) continue;
      const answered: StepChecks["answered"] = (answer) => checks.answered(answer);
      new Clients({ world: this.#world, namespace, answered, untilMs: this.#endMs }).start();
    }
  }

  #runTo(fromMs: number, periods: number): Promise<void> {
    const untilMs = fromMs + periods * this.#world.plan.settings.rollupMs;
    return this.#world.time.runTo(untilMs, () => {
      for (const checks of this.#checks) checks.stepped();
    });
  }

  #calm(): void {
    this.#world.calmSinceMs = this.#world.nowMs;
    for (const namespace of this.#namespaces) {
      namespace.downUntilMs = 0;
      for (const { object } of namespace.members) object.settle();
    }
  }

  #trouble(): void {
    this.#world.calmSinceMs = null;
  }

  #checkWindowBefore(endMs: number): void {
    for (const namespace of this.#namespaces) checkWindow(this.#world, namespace, this.#windowAt(endMs - 1));
  }

  #windowAt(atMs: number): Window {
    return windowOf(atMs, this.#world.plan.settings.windowMs);
  }

  /** What an operator does after a restore: an idle shard would not speak to its coordinator by itself. */
  #rollUpAll(): void {
    for (const { object } of this.#namespaces.flatMap(({ shards }) => shards)) {
      const rollUp = async (): Promise<void> => {
        for (let touch = 0; touch < MAX_TOUCHES; touch++) {
          const result = await object.handle(({ quota }) => quota.rollUp());
          if (result !== GONE && result.ok) return;
        }
      };
      void rollUp();
    }
  }
}
