// Storage that fails at each write of a charge in turn, in workerd. The charge is answered 503 or counted, a
// timer that is stored has its alarm, and once storage works again the total is what was admitted.
import { describe, expect, it } from "vitest";
import { call, refPath, type Reply } from "../runtime/api.ts";
import { coordinatorOf, shardOf } from "../runtime/objects.ts";
import {
  charge,
  chargeNamespace,
  chargeOnce,
  expectAlarmForTimers,
  expectTotal,
  failAt,
  failuresOf,
  type Path,
  rollUp,
} from "./paths.ts";
import { fireAlarm } from "./time-machine.ts";

interface ChargePath extends Path<Reply> {
  /** Charges made before the one that fails. */
  readonly before: bigint;
  readonly sources: bigint;
}

const ON_SHARD = { object: shardOf, sources: 1n };
const FRESH = { before: 0n, prepare: async (): Promise<void> => {} };
const CHARGED = { before: 1n, prepare: chargeOnce };

const CHARGES: Readonly<Record<string, ChargePath>> = {
  "the first charge of a shard": {
    ...ON_SHARD,
    ...FRESH,
    writes: ["CREATE", "kv.put", "INSERT", "INSERT", "COMMIT", "setAlarm", "sync"],
    act: (ns) => charge(ns),
  },
  "a later charge": {
    ...ON_SHARD,
    ...CHARGED,
    writes: ["INSERT", "sync"],
    act: (ns) => charge(ns),
  },
  "a charge after the timer has slid away": {
    ...ON_SHARD,
    before: 1n,
    prepare: async (ns) => {
      await chargeOnce(ns);
      await fireAlarm(shardOf(ns));
      await fireAlarm(shardOf(ns));
    },
    writes: ["DELETE", "INSERT", "INSERT", "COMMIT", "setAlarm", "sync"],
    act: (ns) => charge(ns),
  },
  "a charge with a key": {
    ...ON_SHARD,
    ...CHARGED,
    writes: ["INSERT", "INSERT", "COMMIT", "sync"],
    act: (ns) => charge(ns, "key"),
  },
  "a ref move": {
    ...ON_SHARD,
    ...CHARGED,
    writes: ["INSERT", "INSERT", "COMMIT", "sync"],
    act: (ns) => call(refPath(ns), { method: "PUT", body: `{"target":"${"a".repeat(40)}","bytes":10}` }),
  },
  "the first charge of a namespace": {
    ...FRESH,
    object: coordinatorOf,
    sources: 0n,
    writes: ["CREATE", "kv.put", "INSERT", "INSERT", "COMMIT", "setAlarm", "sync"],
    act: chargeNamespace,
  },
};

/** A failed write of these is answered 200: the charge is stored, and its alarm is repaired. */
const REPAIRED = ["setAlarm"];

describe.each(Object.entries(CHARGES))("%s", (_name, path) => {
  it("makes these writes", async () => {
    const { ns, answer, writes } = await failAt(path, 0, "");
    expect([answer.status, writes]).toEqual([200, path.writes]);
    await expectAlarmForTimers(path.object(ns));
  });

  const failures = failuresOf(path.writes);
  it.each(failures)("is counted or answered 503 when write $failing, $write, fails: $message", async (failure) => {
    const { ns, answer } = await failAt(path, failure.failing, failure.message);
    const isCounted = REPAIRED.includes(failure.write);
    if (isCounted) expect(answer.status).toBe(200);
    else {
      expect(answer.headers.get("Retry-After")).toBe("1");
      expect(answer.body).toEqual({
        type: "urn:namespace-quota:problem:unavailable",
        title: "The service is not available at the moment",
        status: 503n,
        detail: "The request could not be completed. Try again later, with an Idempotency-Key if it must count once.",
        code: "unavailable",
      });
    }
    await expectAlarmForTimers(path.object(ns));
    if (!isCounted) expect((await path.act(ns)).status).toBe(200);
    await rollUp(ns);
    // What was written before a sync that failed is there: only a charge with a key can tell, and was made once.
    const isStoredUnheard = failure.write === "sync" && path.act !== CHARGES["a charge with a key"]?.act;
    await expectTotal(ns, path.before + (isStoredUnheard ? 2n : 1n), path.sources);
  });
});
