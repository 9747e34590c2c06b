// More rows than one statement, batch or tick can take, in workerd.
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, shardOf, storedIn } from "../runtime/objects.ts";
import { charge, chargeOnce, expectTotal } from "./paths.ts";
import { planOf } from "./plan.ts";
import { fireAlarm, moveToPast, timersIn } from "./time-machine.ts";

const OLD_ROWS = 100_000;
/** 64 batches of eight rows. */
const MAX_ROWS_PER_TICK = 512;
/** A batch of eight rows and what the timer's own row adds. */
const MAX_WRITES_PER_COMMIT = 10;
const TICKS_PER_CHARGE = 20;
const TICKS = Math.ceil(OLD_ROWS / MAX_ROWS_PER_TICK);

/** Idempotency rows of the window that the object's timer is for. */
async function addOldRows(ns: string): Promise<void> {
  await runInDurableObject(shardOf(ns), (_instance, { storage }) => {
    storage.sql.exec(
      `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${OLD_ROWS})
       INSERT INTO quota_rows
       SELECT CAST(x'716900' || substr(key, 4, 8) || x'01' || printf('%06d', n) AS BLOB), x'00'
       FROM number, quota_rows WHERE substr(key, 1, 3) = x'717300'`,
    );
  });
}

function countOldRows(ns: string): Promise<number> {
  return runInDurableObject(shardOf(ns), (_instance, { storage }) => {
    const rows = storage.sql.exec<{ n: number }>(
      "SELECT count(*) AS n FROM quota_rows WHERE key >= x'716900' AND key < x'716901'",
    );
    return rows.one().n;
  });
}

it(
  "pruning 100,000 old rows takes bounded batches, finishes, and holds no rollup up",
  { timeout: 180_000 },
  async () => {
    const ns = freshNamespace();
    await chargeOnce(ns);
    await moveToPast(shardOf(ns));
    await addOldRows(ns);
    const plan = planOf(shardOf(ns).id);
    let charges = 0n;
    let largestCommit = 0;
    let sinceCommit = 0;
    plan.heal();
    plan.holdsAlarms = true;
    plan.onWrite = (_number, write) => {
      if (write === "INSERT" || write === "DELETE") sinceCommit++;
      if (write === "COMMIT") {
        largestCommit = Math.max(largestCommit, sinceCommit);
        sinceCommit = 0;
      }
      return null;
    };
    expect(await countOldRows(ns)).toBe(OLD_ROWS);
    for (let tick = 1; tick <= TICKS; tick++) {
      const isCharged = tick % TICKS_PER_CHARGE === 1;
      if (isCharged) {
        charges++;
        expect((await charge(ns)).status).toBe(200);
      }
      await fireAlarm(shardOf(ns));
      if (!isCharged) continue;
      await expectTotal(ns, charges, 1n);
      expect(await countOldRows(ns)).toBe(OLD_ROWS - tick * MAX_ROWS_PER_TICK);
    }
    expect(await countOldRows(ns)).toBe(0);
    expect(largestCommit).toBeLessThanOrEqual(MAX_WRITES_PER_COMMIT);
    await fireAlarm(shardOf(ns));
    expect(timersIn(await storedIn(shardOf(ns)))).toBe(1);
  },
);

it("101 shards are listed in one page and in two, and all go with their window", { timeout: 60_000 }, async () => {
  const ns = freshNamespace();
  const refs = Array.from({ length: 101 }, (_, index) => `refs/heads/b${String(index).padStart(3, "0")}`);
  await Promise.all(
    refs.map(async (ref) => {
      await post(`${refPath(ns, ref)}/charges`, { bytes: 10 });
      await post(`${refPath(ns, ref)}/rollup`);
    }),
  );
  const items = refs.map((ref) => ({ repo: "web", ref, ops: 1n, bytes: 10n }));
  const path = `/v1/namespaces/${ns}/contributions`;
  expect((await call(`${path}?limit=1000`)).body).toEqual({ items, next: null });
  const first = await call(path);
  expect(first.body["items"]).toEqual(items.slice(0, 100));
  const second = await call(`${path}?cursor=${String(first.body["next"])}`);
  expect(second.body).toEqual({ items: items.slice(100), next: null });
  await expectTotal(ns, 101n, 101n);

  await moveToPast(coordinatorOf(ns));
  await fireAlarm(coordinatorOf(ns));
  expect((await storedIn(coordinatorOf(ns))).rows).toEqual([]);
});
