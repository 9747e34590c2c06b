// What happens to objects from outside: crashes, clock steps, outages, restores, and changes of limits.
import type { Limits } from "../../src/core/usage.ts";
import type { Fuse } from "./instance-store.ts";
import type { Member, SimulatedNamespace } from "./namespace.ts";
import { countedIn, windowsIn } from "./stored.ts";
import type { World } from "./world.ts";

const MAX_SNAPSHOTS = 6;
const MAX_FUSE_BATCHES = 3;
/** Longest outage, in periods. */
const OUTAGE_PERIODS = 1.5;

export class Incidents {
  allowRestores = false;
  readonly #world: World;
  readonly #namespaces: readonly SimulatedNamespace[];
  readonly #untilMs: number;

  constructor(world: World, namespaces: readonly SimulatedNamespace[], untilMs: number) {
    this.#world = world;
    this.#namespaces = namespaces;
    this.#untilMs = untilMs;
  }

  start(): void {
    const { crashMs, clockStepMs, outageMs, restoreMs, limitsMs } = this.#world.plan.gaps;
    this.#repeat(crashMs, (namespace) => this.#crash(this.#anyMember(namespace)));
    this.#repeat(clockStepMs, (namespace) => this.#stepClock(this.#anyMember(namespace)));
    this.#repeat(outageMs, (namespace) => this.#outage(namespace));
    this.#repeat(limitsMs, (namespace) => this.#changeLimits(namespace), "always");
    if (restoreMs === null) return;
    this.#repeat(restoreMs, (namespace) => this.#restore(this.#anyMember(namespace)));
    this.#repeat(this.#world.plan.settings.rollupMs, (namespace) => this.#snapshot(namespace), "always");
  }

  /** In each namespace, at random and, unless always, only while there are faults. */
  #repeat(gapMs: number | null, happen: (namespace: SimulatedNamespace) => void, when?: "always"): void {
    if (gapMs === null) return;
    for (const namespace of this.#namespaces) {
      const next = (): void => {
        this.#world.time.after(this.#world.random.gapMs(gapMs), () => {
          if (this.#world.nowMs >= this.#untilMs) return;
          if (when === "always" || this.#world.calmSinceMs === null) happen(namespace);
          next();
        });
      };
      next();
    }
  }

  #anyMember(namespace: SimulatedNamespace): Member {
    const { random } = this.#world;
    if (random.chance(0.3)) return namespace.coordinator;
    return namespace.members[random.integer(0, namespace.shards.length)] ?? namespace.coordinator;
  }

  #crash(member: Member): void {
    const { random } = this.#world;
    member.isDirty = true;
    if (random.chance(0.3)) return member.object.crash();
    const side: Fuse["side"] = random.pick(["before", "after"]);
    member.object.lightFuse({ batches: random.integer(0, MAX_FUSE_BATCHES), side });
  }

  #stepClock(member: Member): void {
    const { maxSkewMs } = this.#world.plan;
    if (maxSkewMs > 0) member.object.stepClock(this.#world.random.integer(-maxSkewMs, maxSkewMs));
  }

  #outage(namespace: SimulatedNamespace): void {
    this.#world.count("outage");
    const longestMs = OUTAGE_PERIODS * this.#world.plan.settings.rollupMs;
    namespace.downUntilMs = this.#world.nowMs + this.#world.random.integer(1, longestMs);
  }

  #changeLimits({ coordinator }: SimulatedNamespace): void {
    this.#world.count("limits");
    const limits = this.#drawLimits();
    void coordinator.object.handle(({ quota }) => quota.setLimits(limits));
  }

  #drawLimits(): Limits | null {
    const { random, plan } = this.#world;
    if (random.chance(0.3)) return null;
    const expected = BigInt(plan.shards * 20);
    return {
      maxOps: random.pick([null, expected, expected / 2n, expected * 2n, 0n]),
      maxBytes: random.pick([null, expected * 400n]),
    };
  }

  #snapshot(namespace: SimulatedNamespace): void {
    for (const { object, snapshots } of namespace.members) {
      snapshots.push(object.storage.snapshot());
      if (snapshots.length > MAX_SNAPSHOTS) snapshots.splice(this.#world.random.integer(0, MAX_SNAPSHOTS), 1);
    }
  }

  #restore(member: Member): void {
    const [first, ...others] = member.snapshots;
    if (!this.allowRestores || first === undefined) return;
    const snapshot = this.#world.random.pick([first, ...others]);
    member.object.restore(snapshot);
    const { rows } = member.object.storage;
    const counted = windowsIn(rows).map(
      (window) => [window, countedIn(rows, member.object.partition, window)] as const,
    );
    member.ledger.restore(new Map(counted));
    member.isDirty = true;
  }
}
