// Rows as bytes, through the running objects: what was written by hand from the golden layout is read, and
// what the objects write equals it. A row that cannot be read stops what docs/storage.md says, and no more.
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { concatBytes, fromHex, toHex } from "../../src/core/bytes.ts";
import { encodeUsage, encodeView } from "../../src/core/codec.ts";
import {
  idempotencyKey,
  type Key,
  LIMITS_KEY,
  quotaContributionKey,
  quotaShardKey,
  quotaTotalKey,
  quotaViewKey,
  REF_TARGET_KEY,
  toKey,
} from "../../src/core/keys.ts";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import { type Window, windowOf } from "../../src/core/window.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import layout from "../fixtures/layout.json";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, shardOf, storedIn } from "../runtime/objects.ts";

const REF = "refs/heads/main";

function currentWindow(): Window {
  return windowOf(Date.now(), 3_600_000);
}

function refPartition(ns: string): Partition {
  return { kind: "ref", ns, repo: "web", ref: REF };
}

/** Puts rows into an object past its instance, which then begins anew. */
async function putByHand(ns: string, kind: "ref" | "coordinator", rows: readonly [Key, Uint8Array][]): Promise<void> {
  const stub = kind === "ref" ? shardOf(ns) : coordinatorOf(ns);
  const partition: Partition = kind === "ref" ? refPartition(ns) : { kind, ns };
  await runInDurableObject(stub, (_instance: unknown, { storage }: DurableObjectState) => {
    const store = new SqliteStore(storage, partition, Date.now);
    store.apply({ preconditions: [], writes: rows.map(([key, value]) => ({ kind: "put", key, value })) });
  });
  await evictDurableObject(stub);
}

function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error(`not hex: ${hex}`);
  return bytes;
}

/** The golden key of a class with the current window in place of its own: tag, 00, u64, rest. */
function goldenKey(fn: string): Key {
  const golden = layout.keys.find((key) => key.fn === fn);
  if (golden === undefined) throw new Error(`no golden key ${fn}`);
  const now = new DataView(new ArrayBuffer(8));
  now.setBigUint64(0, currentWindow());
  return toKey(concatBytes(bytesOf(golden.hex).subarray(0, 3), new Uint8Array(now.buffer)));
}

describe("a row written by hand from the golden layout is read", () => {
  it("by a shard: its usage and its view", async () => {
    const ns = freshNamespace();
    const [usage, view] = [layout.usage[0], layout.view[0]];
    await putByHand(ns, "ref", [
      [goldenKey("quotaShard"), bytesOf(usage?.hex ?? "")],
      [goldenKey("quotaView"), bytesOf(view?.hex ?? "")],
    ]);
    const { body } = await call(`${refPath(ns)}/usage`);
    expect(body["usage"]).toEqual({ ops: 5n, bytes: 8n });
    expect(body["view"]).toEqual({
      status: "stale",
      total: { ops: 5n, bytes: 8n },
      observedAt: "1970-01-01T00:00:00.009Z",
    });
  });

  it("by a coordinator: totals and contributions, exact past 2^53", async () => {
    const ns = freshNamespace();
    const large = bytesOf(layout.usage[2]?.hex ?? "");
    await putByHand(ns, "coordinator", [
      [goldenKey("quotaTotal"), large],
      [toKey(concatBytes(goldenKey("quotaContribution"), encodePartition(refPartition(ns)))), large],
    ]);
    const { body } = await call(`/v1/namespaces/${ns}/usage`);
    expect(body["total"]).toEqual({ ops: 18_446_744_073_709_551_615n, bytes: 9_007_199_254_740_993n });
    expect((await call(`/v1/namespaces/${ns}/contributions`)).body["items"]).toEqual([
      { repo: "web", ref: REF, ops: 18_446_744_073_709_551_615n, bytes: 9_007_199_254_740_993n },
    ]);
  });
});

it("rows written by the objects equal the golden layout", async () => {
  const ns = freshNamespace();
  for (let charge = 0; charge < 5; charge++) await post(`${refPath(ns)}/charges`, charge === 0 ? { bytes: 8 } : "");
  await post(`${refPath(ns)}/rollup`);
  const usage = layout.usage[0]?.hex;
  const shard = await storedIn(shardOf(ns));
  const [view] = shard.rows.filter(([key]) => key === toHex(goldenKey("quotaView")));
  expect(shard.rows.slice(0, 2).map(([key]) => key)).toEqual([
    toHex(goldenKey("quotaShard")),
    toHex(goldenKey("quotaView")),
  ]);
  expect(shard.rows[0]?.[1]).toBe(usage);
  expect(view?.[1].slice(0, 64)).toBe(`${usage}${usage}`);
  const [timer] = shard.rows.slice(2);
  const timerGolden = layout.keys.find((key) => key.fn === "timer")?.hex ?? "";
  expect(timer?.[0].slice(0, 4)).toBe(timerGolden.slice(0, 4));
  expect(timer?.[0].slice(20)).toBe(`05${toHex(goldenKey("quotaShard")).slice(6)}`);
  expect(timer?.[1]).toBe("000000000036ee80");
  const source = toHex(encodePartition(refPartition(ns)));
  expect((await storedIn(coordinatorOf(ns))).rows.slice(0, 2)).toEqual([
    [`${toHex(goldenKey("quotaContribution"))}${source}`, usage],
    [toHex(goldenKey("quotaTotal")), usage],
  ]);
});

