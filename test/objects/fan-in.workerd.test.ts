// Many shards of one namespace that roll up in the same moment: none makes another fail.
import { expect, it } from "vitest";
import { encodePartition } from "../../src/core/partition.ts";
import { windowOf } from "../../src/core/window.ts";
import { call } from "../runtime/api.ts";
import { coordinatorOf } from "../runtime/objects.ts";

const SHARDS = 2_000;
const WINDOW_MS = 3_600_000;

it("two thousand rollups at once all succeed the first time, and the total is their sum", async () => {
  const ns = "fan-in";
  const window = windowOf(Date.now(), WINDOW_MS);
  const results = await Promise.all(
    Array.from({ length: SHARDS }, (_, shard) => {
      const source = encodePartition({ kind: "ref", ns, repo: "web", ref: `refs/heads/b${shard}` });
      return coordinatorOf(ns).push({
        source,
        window,
        windowMs: WINDOW_MS,
        usage: { ops: 1n, bytes: BigInt(shard) },
        sentAtMs: 0,
      });
    }),
  );
  expect(results.filter((result) => result.kind === "accepted")).toHaveLength(SHARDS);
  const { body } = await call(`/v1/namespaces/${ns}/usage`);
  expect([body["total"], body["sources"]]).toEqual([{ ops: 2_000n, bytes: 1_999_000n }, 2_000n]);
});
