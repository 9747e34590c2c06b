// What objects offer to other Workers, and a call that comes when its window is long gone, in workerd.
import { expect, it } from "vitest";
import { encodePartition } from "../../src/core/partition.ts";
import { toWindow } from "../../src/core/window.ts";
import { NamespaceCoordinator, RefShard } from "../../src/index.ts";
import { call, freshNamespace, post, refPath } from "../runtime/api.ts";
import { coordinatorOf, NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";
import { chargeNamespace, chargeOnce, expectTotal } from "./paths.ts";
import { fireAlarm, moveToPast } from "./time-machine.ts";

const WINDOW_MS = 86_400_000;

it.each([
  ["RefShard", RefShard, ["alarm", "charge", "constructor", "move", "rollUp", "target", "usage"]],
  [
    "NamespaceCoordinator",
    NamespaceCoordinator,
    ["alarm", "charge", "constructor", "contributions", "limits", "push", "setLimits", "usage"],
  ],
] as const)("%s has no public method beyond its RPC surface", (_name, objectClass, methods) => {
  const names = Object.getOwnPropertyNames(objectClass.prototype);
  expect(names.toSorted((left, right) => (left < right ? -1 : 1))).toEqual(methods);
});

it("a push for a window that has been pruned leaves nothing behind", async () => {
  const ns = freshNamespace();
  const source = encodePartition({ kind: "ref", ns, repo: "web", ref: "refs/heads/main" });
  const window = toWindow(BigInt(Math.floor(Date.now() / WINDOW_MS)) - 10n);
  const push = { source, window, windowMs: WINDOW_MS, usage: { ops: 1n, bytes: 1n }, sentAtMs: Date.now() };
  expect(await coordinatorOf(ns).push(push)).toMatchObject({ kind: "accepted" });
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);

  await chargeNamespace(ns);
  const before = await storedIn(coordinatorOf(ns));
  await coordinatorOf(ns).push(push);
  expect(await storedIn(coordinatorOf(ns))).toEqual(before);
});

it("a shard that wakes after its coordinator has ended the window empties itself, and leaves nothing there", async () => {
  const ns = freshNamespace();
  await chargeOnce(ns);
  await fireAlarm(shardOf(ns));
  await moveToPast(coordinatorOf(ns));
  await fireAlarm(coordinatorOf(ns));
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
  await moveToPast(shardOf(ns));
  await fireAlarm(shardOf(ns));
  expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
  expect(await storedIn(coordinatorOf(ns))).toEqual(NOTHING_STORED);
});

it.each(["coordinator", "global", "hasOwnProperty", "constructor", "c", "r"])(
  "a namespace called %s is one like any other",
  async (ns) => {
    await chargeOnce(ns);
    await post(`${refPath(ns)}/rollup`);
    await chargeNamespace(ns);
    await expectTotal(ns, 2n, 1n);
    expect((await call(`/v1/namespaces/${ns}/contributions`)).body["items"]).toEqual([
      { repo: "web", ref: "refs/heads/main", ops: 1n, bytes: 10n },
    ]);
  },
);
