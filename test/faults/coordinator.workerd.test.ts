// A coordinator that fails in every way a call can, in workerd: charges go on under the local cap within the
// deadline, the shard's alarm survives, and its usage arrives once when the coordinator is back.
import { describe, expect, it } from "vitest";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, shardOf, storedIn } from "../runtime/objects.ts";
import { charge, expectTotal, rollUp } from "./paths.ts";
import { type CallFault, type FaultPlan, planOf } from "./plan.ts";
import { fireAlarm, timersIn } from "./time-machine.ts";

const DEADLINE_MS = 150;
/** Room for a slow machine, far below what a charge would take if it waited twice. */
const SLACK_MS = 1_000;
const HANG_MS = 2_000;

function flagged(flags: Readonly<Record<string, boolean>>): CallFault {
  return async () => {
    throw Object.assign(new Error("not now"), flags);
  };
}

const FAULTS: Readonly<Record<string, CallFault>> = {
  throws: flagged({}),
  "is overloaded": flagged({ overloaded: true, retryable: true }),
  "fails where it may be tried again": flagged({ retryable: true }),
  "hangs past the deadline": async (proceed) => {
    await scheduler.wait(HANG_MS);
    return proceed();
  },
  "is aborted before it applies": async (_proceed, ctx) => {
    ctx.abort("aborted before");
    await scheduler.wait(HANG_MS);
  },
  "is aborted after it has applied": async (proceed, ctx) => {
    await proceed();
    ctx.abort("aborted after");
    await scheduler.wait(HANG_MS);
  },
  "applies and loses its reply": async (proceed) => {
    await proceed();
    throw Object.assign(new Error("the reply was lost"), { retryable: true });
  },
  "applies each call twice": async (proceed) => {
    await proceed();
    return proceed();
  },
};

/** Of these the charge gets its view all the same. */
const ANSWERING = new Set(["applies each call twice"]);

function broken(ns: string, fault: CallFault): FaultPlan {
  const plan = planOf(coordinatorOf(ns).id);
  plan.onCall = fault;
  return plan;
}

describe.each(Object.entries(FAULTS))("a coordinator that %s", (name, fault) => {
  it("denies no charge and slows none by more than the deadline", async () => {
    const ns = freshNamespace();
    broken(ns, fault);
    const status = ANSWERING.has(name) ? "fresh" : "missing";
    for (const ops of [1n, 2n, 3n]) {
      const beganAtMs = performance.now();
      const { status: code, body } = await charge(ns);
      expect([code, body["usage"]]).toEqual([200, { ops, bytes: ops * 10n }]);
      expect(body["view"]).toMatchObject({ status });
      expect(performance.now() - beganAtMs).toBeLessThan(DEADLINE_MS + SLACK_MS);
    }
  });

  it("costs a shard no usage, no timer and no alarm, and the same instance delivers once it is back", async () => {
    const ns = freshNamespace();
    for (let ops = 0; ops < 3; ops++) await charge(ns);
    const plan = broken(ns, fault);
    await fireAlarm(shardOf(ns));
    const stored = await storedIn(shardOf(ns));
    expect([timersIn(stored), (stored.alarmMs ?? 0) > Date.now()]).toEqual([1, true]);
    await charge(ns);
    await fireAlarm(shardOf(ns));
    plan.heal();
    const { instances } = planOf(shardOf(ns).id);
    await rollUp(ns);
    expect(planOf(shardOf(ns).id).instances).toBe(instances);
    await expectTotal(ns, 4n, 1n);
  });
});

it("an overloaded coordinator is called once for a charge and once for a rollup", async () => {
  const ns = freshNamespace();
  const plan = broken(ns, FAULTS["is overloaded"] ?? flagged({}));
  await charge(ns);
  expect(plan.calls).toEqual(["push"]);
  await fireAlarm(shardOf(ns));
  expect(plan.calls).toEqual(["push", "push"]);
});

it("a coordinator that may be tried again is called three times, no more", async () => {
  const ns = freshNamespace();
  const plan = broken(ns, flagged({ retryable: true }));
  expect((await post(`${refPath(ns)}/rollup`)).status).toBe(503);
  expect(plan.calls).toEqual(["push", "push", "push"]);
});

it("a rollup that an admin asks for while the coordinator is down is 503, and delivers afterwards", async () => {
  const ns = freshNamespace();
  await charge(ns);
  const plan = broken(ns, flagged({}));
  const reply = await post(`${refPath(ns)}/rollup`);
  expect([reply.status, reply.body["code"], reply.headers.get("Retry-After")]).toEqual([503, "unavailable", "1"]);
  plan.heal();
  expect((await post(`${refPath(ns)}/rollup`)).status).toBe(200);
  await expectTotal(ns, 1n, 1n);
});

