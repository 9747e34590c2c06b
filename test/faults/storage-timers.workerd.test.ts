// Storage that fails at each write of a rollup, an expiry or a change of limits in turn, in workerd, on either
// side. The alarm survives, usage arrives once, and an ended window goes in the end.
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { RefShard } from "../../src/objects/ref-shard.ts";
import { call, type Reply } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";
import {
  chargeNamespace,
  chargeOnce,
  charge,
  expectAlarmForTimers,
  expectTotal,
  failAt,
  failuresOf,
  type Path,
} from "./paths.ts";
import { type AnyStub, fireAlarm, moveToPast } from "./time-machine.ts";

type Fired = "fired" | "threw";

/** The platform runs an alarm again when it threw; here that is up to the test. */
async function fire(stub: AnyStub): Promise<Fired> {
  try {
    expect(await fireAlarm(stub)).toBe(true);
    return "fired";
  } catch {
    return "threw";
  }
}

function runAgain(stub: AnyStub): Promise<void> {
  return runInDurableObject(stub as DurableObjectStub<RefShard>, (instance) => instance.alarm());
}

interface TimerPath extends Path<Fired> {
  /** Runs once storage works again, and says what must be true then. */
  readonly settle: (ns: string) => Promise<void>;
}

async function chargeAndRollUp(ns: string): Promise<void> {
  await chargeOnce(ns);
  await fireAlarm(shardOf(ns));
}

async function endWindow(ns: string): Promise<void> {
  await chargeOnce(ns);
  await charge(ns, "key");
  await fireAlarm(shardOf(ns));
  await moveToPast(shardOf(ns));
  await moveToPast(coordinatorOf(ns));
}

async function untilEmpty(stub: AnyStub): Promise<void> {
  for (let tick = 0; tick < 3 && (await storedIn(stub)).alarmMs !== null; tick++) await fireAlarm(stub);
  expect(await storedIn(stub)).toEqual(NOTHING_STORED);
}

const TIMERS: Readonly<Record<string, TimerPath>> = {
  "a shard's first rollup": {
    object: shardOf,
    prepare: chargeOnce,
    act: (ns) => fire(shardOf(ns)),
    writes: ["INSERT", "DELETE", "INSERT", "COMMIT", "setAlarm"],
    settle: async (ns) => {
      await fireAlarm(shardOf(ns));
      await expectTotal(ns, 1n, 1n);
    },
  },
  "a shard's later rollup": {
    object: shardOf,
    prepare: async (ns) => {
      await chargeAndRollUp(ns);
      await chargeOnce(ns);
    },
    act: (ns) => fire(shardOf(ns)),
    writes: ["INSERT", "DELETE", "INSERT", "COMMIT", "setAlarm"],
    settle: async (ns) => {
      await fireAlarm(shardOf(ns));
      await expectTotal(ns, 2n, 1n);
    },
  },
  "the coordinator's part of a first rollup": {
    object: coordinatorOf,
    prepare: chargeOnce,
    act: (ns) => fire(shardOf(ns)),
    writes: ["CREATE", "kv.put", "INSERT", "INSERT", "INSERT", "COMMIT", "setAlarm", "sync"],
    settle: async (ns) => {
      await fireAlarm(shardOf(ns));
      await expectTotal(ns, 1n, 1n);
    },
  },
  "the coordinator's part of a later rollup": {
    object: coordinatorOf,
    prepare: async (ns) => {
      await chargeAndRollUp(ns);
      await chargeOnce(ns);
    },
    act: (ns) => fire(shardOf(ns)),
    writes: ["INSERT", "INSERT", "COMMIT", "sync"],
    settle: async (ns) => {
      await fireAlarm(shardOf(ns));
      await expectTotal(ns, 2n, 1n);
    },
  },
  "the end of a window at a shard": {
    object: shardOf,
    prepare: endWindow,
    act: (ns) => fire(shardOf(ns)),
    writes: ["DELETE", "DELETE", "DELETE", "DELETE", "DELETE", "COMMIT", "deleteAll"],
    settle: async (ns) => {
      await untilEmpty(shardOf(ns));
      await untilEmpty(coordinatorOf(ns));
      await chargeOnce(ns);
    },
  },
  "a shard's last push at its coordinator": {
    object: coordinatorOf,
    prepare: endWindow,
    act: (ns) => fire(shardOf(ns)),
    writes: ["DELETE", "DELETE", "COMMIT", "sync"],
    settle: async (ns) => {
      await untilEmpty(shardOf(ns));
      await untilEmpty(coordinatorOf(ns));
    },
  },
  "the end of a window at a coordinator": {
    object: coordinatorOf,
    prepare: async (ns) => {
      await chargeNamespace(ns);
      await moveToPast(coordinatorOf(ns));
    },
    act: (ns) => fire(coordinatorOf(ns)),
    writes: ["DELETE", "DELETE", "deleteAll"],
    settle: async (ns) => {
      await untilEmpty(coordinatorOf(ns));
      expect((await chargeNamespace(ns)).body["usage"]).toEqual({ ops: 1n, bytes: 10n });
    },
  },
};

describe.each(Object.entries(TIMERS))("%s", (_name, path) => {
  it("makes these writes", async () => {
    const { ns, answer, writes } = await failAt(path, 0, "");
    expect([answer, writes]).toEqual(["fired", path.writes]);
    await expectAlarmForTimers(path.object(ns));
    await path.settle(ns);
  });

  const failures = failuresOf(path.writes);
  it.each(failures)("arrives once when write $failing, $write, fails: $message", async (failure) => {
    const { ns, answer } = await failAt(path, failure.failing, failure.message);
    // An object that has nothing left but its empty table may throw: the platform then runs the alarm again.
    expect(answer).toBe(failure.write === "deleteAll" ? "threw" : "fired");
    if (answer === "threw") await runAgain(path.object(ns));
    await expectAlarmForTimers(path.object(ns));
    await path.settle(ns);
  });
});

describe("a namespace's limits", () => {
  const own = { maxOps: 5n, maxBytes: null, source: "namespace" };
  const limits: Path<Reply> = {
    object: coordinatorOf,
    prepare: async () => {},
    act: (ns) => call(`/v1/namespaces/${ns}/limits`, { method: "PUT", body: '{"maxOps":5,"maxBytes":null}' }),
    writes: ["CREATE", "kv.put", "INSERT", "COMMIT", "sync"],
  };

  it("make these writes", async () => {
    const { answer, writes } = await failAt(limits, 0, "");
    expect([answer.body, writes]).toEqual([own, limits.writes]);
  });

  it.each(failuresOf(limits.writes))("are set or answered 503 when write $failing, $write, fails", async (failure) => {
    const { ns, answer } = await failAt(limits, failure.failing, failure.message);
    expect([answer.status, answer.body["code"]]).toEqual([503, "unavailable"]);
    expect((await limits.act(ns)).body).toEqual(own);
    expect((await call(`/v1/namespaces/${ns}/limits`)).body).toEqual(own);
  });
});
