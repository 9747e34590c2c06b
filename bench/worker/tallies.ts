// What the counting objects of this isolate have done. Kept outside the objects, so that it survives them,
// and by namespace, so that scenarios do not count each other.

export interface Tally {
  /** Rows that SQL statements report as written, and one for each value put by key. */
  rows: number;
  /** Each is billed as a row written. */
  alarmsSet: number;
  alarmsRun: number;
  alarmsEnded: number;
  /** Alarms that left the object without another: all that it had to do is done. */
  lastAlarms: number;
  /** Charges at a shard, pushes at a coordinator. */
  calls: number;
  /** Pushes at a coordinator from a shard with no alarm under way: a charge asked for a view. */
  asks: number;
}

export interface Tallies {
  readonly shards: Tally;
  readonly coordinator: Tally;
}

const tallies = new Map<string, Tallies>();
/** An object woken by its alarm is not told its name. */
const namespaceOfId = new Map<string, string>();
/** Encoded partitions, as hex, of the shards whose alarm is under way. */
export const shardsInAlarm = new Set<string>();

export function talliesOf(ns: string): Tallies {
  const known = tallies.get(ns) ?? { shards: emptyTally(), coordinator: emptyTally() };
  tallies.set(ns, known);
  return known;
}

/** A copy that later counting does not move. */
export function snapshotOf(ns: string): Tallies {
  return structuredClone(talliesOf(ns));
}

export function difference(after: Tallies, before: Tallies): Tallies {
  return {
    shards: minus(after.shards, before.shards),
    coordinator: minus(after.coordinator, before.coordinator),
  };
}

/** The namespace of an object whose name is `c:<ns>` or `r:<ns>\n…`. */
export function namespaceOf(id: DurableObjectId): string {
  const key = id.toString();
  const ns = id.name?.slice(2).split("\n")[0] ?? namespaceOfId.get(key) ?? "unknown";
  namespaceOfId.set(key, ns);
  return ns;
}

function emptyTally(): Tally {
  return { rows: 0, alarmsSet: 0, alarmsRun: 0, alarmsEnded: 0, lastAlarms: 0, calls: 0, asks: 0 };
}

function minus(after: Tally, before: Tally): Tally {
  return {
    rows: after.rows - before.rows,
    alarmsSet: after.alarmsSet - before.alarmsSet,
    alarmsRun: after.alarmsRun - before.alarmsRun,
    alarmsEnded: after.alarmsEnded - before.alarmsEnded,
    lastAlarms: after.lastAlarms - before.lastAlarms,
    calls: after.calls - before.calls,
    asks: after.asks - before.asks,
  };
}
