// Whole windows in workerd, on real alarms: nothing here makes an alarm run.
import { expect, it, vi } from "vitest";
import { freshNamespace, post, refPath, call } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";

const WINDOW_MS = 4_000;
const ROLLUP_MS = 400;
const GRACE_MS = 400;

/** Waits for the start of a window, so that what follows has one to itself. */
async function atWindowStart(): Promise<number> {
  const startsAtMs = (Math.floor(Date.now() / WINDOW_MS) + 1) * WINDOW_MS;
  await vi.waitUntil(() => Date.now() >= startsAtMs, { timeout: WINDOW_MS + 1_000, interval: 10 });
  return startsAtMs;
}

it.concurrent("four shards' charges are in the coordinator's total within two periods", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  for (const shard of [1, 2, 3, 4]) {
    const charged = await post(`${refPath(ns, `refs/heads/b${shard}`)}/charges`, { bytes: 10 * shard });
    expect(charged.status).toBe(200);
  }
  const within = { timeout: 2 * ROLLUP_MS, interval: 20 };
  await vi.waitFor(async () => {
    const { body } = await call(`/v1/namespaces/${ns}/usage`);
    expect([body["total"], body["sources"]]).toEqual([{ ops: 4n, bytes: 100n }, 4n]);
  }, within);
});

it.concurrent("a shard denies by the namespace's total after its rollup", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  const [left, right] = [refPath(ns, "refs/heads/left"), refPath(ns, "refs/heads/right")];
  for (let charge = 0; charge < 6; charge++) {
    expect((await post(`${left}/charges`)).status).toBe(200);
    if (charge < 4) expect((await post(`${right}/charges`)).status).toBe(200);
  }
  await vi.waitFor(
    async () => {
      const { body } = await call(`${left}/usage`);
      expect(body["view"]).toMatchObject({ status: "fresh", total: { ops: 10n, bytes: 0n } });
    },
    { timeout: 3 * ROLLUP_MS, interval: 20 },
  );
  const denied = await post(`${left}/charges`);
  expect(denied.status).toBe(429);
  expect(denied.body).toMatchObject({
    code: "quota_exhausted",
    scope: "namespace",
    dimension: "ops",
    usage: { ops: 6n, bytes: 0n },
    remaining: { ops: 0n },
  });
});

it.concurrent("after window end, grace and one period nothing is stored on either side and no alarm is set", async () => {
  const ns = freshNamespace();
  const startsAtMs = await atWindowStart();
  expect((await post(`${refPath(ns)}/charges`, { bytes: 7 })).status).toBe(200);
  expect((await post(`/v1/namespaces/${ns}/charges`, { bytes: 5 })).status).toBe(200);
  expect((await storedIn(shardOf(ns))).rows).toHaveLength(2);
  expect((await storedIn(coordinatorOf(ns))).rows).toHaveLength(2);

  const emptyAtMs = startsAtMs + WINDOW_MS + GRACE_MS + ROLLUP_MS;
  await vi.waitUntil(() => Date.now() >= emptyAtMs + 200, { timeout: 2 * WINDOW_MS, interval: 10 });
  expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);

  const again = await post(`${refPath(ns)}/charges`, { bytes: 1 });
  expect(again.body["usage"]).toEqual({ ops: 1n, bytes: 1n });
});

it.concurrent("60 parallel charges on one shard against a cap of 10 admit exactly 10", async () => {
  const ns = freshNamespace();
  await atWindowStart();
  const replies = await Promise.all(Array.from({ length: 60 }, () => post(`${refPath(ns)}/charges`, { bytes: 3 })));
  const admitted = replies.filter((reply) => reply.status === 200);
  expect(admitted).toHaveLength(10);
  expect(replies.filter((reply) => reply.status === 429)).toHaveLength(50);
  const { body } = await call(`${refPath(ns)}/usage`);
  expect(body["usage"]).toEqual({ ops: 10n, bytes: 30n });
});