const MALFORMED = ["", "00", "00".repeat(15), "00".repeat(17), "00".repeat(41)].map(bytesOf);

describe.each(MALFORMED.map((value) => [toHex(value), value] as const))("a row of the bytes %j", (_hex, value) => {
  it("as a shard's usage stops that ref's charges alone", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "ref", [[quotaShardKey(currentWindow()), value]]);
    const charged = await post(`${refPath(ns)}/charges`);
    expect([charged.status, charged.body["code"], charged.headers.get("Retry-After")]).toEqual([
      503,
      "unavailable",
      "1",
    ]);
    expect((await call(`${refPath(ns)}/usage`)).status).toBe(503);
    expect((await post(`${refPath(ns, "refs/heads/other")}/charges`)).status).toBe(200);
    expect((await storedIn(shardOf(ns))).rows).toEqual([[toHex(quotaShardKey(currentWindow())), toHex(value)]]);
  });

  it("as a view stops nothing, and the next rollup replaces it", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "ref", [
      [quotaShardKey(currentWindow()), encodeUsage({ ops: 2n, bytes: 0n })],
      [quotaViewKey(currentWindow()), value],
    ]);
    expect((await post(`${refPath(ns)}/charges`)).body).toMatchObject({
      usage: { ops: 3n },
      view: { status: "fresh" },
    });
    expect((await post(`${refPath(ns)}/rollup`)).status).toBe(200);
    const rows = new Map((await storedIn(shardOf(ns))).rows);
    expect(rows.get(toHex(quotaViewKey(currentWindow())))).toHaveLength(80);
  });

  it("as a contribution stops that shard's rollup alone", async () => {
    const ns = freshNamespace();
    const key = quotaContributionKey(currentWindow(), encodePartition(refPartition(ns)));
    await putByHand(ns, "coordinator", [[key, value]]);
    await post(`${refPath(ns)}/charges`);
    expect((await post(`${refPath(ns)}/rollup`)).body["code"]).toBe("unavailable");
    const other = refPath(ns, "refs/heads/other");
    await post(`${other}/charges`);
    expect((await post(`${other}/rollup`)).body["view"]).toMatchObject({ total: { ops: 1n, bytes: 0n } });
  });

  it("as a total stops rollups and direct charges of its namespace, and no charge of a ref", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "coordinator", [[quotaTotalKey(currentWindow()), value]]);
    expect((await post(`/v1/namespaces/${ns}/charges`)).body["code"]).toBe("unavailable");
    expect((await post(`${refPath(ns)}/charges`)).body).toMatchObject({
      decision: "allowed",
      view: { status: "missing" },
    });
    expect((await post(`${refPath(ns)}/rollup`)).body["code"]).toBe("unavailable");
    expect((await post(`/v1/namespaces/${freshNamespace()}/charges`)).status).toBe(200);
  });

  it("as limits at the coordinator stops direct charges, and no rollup; setting them again repairs it", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "coordinator", [[LIMITS_KEY, value]]);
    expect((await post(`/v1/namespaces/${ns}/charges`)).body["code"]).toBe("unavailable");
    await post(`${refPath(ns)}/charges`);
    expect((await post(`${refPath(ns)}/rollup`)).body["view"]).toMatchObject({ total: { ops: 1n, bytes: 0n } });
    await call(`/v1/namespaces/${ns}/limits`, { method: "PUT", body: '{"maxOps":9,"maxBytes":null}' });
    expect((await post(`/v1/namespaces/${ns}/charges`)).status).toBe(200);
  });

  it("as a ref's target stops its moves and reads, and no charge", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "ref", [[REF_TARGET_KEY, value]]);
    expect((await call(refPath(ns))).status).toBe(503);
    expect((await call(refPath(ns), { method: "PUT", body: '{"target":null}' })).status).toBe(503);
    expect((await post(`${refPath(ns)}/charges`)).status).toBe(200);
  });

  it("as what a key was answered stops requests with that key alone", async () => {
    const ns = freshNamespace();
    await putByHand(ns, "ref", [[idempotencyKey(currentWindow(), 1, "broken"), value]]);
    const keyed = (key: string) =>
      call(`${refPath(ns)}/charges`, { method: "POST", headers: { "Idempotency-Key": key } });
    expect((await keyed("broken")).status).toBe(503);
    expect((await keyed("sound")).status).toBe(200);
  });
});

it("a shard's limits that cannot be read stop its charges until a rollup replaces them", async () => {
  const ns = freshNamespace();
  const view = { total: { ops: 0n, bytes: 0n }, pushed: { ops: 0n, bytes: 0n }, observedAtMs: BigInt(Date.now()) };
  await putByHand(ns, "ref", [
    [quotaShardKey(currentWindow()), encodeUsage({ ops: 0n, bytes: 0n })],
    [quotaViewKey(currentWindow()), encodeView(view)],
    [LIMITS_KEY, bytesOf("01")],
  ]);
  expect((await post(`${refPath(ns)}/charges`)).body["code"]).toBe("unavailable");
  expect((await post(`${refPath(ns)}/rollup`)).body["limits"]).toEqual({ maxOps: 300n, maxBytes: 134_217_728n });
  expect((await post(`${refPath(ns)}/charges`)).status).toBe(200);
});
