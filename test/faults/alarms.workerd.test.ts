// Alarms deleted, late, early and twice, and an object that is evicted between every two steps, in workerd.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";
import { charge, chargeNamespace, expectAlarmForTimers, expectTotal } from "./paths.ts";
import { planOf } from "./plan.ts";
import { type AnyStub, fireAlarm, makeDue, moveToPast, runAlarm, timersIn } from "./time-machine.ts";

async function deleteAlarm(stub: AnyStub): Promise<void> {
  await runInDurableObject(stub as never, (_instance, { storage }) => storage.deleteAlarm());
}

async function evict(stub: AnyStub): Promise<void> {
  // Not every step wakes both objects.
  await evictDurableObject(stub).catch(() => {});
}

it("an alarm that is gone is set again by the next touch, without a charge", async () => {
  const ns = freshNamespace();
  await charge(ns);
  const before = await storedIn(shardOf(ns));
  await deleteAlarm(shardOf(ns));
  await evictDurableObject(shardOf(ns));
  await call(`${refPath(ns)}/usage`);
  expect(await storedIn(shardOf(ns))).toEqual(before);
});

it("an alarm that is late comes as soon as the object is touched", async () => {
  const ns = freshNamespace();
  await charge(ns);
  await makeDue(shardOf(ns));
  await deleteAlarm(shardOf(ns));
  await evictDurableObject(shardOf(ns));
  await call(`${refPath(ns)}/usage`);
  await vi.waitFor(() => expectTotal(ns, 1n, 1n), { timeout: 5_000, interval: 20 });
});

it("an alarm that is early does nothing and stays set", async () => {
  const ns = freshNamespace();
  await charge(ns);
  planOf(coordinatorOf(ns).id).heal();
  const before = await storedIn(shardOf(ns));
  expect(await runAlarm(shardOf(ns))).toBe(true);
  expect(await storedIn(shardOf(ns))).toEqual(before);
  expect(planOf(coordinatorOf(ns).id).calls).toEqual([]);
});

it("an alarm that comes twice does its work once", async () => {
  const ns = freshNamespace();
  await charge(ns);
  planOf(coordinatorOf(ns).id).heal();
  await makeDue(shardOf(ns));
  await runInDurableObject(shardOf(ns), async (instance) => {
    await instance.alarm();
    await instance.alarm();
  });
  expect(planOf(coordinatorOf(ns).id).calls).toEqual(["push"]);
  await expectTotal(ns, 1n, 1n);
});

it("an object that is constructed 500 times has one timer, and its alarm does not move", async () => {
  const ns = freshNamespace();
  await charge(ns);
  const before = await storedIn(shardOf(ns));
  const { instances } = planOf(shardOf(ns).id);
  for (let time = 0; time < 500; time++) {
    await evictDurableObject(shardOf(ns));
    await call(`${refPath(ns)}/usage`);
  }
  expect(planOf(shardOf(ns).id).instances).toBe(instances + 500);
  expect(await storedIn(shardOf(ns))).toEqual(before);
  expect(timersIn(before)).toBe(1);
});

it("a shard that was asleep for hours rolls up once when it wakes", async () => {
  const ns = freshNamespace();
  await charge(ns);
  planOf(coordinatorOf(ns).id).heal();
  await fireAlarm(shardOf(ns));
  expect(planOf(coordinatorOf(ns).id).calls).toEqual(["push"]);
  const { alarmMs } = await storedIn(shardOf(ns));
  expect((alarmMs ?? 0) - Date.now()).toBeGreaterThan(59_000);
});

it("charges count on over an eviction", async () => {
  const ns = freshNamespace();
  for (let ops = 1; ops <= 5; ops++) await charge(ns);
  await evictDurableObject(shardOf(ns));
  expect((await charge(ns)).body["usage"]).toEqual({ ops: 6n, bytes: 60n });
});

it("with both objects evicted between every two steps nothing is lost and nothing doubled", async () => {
  const ns = freshNamespace();
  const move = {
    method: "PUT",
    body: `{"target":"${"a".repeat(40)}","bytes":10}`,
    headers: { "Idempotency-Key": "m" },
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    () => charge(ns),
    () => charge(ns, "key"),
    () => charge(ns, "key"),
    () => call(refPath(ns), move),
    () => call(refPath(ns), move),
    () => fireAlarm(shardOf(ns)),
    () => charge(ns),
    () => chargeNamespace(ns),
    () => fireAlarm(shardOf(ns)),
    () => fireAlarm(shardOf(ns)),
    () => charge(ns, "key"),
    () => charge(ns),
    () => post(`${refPath(ns)}/rollup`),
    () => fireAlarm(shardOf(ns)),
  ];
  for (const step of steps) {
    await step();
    await evict(shardOf(ns));
    await evict(coordinatorOf(ns));
    await expectAlarmForTimers(shardOf(ns));
  }
  await expectTotal(ns, 6n, 1n);
  expect((await call(`${refPath(ns)}/usage`)).body["usage"]).toEqual({ ops: 5n, bytes: 50n });

  for (const stub of [shardOf(ns), coordinatorOf(ns)]) await moveToPast(stub);
  for (const stub of [shardOf(ns), coordinatorOf(ns)]) {
    for (let tick = 0; tick < 4 && (await storedIn(stub)).alarmMs !== null; tick++) {
      await fireAlarm(stub);
      await evict(stub);
    }
  }
  expect((await storedIn(coordinatorOf(ns))).rows).toEqual([]);
  expect((await call(refPath(ns))).body).toEqual({ target: "a".repeat(40) });
  expect(await storedIn(shardOf(ns))).toMatchObject({ rows: [["727400", "aa".repeat(20)]], alarmMs: null });
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
});
