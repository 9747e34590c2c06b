// The scenarios marked (objects), on the real RefShard and NamespaceCoordinator with their real alarms and the
// real clock. A scenario's times become true by the length of its window: window 0 of a length that ends far
// ahead is the one that lasts, and one whose expiry is two seconds away is over in two seconds.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, it, vi } from "vitest";
import type { Partition, RefPartition } from "../../src/core/partition.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import { ALL_ROWS, MAX_SCAN_ROWS, type Row, type Store, type Write } from "../../src/store/contract.ts";
import { coordinatorOf, shardOf } from "../runtime/objects.ts";
import {
  contributionKey,
  contributionRow,
  type Count,
  countOf,
  dueTimes,
  shardRow,
  timerRow,
  totalKey,
  totalRow,
  viewKey,
  viewOf,
} from "./rows.ts";

const ROLLUP_MS = 60_000;
const GRACE_MS = 30_000;
/** Window 0 of this length ends in 2096. */
const LASTING_WINDOW_MS = 4e12;
const PAST_MS = 60_000;
const SHORT_MS = 2_000;
const WAIT = { timeout: 4_000, interval: 20 };

type CoordinatorPartition = { readonly kind: "coordinator"; readonly ns: string };
type ObjectStub = ReturnType<typeof shardOf>;

/** One of the real objects, and a store on what it has stored. */
class StoredObject {
  readonly #partition: RefPartition | CoordinatorPartition;
  readonly stub: ObjectStub;

  constructor(partition: RefPartition | CoordinatorPartition) {
    this.#partition = partition;
    const { ns } = partition;
    // Only what every object has is used through it: storage, and an alarm.
    this.stub =
      partition.kind === "ref"
        ? shardOf(ns, partition.ref, partition.repo)
        : (coordinatorOf(ns) as unknown as ObjectStub);
    opened.push(this);
  }

  rows(): Promise<readonly Row[]> {
    return this.#onStore((store) => store.scan(ALL_ROWS, { limit: MAX_SCAN_ROWS }).rows);
  }

  /** Writes past the object, which then starts anew and arms itself for the timers it finds. */
  async rewrite(change: { readonly put: readonly Row[]; readonly remove?: readonly Row[] }): Promise<void> {
    const writes: Write[] = [
      ...(change.remove ?? []).map(({ key }): Write => ({ kind: "delete", key })),
      ...change.put.map((row): Write => ({ kind: "put", ...row })),
    ];
    await this.#onStore(async (store, storage) => {
      store.apply({ preconditions: [], writes });
      await storage.deleteAlarm();
    });
    await evictDurableObject(this.stub);
    await this.alarm();
  }

  alarm(): Promise<number | null> {
    return this.#onStore((_store, storage) => storage.getAlarm());
  }

  disarm(): Promise<void> {
    return this.#onStore((_store, storage) => storage.deleteAlarm());
  }

  #onStore<Result>(work: (store: Store, storage: DurableObjectStorage) => Result | Promise<Result>): Promise<Result> {
    const partition: Partition = this.#partition;
    return runInDurableObject(this.stub, (_instance, { storage }) =>
      work(new SqliteStore(storage, partition, Date.now), storage),
    );
  }
}

const opened: StoredObject[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const object of opened.splice(0)) await object.disarm();
});

function openNamespace(): { coordinator: StoredObject; shardAt: (index: number) => RefPartition; ns: string } {
  const ns = `scenario-${crypto.randomUUID()}`;
  return {
    ns,
    coordinator: new StoredObject({ kind: "coordinator", ns }),
    shardAt: (index) => ({ kind: "ref", ns, repo: "room", ref: `refs/heads/b${index}` }),
  };
}

async function valueOf(object: StoredObject, key: Uint8Array): Promise<Uint8Array | null> {
  return (await object.rows()).find((row) => String(row.key) === String(key))?.value ?? null;
}

async function timersOf(object: StoredObject): Promise<readonly Row[]> {
  return (await object.rows()).filter((row) => dueTimes([row]).length > 0);
}

/** Moves the object's timer to the past, where the real alarm finds it due. */
async function makeDue(object: StoredObject, windowMs: number): Promise<void> {
  const timer = timerRow(0, Date.now() - PAST_MS, windowMs);
  await object.rewrite({ remove: await timersOf(object), put: [timer] });
}

it("scenario 1: converges across shards, and a refire after a coordinator crash is idempotent", async () => {
  const { coordinator, shardAt } = openNamespace();
  const counts: readonly Count[] = ["1/0", "2/1", "3/2", "4/3"];
  const shards = counts.map((_, index) => new StoredObject(shardAt(index)));
  const totalBecomes = (total: Count): Promise<void> =>
    vi.waitFor(async () => expect(countOf(await valueOf(coordinator, totalKey(0)))).toBe(total), WAIT);
  const firstDue = timerRow(0, Date.now() - PAST_MS, LASTING_WINDOW_MS);
  const asCharged = counts.map((count) => [shardRow(0, count), firstDue]);

  const [first = new StoredObject(shardAt(0))] = shards;
  await first.rewrite({ put: asCharged[0] ?? [] });
  await vi.waitFor(async () => expect(viewOf(await valueOf(first, viewKey(0)))?.total).toBe("1/0"), WAIT);
  await totalBecomes("1/0");

  await first.rewrite({ remove: await first.rows(), put: asCharged[0] ?? [] });
  await vi.waitFor(async () => {
    expect(viewOf(await valueOf(first, viewKey(0)))).toMatchObject({ total: "1/0", pushed: "1/0" });
  }, WAIT);
  await totalBecomes("1/0");

  for (const [index, object] of shards.entries()) if (index > 0) await object.rewrite({ put: asCharged[index] ?? [] });
  await totalBecomes("10/6");

  for (const [index, object] of shards.entries()) {
    await makeDue(object, LASTING_WINDOW_MS);
    await vi.waitFor(async () => {
      const view = viewOf(await valueOf(object, viewKey(0)));
      expect(view).toMatchObject({ total: "10/6", pushed: counts[index] });
      // The count had not changed: the next rollup is the first whole period after the window's expiry.
      const expiryMs = LASTING_WINDOW_MS + GRACE_MS;
      const observedAtMs = view?.observedAtMs ?? 0;
      const nextMs = observedAtMs + Math.ceil((expiryMs - observedAtMs) / ROLLUP_MS) * ROLLUP_MS;
      expect(dueTimes(await object.rows())).toEqual([nextMs]);
      expect(await object.alarm()).toBe(nextMs);
    }, WAIT);
  }
  expect(await coordinator.rows()).toEqual([
    ...counts.map((count, index) => contributionRow(0, shardAt(index), count)),
    totalRow(0, "10/6"),
    timerRow(0, LASTING_WINDOW_MS + GRACE_MS, LASTING_WINDOW_MS),
  ]);
});

