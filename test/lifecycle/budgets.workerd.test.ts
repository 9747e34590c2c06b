// What a charge and a rollup may cost, counted on the real platform: rows written, alarms, calls.
import { runInDurableObject } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, shardOf } from "../runtime/objects.ts";
import { callsIn, type Counts, meter } from "./meter.ts";

const WINDOW_MS = 4_000;
const ROLLUP_MS = 400;
const GRACE_MS = 400;

async function atWindowStart(): Promise<number> {
  const startsAtMs = (Math.floor(Date.now() / WINDOW_MS) + 1) * WINDOW_MS;
  await vi.waitUntil(() => Date.now() >= startsAtMs, { timeout: WINDOW_MS + 1_000, interval: 5 });
  return startsAtMs;
}

function shardCounts(ns: string): Promise<Counts> {
  return runInDurableObject(shardOf(ns), (_instance: unknown, state: DurableObjectState) => meter(state.storage));
}

function coordinatorCounts(ns: string): Promise<Counts> {
  return runInDurableObject(coordinatorOf(ns), (_instance: unknown, state: DurableObjectState) => meter(state.storage));
}

/** What `step` adds to the rows and alarms of the namespace's shard. */
async function costOf(ns: string, step: () => Promise<unknown>): Promise<{ rows: number; alarmsSet: number }> {
  const before = await shardCounts(ns);
  await step();
  const after = await shardCounts(ns);
  return { rows: after.rows - before.rows, alarmsSet: after.alarmsSet - before.alarmsSet };
}

it.concurrent("a first charge writes its usage and its timer, and later ones one row each", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  const charge = () => post(`${refPath(ns)}/charges`, { bytes: 1 });
  // Two of the four rows are the table itself, which a shard makes when it holds nothing.
  expect(await costOf(ns, charge)).toEqual({ rows: 4, alarmsSet: 1 });
  expect(await costOf(ns, charge)).toEqual({ rows: 1, alarmsSet: 0 });
  expect(await costOf(ns, charge)).toEqual({ rows: 1, alarmsSet: 0 });
});

it.concurrent("denials and reads write nothing", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  for (let charge = 0; charge < 10; charge++) await post(`${refPath(ns)}/charges`);
  const reads = async (): Promise<void> => {
    expect((await post(`${refPath(ns)}/charges`)).status).toBe(429);
    expect((await call(`${refPath(ns)}/usage`)).status).toBe(200);
    expect((await call(refPath(ns))).status).toBe(404);
  };
  expect(await costOf(ns, reads)).toEqual({ rows: 0, alarmsSet: 0 });
  await vi.waitFor(async () => expect((await call(`/v1/namespaces/${ns}/usage`)).body["sources"]).toBe(1n), {
    timeout: 3 * ROLLUP_MS,
    interval: 10,
  });
  const before = await coordinatorCounts(ns);
  for (const path of ["usage", "contributions", "limits"]) {
    expect((await call(`/v1/namespaces/${ns}/${path}`)).status).toBe(200);
  }
  expect((await coordinatorCounts(ns)).rows - before.rows).toBe(0);
});

it.concurrent("a rollup is one call, two rows at the coordinator and three at the shard, and none when nothing changed", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  await post(`${refPath(ns)}/charges`);
  await vi.waitFor(async () => expect((await call(`/v1/namespaces/${ns}/usage`)).body["sources"]).toBe(1n), {
    timeout: 3 * ROLLUP_MS,
    interval: 10,
  });
  const [shard, coordinator, calls] = [await shardCounts(ns), await coordinatorCounts(ns), callsIn(ns)];
  await post(`${refPath(ns)}/charges`);
  await vi.waitFor(
    async () => expect((await call(`/v1/namespaces/${ns}/usage`)).body["total"]).toMatchObject({ ops: 2n }),
    {
      timeout: 3 * ROLLUP_MS,
      interval: 10,
    },
  );
  await vi.waitFor(async () => expect((await shardCounts(ns)).rows - shard.rows).toBe(1 + 3), { interval: 10 });
  expect((await shardCounts(ns)).alarmsSet - shard.alarmsSet).toBe(1);
  expect((await coordinatorCounts(ns)).rows - coordinator.rows).toBe(2);
  expect((await coordinatorCounts(ns)).alarmsSet - coordinator.alarmsSet).toBe(0);
  expect([callsIn(ns).pushes - calls.pushes, callsIn(ns).alarmsRun - calls.alarmsRun]).toEqual([1, 1]);

  await vi.waitFor(() => expect(callsIn(ns).pushes - calls.pushes).toBe(2), { timeout: 3 * ROLLUP_MS, interval: 10 });
  expect((await coordinatorCounts(ns)).rows - coordinator.rows).toBe(2);
});

it.concurrent("one charge a window costs three alarms and three calls beside the question that opens it", async () => {
  const ns = freshNamespace();
  const startsAtMs = await atWindowStart();
  const before = callsIn(ns);
  await post(`${refPath(ns)}/charges`);
  expect(callsIn(ns).pushes - before.pushes).toBe(1);
  const overAtMs = startsAtMs + WINDOW_MS + GRACE_MS + ROLLUP_MS + 200;
  await vi.waitUntil(() => Date.now() >= overAtMs, { timeout: 2 * WINDOW_MS, interval: 10 });
  // Its rollup, the one that finds it idle, and the one that ends the window.
  expect(callsIn(ns).alarmsRun - before.alarmsRun).toBe(3);
  expect(callsIn(ns).pushes - before.pushes).toBe(4);
});

it.concurrent("a shard charged without pause rolls up every period", async () => {
  const ns = freshNamespace();
  const startsAtMs = await atWindowStart();
  await call(`/v1/namespaces/${ns}/limits`, { method: "PUT", body: '{"maxOps":null,"maxBytes":null}' });
  const before = callsIn(ns);
  let charges = 0;
  while (Date.now() < startsAtMs + WINDOW_MS - 2 * ROLLUP_MS) {
    expect((await post(`${refPath(ns)}/charges`)).status).toBe(200);
    charges++;
  }
  const periods = Math.floor((Date.now() - startsAtMs) / ROLLUP_MS);
  const rollups = callsIn(ns).alarmsRun - before.alarmsRun;
  expect([charges > rollups, Math.abs(rollups - periods) <= 1]).toEqual([true, true]);
  await vi.waitFor(
    async () =>
      expect((await call(`/v1/namespaces/${ns}/usage`)).body["total"]).toEqual({ ops: BigInt(charges), bytes: 0n }),
    {
      timeout: 3 * ROLLUP_MS,
      interval: 10,
    },
  );
});
