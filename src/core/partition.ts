// A partition is the unit of atomicity, and its encoding is the identity of an object: injective,
// self-delimiting, and the same in keys, logs and storage. `ref` owns one ref of one repo,
// `coordinator` a namespace's totals, `namespace` a whole unsharded namespace.

export type Partition =
  | { readonly kind: "namespace"; readonly ns: string }
  | { readonly kind: "coordinator"; readonly ns: string }
  | RefPartition;

export interface RefPartition {
  readonly kind: "ref";
  readonly ns: string;
  readonly repo: string;
  readonly ref: string;
}

const TERMINATOR = "\0";
const encoder = new TextEncoder();
// ignoreBOM keeps a leading U+FEFF: dropping it would make two names share one partition.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** `<kind letter>` and then each part ended by a NUL. Throws RangeError for a part that cannot be one. */
export function encodePartition(partition: Partition): Uint8Array {
  const parts = partitionParts(partition);
  for (const part of parts) {
    if (!isPart(part)) throw new RangeError("a partition's parts are non-empty text without NUL");
  }
  return encoder.encode(kindLetter(partition.kind) + parts.map((part) => part + TERMINATOR).join(""));
}

/** The partition that encodes to exactly these bytes; null when there is none. */
export function decodePartition(bytes: Uint8Array): Partition | null {
  const text = decodeText(bytes);
  if (text === null || !text.endsWith(TERMINATOR)) return null;
  const [ns, repo, ref, ...rest] = text.slice(1, -1).split(TERMINATOR);
  if (ns === undefined || rest.length > 0) return null;
  if (![ns, repo, ref].every((part) => part === undefined || isPart(part))) return null;
  if (text[0] === "r") return repo === undefined || ref === undefined ? null : { kind: "ref", ns, repo, ref };
  if (repo !== undefined) return null;
  if (text[0] === "c") return { kind: "coordinator", ns };
  if (text[0] === "n") return { kind: "namespace", ns };
  return null;
}

function kindLetter(kind: Partition["kind"]): string {
  switch (kind) {
    case "namespace":
      return "n";
    case "coordinator":
      return "c";
    case "ref":
      return "r";
  }
}

function partitionParts(partition: Partition): readonly string[] {
  return partition.kind === "ref" ? [partition.ns, partition.repo, partition.ref] : [partition.ns];
}

function isPart(part: string): boolean {
  return part !== "" && !part.includes(TERMINATOR) && part.isWellFormed();
}

function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}
