// Time as the fault campaign needs it: nothing waits. Stored timers are made due, or a partition's windows
// are moved into the past, and the alarm is run at once.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { concatBytes, encodeU64, readU64 } from "../../src/core/bytes.ts";
import { decodeTimerKey, timerKey, toKey } from "../../src/core/keys.ts";
import type { NamespaceCoordinator } from "../../src/objects/namespace-coordinator.ts";
import type { RefShard } from "../../src/objects/ref-shard.ts";
import type { Stored } from "../runtime/objects.ts";
import { planOf } from "./plan.ts";

export type AnyStub = DurableObjectStub<RefShard> | DurableObjectStub<NamespaceCoordinator>;

const PAST_WINDOWS = 10n;
const TAG_BYTES = 3;
const ALL = "";
const TIMERS = "WHERE key >= x'7700' AND key < x'7701'";

/** Makes every stored timer due; the alarm stays as it is set. */
export async function makeDue(stub: AnyStub): Promise<void> {
  const dueAtMs = Date.now() - 1;
  await rewriteKeys(stub, TIMERS, (key) => {
    const timer = decodeTimerKey(toKey(key));
    return timer === null || timer.dueAtMs <= dueAtMs ? key : timerKey({ ...timer, dueAtMs });
  });
}

/** Runs the alarm with every stored timer due. False when no alarm was set. */
export async function fireAlarm(stub: AnyStub): Promise<boolean> {
  await makeDue(stub);
  return runAlarm(stub);
}

/** Delivers the alarm now, due or not; false when none was set. */
export function runAlarm(stub: AnyStub): Promise<boolean> {
  return runInDurableObject(stub as DurableObjectStub<RefShard>, async (instance, { id, storage }) => {
    const wasSet = await planOf(id).aside(async () => {
      const alarmMs = await storage.getAlarm();
      await storage.deleteAlarm();
      return alarmMs !== null;
    });
    if (wasSet) await instance.alarm();
    return wasSet;
  });
}

/**
 * All that is stored belongs to windows that ended days ago; the object begins anew. Timers stay where they are,
 * so that no alarm comes before the test lets it.
 */
export async function moveToPast(stub: AnyStub): Promise<void> {
  await rewriteKeys(stub, ALL, (key) => {
    const timer = decodeTimerKey(toKey(key));
    if (timer !== null) {
      return timerKey({ ...timer, reference: encodeU64(readU64(timer.reference) - PAST_WINDOWS) });
    }
    if (key[0] !== "q".charCodeAt(0) || key.length < TAG_BYTES + 8) return key;
    const window = encodeU64(readU64(key, TAG_BYTES) - PAST_WINDOWS);
    return concatBytes(key.subarray(0, TAG_BYTES), window, key.subarray(TAG_BYTES + 8));
  });
  await evictDurableObject(stub);
}

export function timersIn(stored: Stored): number {
  return stored.rows.filter(([key]) => key.startsWith("7700")).length;
}

async function rewriteKeys(stub: AnyStub, where: string, rewrite: (key: Uint8Array) => Uint8Array): Promise<void> {
  await runInDurableObject(stub as DurableObjectStub<RefShard>, (_instance, { id, storage }) =>
    planOf(id).aside(() => {
      const rows = [
        ...storage.sql.exec(`SELECT key, value FROM quota_rows ${where}`).raw<[ArrayBuffer, ArrayBuffer]>(),
      ];
      for (const [key, value] of rows) {
        storage.sql.exec("DELETE FROM quota_rows WHERE key = ?", key);
        storage.sql.exec("INSERT INTO quota_rows (key, value) VALUES (?, ?)", rewrite(new Uint8Array(key)), value);
      }
    }),
  );
}
