// Which object holds which partition. An object is found by a name made from its partition, and it
// keeps its own identity from its first write on, because the runtime does not tell every object its
// name: not one reached by an id in text, and not on every alarm.
// https://developers.cloudflare.com/durable-objects/api/id/#name
import { decodePartition, encodePartition, type Partition, type RefPartition } from "../core/partition.ts";

const IDENTITY_KEY = "namespace-quota:partition";
const SEPARATOR = "\n";

export type ObjectPartition = RefPartition | { readonly kind: "coordinator"; readonly ns: string };

/** The name is injective because no part may hold a line feed. */
export function objectName(partition: ObjectPartition): string {
  if (partition.kind === "coordinator") return `c:${partition.ns}`;
  return `r:${[partition.ns, partition.repo, partition.ref].join(SEPARATOR)}`;
}

/** The partition an object of this name holds; null for a name that is not one of ours. */
export function partitionOfName(name: string): ObjectPartition | null {
  const [ns, repo, ref, ...rest] = name.slice(2).split(SEPARATOR);
  if (ns === undefined || ns === "" || rest.length > 0) return null;
  if (name.startsWith("c:")) return repo === undefined ? { kind: "coordinator", ns } : null;
  if (!name.startsWith("r:") || !repo || !ref) return null;
  return { kind: "ref", ns, repo, ref };
}

/** The stored identity, or what the object's name says; null when neither is there. Writes nothing. */
export function readIdentity(ctx: DurableObjectState): Partition | null {
  const stored = ctx.storage.kv.get<Uint8Array>(IDENTITY_KEY);
  if (stored !== undefined) return decodePartition(stored);
  return ctx.id.name === undefined ? null : partitionOfName(ctx.id.name);
}

export function rememberIdentity(storage: DurableObjectStorage, partition: Partition): void {
  storage.kv.put(IDENTITY_KEY, encodePartition(partition));
}

/** Whether anything but the identity is kept in the object's key-value storage. */
export function hasForeignKeys(storage: DurableObjectStorage): boolean {
  for (const [key] of storage.kv.list({ limit: 2 })) if (key !== IDENTITY_KEY) return true;
  return false;
}
