// Counts what the objects really do: rows written by their statements, alarms set and run, calls between
// them. It watches the platform's own methods, so nothing under test is replaced.
import { decodePartition } from "../../src/core/partition.ts";
import { readIdentity } from "../../src/objects/identity.ts";
import { NamespaceCoordinator } from "../../src/objects/namespace-coordinator.ts";
import { RefShard } from "../../src/objects/ref-shard.ts";

export interface Counts {
  /** Rows written by SQL, as the platform bills them. */
  rows: number;
  alarmsSet: number;
}

interface Metered {
  readonly storage: DurableObjectStorage;
  readonly counts: Counts;
}

const metered: Metered[] = [];

/** What an object has done since it was first metered; call it again for the newest figures. */
export function meter(storage: DurableObjectStorage): Counts {
  const known = metered.find((entry) => entry.storage === storage);
  if (known !== undefined) return { ...known.counts };
  const counts: Counts = { rows: 0, alarmsSet: 0 };
  metered.push({ storage, counts });
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  Object.defineProperty(sql, "exec", {
    value: (query: string, ...bindings: unknown[]) => {
      const cursor = exec(query, ...bindings);
      counts.rows += cursor.rowsWritten;
      return cursor;
    },
  });
  const setAlarm = storage.setAlarm.bind(storage);
  Object.defineProperty(storage, "setAlarm", {
    value: (time: number | Date) => {
      counts.alarmsSet++;
      return setAlarm(time);
    },
  });
  return { ...counts };
}

export interface Calls {
  /** Alarms of the namespace's ref shards. */
  alarmsRun: number;
  /** Pushes to its coordinator. */
  pushes: number;
}

const callsOf = new Map<string, Calls>();

/** Alarms and pushes of one namespace so far. */
export function callsIn(ns: string): Readonly<Calls> {
  return { ...callsFor(ns) };
}

function callsFor(ns: string | undefined): Calls {
  const known = callsOf.get(ns ?? "");
  if (known !== undefined) return known;
  const calls: Calls = { alarmsRun: 0, pushes: 0 };
  callsOf.set(ns ?? "", calls);
  return calls;
}

// oxlint-disable-next-line typescript/unbound-method -- called with `this` below
const { push } = NamespaceCoordinator.prototype;
NamespaceCoordinator.prototype.push = function countedPush(given) {
  callsFor(decodePartition(given.source)?.ns).pushes++;
  return push.call(this, given);
};

// oxlint-disable-next-line typescript/unbound-method -- called with `this` below
const { alarm } = RefShard.prototype;
RefShard.prototype.alarm = function countedAlarm() {
  const { ctx } = this as unknown as { ctx: DurableObjectState };
  callsFor(readIdentity(ctx)?.ns).alarmsRun++;
  return alarm.call(this);
};
