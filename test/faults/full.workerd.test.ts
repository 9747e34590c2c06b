// Storage that is full, in workerd: charges are 503, reads and removal go on, and the alarm does not loop.
import { expect, it } from "vitest";
import { call, freshNamespace, refPath } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";
import { charge, chargeNamespace, expectTotal, STORAGE_ERRORS } from "./paths.ts";
import { planOf } from "./plan.ts";
import { type AnyStub, fireAlarm, moveToPast, timersIn } from "./time-machine.ts";

const RETRY_DELAY_MS = 5_000;

/** No row can be added or replaced; rows can be removed, and the alarm can be set. */
function fill(stub: AnyStub): void {
  const plan = planOf(stub.id);
  plan.heal();
  plan.onWrite = (_number, write) =>
    ["INSERT", "CREATE", "kv.put"].includes(write) ? new Error(STORAGE_ERRORS[0]) : null;
}

it.each([
  ["shard", (ns: string) => refPath(ns), shardOf, charge],
  ["coordinator", (ns: string) => `/v1/namespaces/${ns}`, coordinatorOf, chargeNamespace],
] as const)("a full %s refuses charges with 503 and is read as before", async (_name, pathOf, objectOf, act) => {
  const ns = freshNamespace();
  await act(ns);
  const usage = await call(`${pathOf(ns)}/usage`);
  const before = await storedIn(objectOf(ns));
  fill(objectOf(ns));
  for (let attempt = 0; attempt < 3; attempt++) {
    const reply = await act(ns);
    expect([reply.status, reply.body["code"], reply.headers.get("Retry-After")]).toEqual([503, "unavailable", "1"]);
  }
  expect((await call(`${pathOf(ns)}/usage`)).body).toEqual(usage.body);
  expect(await storedIn(objectOf(ns))).toEqual(before);
  planOf(objectOf(ns).id).heal();
  expect((await act(ns)).body["usage"]).toEqual({ ops: 2n, bytes: 20n });
});

it("a full shard still pushes, tries its timer again seconds later, and catches up when there is room", async () => {
  const ns = freshNamespace();
  await charge(ns);
  fill(shardOf(ns));
  for (let tick = 0; tick < 3; tick++) {
    const firedAtMs = Date.now();
    await fireAlarm(shardOf(ns));
    const { alarmMs } = await storedIn(shardOf(ns));
    expect((alarmMs ?? 0) - firedAtMs).toBeGreaterThanOrEqual(RETRY_DELAY_MS);
    expect((alarmMs ?? 0) - Date.now()).toBeLessThanOrEqual(RETRY_DELAY_MS);
  }
  await expectTotal(ns, 1n, 1n);
  planOf(shardOf(ns).id).heal();
  await charge(ns);
  await fireAlarm(shardOf(ns));
  await expectTotal(ns, 2n, 1n);
});

it("a full coordinator answers a rollup with a failure, and gets it when there is room", async () => {
  const ns = freshNamespace();
  await chargeNamespace(ns);
  await charge(ns);
  fill(coordinatorOf(ns));
  await fireAlarm(shardOf(ns));
  const stored = await storedIn(shardOf(ns));
  expect([timersIn(stored), (stored.alarmMs ?? 0) > Date.now()]).toEqual([1, true]);
  await expectTotal(ns, 1n, 0n);
  planOf(coordinatorOf(ns).id).heal();
  await fireAlarm(shardOf(ns));
  await expectTotal(ns, 2n, 1n);
});

it("full objects still end their windows, down to nothing", async () => {
  const ns = freshNamespace();
  await charge(ns, "key");
  await chargeNamespace(ns);
  await fireAlarm(shardOf(ns));
  for (const stub of [shardOf(ns), coordinatorOf(ns)]) {
    await moveToPast(stub);
    fill(stub);
  }
  for (const stub of [shardOf(ns), coordinatorOf(ns)]) {
    await fireAlarm(stub);
    expect(await storedIn(stub)).toEqual(NOTHING_STORED);
  }
});
