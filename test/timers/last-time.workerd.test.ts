// The platform's alarm ends where its nanoseconds do, long before ECMAScript's time does: a later one is refused
// with "This API doesn't support dates after 2189".
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import { shardOf } from "../runtime/objects.ts";
import { timerRow } from "../scenarios/rows.ts";

/** 2^63 − 1 ns. */
const LAST_ALARM_MS = 9_223_372_036_854;

it.each([
  { name: "the last time", dueAtMs: 8.64e15 },
  { name: "past the last time", dueAtMs: 2 ** 53 },
])("scenario 20: a timer due at $name arms the latest alarm the platform has", async ({ dueAtMs }) => {
  const partition = { kind: "ref", ns: `last-time-${dueAtMs}`, repo: "room", ref: "refs/heads/b0" } as const;
  const stub = shardOf(partition.ns, partition.ref, partition.repo);
  await runInDurableObject(stub, (_instance, { storage }) => {
    const store = new SqliteStore(storage, partition, Date.now);
    store.apply({ preconditions: [], writes: [{ kind: "put", ...timerRow(0, dueAtMs, 600_000) }] });
  });
  await evictDurableObject(stub);
  expect(await runInDurableObject(stub, (_instance, { storage }) => storage.getAlarm())).toBe(LAST_ALARM_MS);
  await runInDurableObject(stub, (_instance, { storage }) => storage.deleteAlarm());
});