it("scenario 2: an ended window prunes both partitions and leaves no timer", async () => {
  const { coordinator, shardAt } = openNamespace();
  const object = new StoredObject(shardAt(0));
  const expiryMs = Date.now() + SHORT_MS;
  const windowMs = expiryMs - GRACE_MS;
  await object.rewrite({ put: [shardRow(0, "3/12"), timerRow(0, Date.now() - PAST_MS, windowMs)] });
  await vi.waitFor(async () => {
    expect(viewOf(await valueOf(object, viewKey(0)))).toMatchObject({ total: "3/12", pushed: "3/12" });
  }, WAIT);
  expect(countOf(await valueOf(coordinator, contributionKey(0, shardAt(0))))).toBe("3/12");
  expect(Date.now()).toBeLessThan(expiryMs);

  await object.rewrite({ remove: await timersOf(object), put: [timerRow(0, expiryMs, windowMs)] });
  await vi.waitFor(async () => {
    expect(await object.rows()).toEqual([]);
    expect(await coordinator.rows()).toEqual([]);
    expect(await object.alarm()).toBe(null);
    expect(await coordinator.alarm()).toBe(null);
  }, WAIT);
});

it("scenario 4: a direct coordinator charge stays in the aggregate", async () => {
  const { ns, coordinator, shardAt } = openNamespace();
  const charged = await coordinatorOf(ns).charge({ bytes: 9n, idempotencyKey: null, callId: "direct" });
  if (!charged.ok) throw new Error("the direct charge was refused");
  const window = Number(charged.window.number);
  const windowMs = charged.window.endsAtMs - charged.window.startsAtMs;
  expect(countOf(await valueOf(coordinator, totalKey(window)))).toBe("1/9");

  const object = new StoredObject(shardAt(0));
  await object.rewrite({ put: [shardRow(window, "2/0"), timerRow(window, Date.now() - PAST_MS, windowMs)] });
  await vi.waitFor(async () => {
    expect(countOf(await valueOf(coordinator, totalKey(window)))).toBe("3/9");
    const view = viewOf(await valueOf(object, viewKey(window)));
    expect(view).toMatchObject({ total: "3/9", pushed: "2/0" });
    const nextMs = (view?.observedAtMs ?? 0) + ROLLUP_MS;
    expect(dueTimes(await object.rows())).toEqual([nextMs]);
    expect(await object.alarm()).toBe(nextMs);
  }, WAIT);
});

it("scenario 7: a corrupt coordinator row backs off for a full period", async () => {
  const { ns, coordinator, shardAt } = openNamespace();
  const warn = vi.spyOn(console, "warn");
  const failures = (): readonly unknown[] =>
    warn.mock.calls
      .map(([line]) => JSON.parse(String(line)) as { kind: string; reason?: string; partition: { ns: string } })
      .filter(({ kind, partition }) => kind.endsWith("Failed") && partition.ns === ns)
      .map(({ kind, reason }) => `${kind} ${reason}`);
  const object = new StoredObject(shardAt(0));
  await coordinator.rewrite({ put: [{ key: totalKey(0), value: Uint8Array.of(1) }] });
  const expiryMs = Date.now() + SHORT_MS;
  const windowMs = expiryMs - GRACE_MS;

  const firedAfterMs = Date.now();
  await object.rewrite({ put: [shardRow(0, "1/0"), timerRow(0, firedAfterMs - PAST_MS, windowMs)] });
  await vi.waitFor(() => expect(failures()).toEqual(["rollupFailed corrupt"]), WAIT);
  const [nextMs = null] = dueTimes(await object.rows());
  expect(nextMs).toBeGreaterThanOrEqual(firedAfterMs + ROLLUP_MS);
  expect(nextMs).toBeLessThanOrEqual(Date.now() + ROLLUP_MS);
  expect(await object.alarm()).toBe(nextMs);
  expect(await coordinator.rows()).toEqual([{ key: totalKey(0), value: Uint8Array.of(1) }]);

  await object.rewrite({ remove: await timersOf(object), put: [timerRow(0, expiryMs, windowMs)] });
  await vi.waitFor(async () => {
    expect(await object.rows()).toEqual([]);
    expect(await coordinator.rows()).toEqual([]);
    expect(await object.alarm()).toBe(null);
    expect(await coordinator.alarm()).toBe(null);
  }, WAIT);
  expect(failures()).toEqual(["rollupFailed corrupt"]);
});
