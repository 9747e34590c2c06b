// Paths through an object on which storage can fail, and what must hold after it has.
import { expect, vi } from "vitest";
import { call, freshNamespace, post, refPath, type Reply } from "../runtime/api.ts";
import { shardOf, storedIn } from "../runtime/objects.ts";
import { planOf } from "./plan.ts";
import { type AnyStub, fireAlarm, timersIn } from "./time-machine.ts";

/** As the runtime reports them; the store tells a full disk from a broken one by the text. */
export const STORAGE_ERRORS = ["database or disk is full: SQLITE_FULL", "disk I/O error: SQLITE_IOERR"];

export interface Path<Answer> {
  /** Every write of the path when all goes well, in order. */
  readonly writes: readonly string[];
  /** Whose storage breaks. */
  readonly object: (ns: string) => AnyStub;
  readonly prepare: (ns: string) => Promise<void>;
  readonly act: (ns: string) => Promise<Answer>;
}

export interface Failed<Answer> {
  readonly ns: string;
  readonly answer: Answer;
  /** What was written, tried included. */
  readonly writes: readonly string[];
}

/** Each write failing by itself, of a full disk and a broken one in turn. */
export function failuresOf(writes: readonly string[]): readonly { write: string; failing: number; message: string }[] {
  return writes.map((write, index) => ({
    write,
    failing: index + 1,
    message: STORAGE_ERRORS[index % STORAGE_ERRORS.length] ?? "",
  }));
}

/** Takes the path on a fresh namespace with one write failing; 0 lets all of them succeed. */
export async function failAt<Answer>(path: Path<Answer>, failing: number, message: string): Promise<Failed<Answer>> {
  const ns = freshNamespace();
  await path.prepare(ns);
  const plan = planOf(path.object(ns).id);
  plan.heal();
  plan.onWrite = (number) => (number === failing ? new Error(message) : null);
  const answer = await path.act(ns);
  const writes = [...plan.writes];
  plan.heal();
  return { ns, answer, writes };
}

/** An object with timers has an alarm, and one without has none, at once or as soon as it could be repaired. */
export async function expectAlarmForTimers(stub: AnyStub): Promise<void> {
  await vi.waitFor(
    async () => {
      const stored = await storedIn(stub);
      expect({ hasAlarm: stored.alarmMs !== null }).toEqual({ hasAlarm: timersIn(stored) > 0 });
    },
    { timeout: 5_000, interval: 20 },
  );
}

export function charge(ns: string, key?: string): Promise<Reply> {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  return call(`${refPath(ns)}/charges`, { method: "POST", body: '{"bytes":10}', headers });
}

export function chargeNamespace(ns: string): Promise<Reply> {
  return post(`/v1/namespaces/${ns}/charges`, { bytes: 10 });
}

export async function chargeOnce(ns: string): Promise<void> {
  expect((await charge(ns)).status).toBe(200);
}

/** The shard's timer by its alarm, if it has counted anything. */
export async function rollUp(ns: string): Promise<void> {
  if (timersIn(await storedIn(shardOf(ns))) > 0) expect(await fireAlarm(shardOf(ns))).toBe(true);
}

export async function expectTotal(ns: string, ops: bigint, sources: bigint): Promise<void> {
  const { body } = await call(`/v1/namespaces/${ns}/usage`);
  expect([body["total"], body["sources"]]).toEqual([{ ops, bytes: ops * 10n }, sources]);
}
