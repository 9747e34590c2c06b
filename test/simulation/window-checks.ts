// What must hold of a window once it has come to rest (G3, G6), and of what is stored after it (G8).
import { equalBytes, toHex } from "../../src/core/bytes.ts";
import { LIMITS_KEY, REF_TARGET_KEY } from "../../src/core/keys.ts";
import { encodePartition } from "../../src/core/partition.ts";
import { sameUsage, type Usage, ZERO_USAGE } from "../../src/core/usage.ts";
import type { Window } from "../../src/core/window.ts";
import type { Member, SimulatedNamespace } from "./namespace.ts";
import { nameOf } from "./step-checks.ts";
import { contributionsIn, countedIn, windowsIn } from "./stored.ts";
import type { World } from "./world.ts";

/** After the window's end, when every shard has rolled up, and before it expires anywhere. */
export function checkWindow(world: World, namespace: SimulatedNamespace, window: Window): void {
  for (const member of namespace.members) checkLedger(world, member, window);
  checkContributions(world, namespace, window);
  checkGone(world, namespace, window);
}

/** Nothing of earlier windows is stored. */
export function checkGone(world: World, namespace: SimulatedNamespace, before: Window): void {
  for (const member of namespace.members) {
    const older = windowsIn(member.object.storage.rows).filter((window) => window < before);
    world.expect(older.length === 0, "G8", () => `${nameOf(member)}: window ${older[0]} is still stored`);
  }
}

/** After the last window's expiry. A namespace's limits and a ref's target belong to no window. */
export function checkNothingLeft(world: World, namespace: SimulatedNamespace): void {
  for (const member of namespace.members) {
    const kept = member === namespace.coordinator ? LIMITS_KEY : REF_TARGET_KEY;
    const left = member.object.rows.filter(({ key }) => !equalBytes(key, kept));
    const { alarmMs } = member.object.storage;
    world.expect(
      left.length === 0,
      "G8",
      () => `${nameOf(member)}: left ${left.map(({ key }) => toHex(key)).join(" ")}`,
    );
    world.expect(alarmMs === null, "G8", () => `${nameOf(member)}: an alarm at ${alarmMs} for nothing`);
  }
}

/** The object counted what it admitted, to the byte. */
function checkLedger(world: World, member: Member, window: Window): void {
  const counted = countedIn(member.object.storage.rows, member.object.partition, window);
  const { min, max } = member.ledger.countedIn(window);
  world.count("admitted", Number(counted.ops));
  world.count("uncertain", Number(max.ops - min.ops));
  const holds = isBetween(counted, min, max);
  world.expect(
    holds,
    "G3",
    () => `${nameOf(member)}: window ${window} counts ${show(counted)}, admitted were ${show(min)} to ${show(max)}`,
  );
}

/** The coordinator holds of each shard what the shard holds, and of nobody else. */
function checkContributions(world: World, namespace: SimulatedNamespace, window: Window): void {
  const contributions = new Map<string, Usage>();
  for (const { source, usage } of contributionsIn(namespace.coordinator.object.storage.rows, window)) {
    world.expect(source?.ns === namespace.ns, "G6", () => `${namespace.ns}: a contribution of ${source?.ns}`);
    if (source !== null) contributions.set(toHex(encodePartition(source)), usage);
  }
  for (const shard of namespace.shards) {
    const { partition, storage } = shard.object;
    const id = toHex(encodePartition(partition));
    const usage = countedIn(storage.rows, partition, window);
    const contribution = contributions.get(id) ?? ZERO_USAGE;
    contributions.delete(id);
    world.expect(
      sameUsage(usage, contribution),
      "G3",
      () => `${nameOf(shard)}: window ${window} counts ${show(usage)}, contributed ${show(contribution)}`,
    );
  }
  world.expect(contributions.size === 0, "G6", () => `${namespace.ns}: contributions of shards that are none of it`);
}

function isBetween(usage: Usage, min: Usage, max: Usage): boolean {
  return usage.ops >= min.ops && usage.ops <= max.ops && usage.bytes >= min.bytes && usage.bytes <= max.bytes;
}

function show({ ops, bytes }: Usage): string {
  return `${ops} ops ${bytes} bytes`;
}