describe("a shard that", () => {
  const aborting: CallFault = async (proceed, ctx) => {
    await proceed();
    ctx.abort("aborted");
    await scheduler.wait(HANG_MS);
  };

  it("is overloaded is 503 with Retry-After, and is left alone whatever was asked", async () => {
    const ns = freshNamespace();
    const plan = planOf(shardOf(ns).id);
    plan.onCall = flagged({ overloaded: true, retryable: true });
    const target = { method: "PUT", body: `{"target":"${"a".repeat(40)}"}`, headers: { "Idempotency-Key": "k" } };
    for (const reply of [await charge(ns), await charge(ns, "key"), await call(refPath(ns), target)]) {
      expect([reply.status, reply.body["code"], reply.headers.get("Retry-After")]).toEqual([503, "unavailable", "1"]);
    }
    expect((await call(`${refPath(ns)}/usage`)).status).toBe(503);
    expect(plan.calls).toEqual(["charge", "charge", "move", "usage"]);
  });

  it("may be tried again is, for a charge with a key or a read, and not for one without", async () => {
    const ns = freshNamespace();
    const plan = planOf(shardOf(ns).id);
    plan.onCall = flagged({ retryable: true });
    for (const act of [() => charge(ns), () => charge(ns, "key"), () => call(`${refPath(ns)}/usage`)]) {
      expect((await act()).status).toBe(503);
    }
    expect(plan.calls).toEqual(["charge", "charge", "charge", "charge", "usage", "usage", "usage"]);
  });

  it("has a fault of its own is 500, never allowed", async () => {
    const ns = freshNamespace();
    planOf(shardOf(ns).id).onCall = async () => {
      throw new TypeError("undefined is not a function");
    };
    const reply = await charge(ns);
    expect([reply.status, reply.body["code"], reply.body["detail"]]).toEqual([
      500,
      "internal",
      "The request could not be handled.",
    ]);
    planOf(shardOf(ns).id).heal();
    expect((await call(`${refPath(ns)}/usage`)).body["usage"]).toEqual({ ops: 0n, bytes: 0n });
  });

  it("is hit by a fault that the runtime hides is 503", async () => {
    const ns = freshNamespace();
    planOf(shardOf(ns).id).onCall = async () => {
      throw new Error("internal error; reference = 0a1b2c3d");
    };
    const reply = await charge(ns);
    expect([reply.status, reply.body["code"], reply.headers.get("Retry-After")]).toEqual([503, "unavailable", "1"]);
  });

  it("is aborted after each charge counts a charge once for its key, however often it is sent", async () => {
    const ns = freshNamespace();
    const plan = planOf(shardOf(ns).id);
    plan.onCall = aborting;
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) statuses.push((await charge(ns, "key")).status);
    plan.heal();
    const answered = await charge(ns, "key");
    expect([statuses, answered.status, answered.headers.get("Idempotent-Replayed")]).toEqual([
      [503, 503, 503],
      200,
      "true",
    ]);
    await rollUp(ns);
    await expectTotal(ns, 1n, 1n);
  });

  it("is aborted before its charge is written has counted nothing", async () => {
    const ns = freshNamespace();
    const plan = planOf(shardOf(ns).id);
    plan.onCall = async (proceed, ctx) => {
      void proceed().catch(() => {});
      ctx.abort("aborted");
      await scheduler.wait(HANG_MS);
    };
    expect((await charge(ns)).status).toBe(503);
    plan.heal();
    expect((await charge(ns)).body["usage"]).toEqual({ ops: 1n, bytes: 10n });
  });

  it("is aborted after its charge is written and answered, but not durable, has answered nobody and counted nothing", async () => {
    const ns = freshNamespace();
    for (let count = 0; count < 20; count++) await charge(ns);
    const plan = planOf(shardOf(ns).id);
    plan.heal();
    let written: readonly string[] = [];
    plan.onCall = async (proceed, ctx) => {
      const answer = await proceed();
      written = [...plan.writes];
      ctx.abort("aborted");
      return answer;
    };
    expect((await charge(ns)).status).toBe(503);
    expect(written).toEqual(["INSERT"]);
    plan.heal();
    expect((await charge(ns)).body["usage"]).toEqual({ ops: 21n, bytes: 210n });
  });

  it("gets the same call twice counts it once", async () => {
    const ns = freshNamespace();
    planOf(shardOf(ns).id).onCall = async (proceed) => {
      const [first, second] = await Promise.all([proceed(), proceed()]);
      expect(second).toEqual(first);
      return first;
    };
    expect((await charge(ns)).body["usage"]).toEqual({ ops: 1n, bytes: 10n });
    expect((await charge(ns)).body["usage"]).toEqual({ ops: 2n, bytes: 20n });
  });
});
