import { describe, expect, it } from "vitest";
import type { Partition } from "../../src/core/partition.ts";
import { ALL_ROWS } from "../../src/store/contract.ts";
import { absent, batch, bytes, key, type OpenBackend, PARTITION, put, remove, textRowsOf, write } from "./harness.ts";

const PARTITIONS: readonly Partition[] = [
  PARTITION,
  { kind: "ref", ns: "acme", repo: "web", ref: "refs/heads/mai" },
  { kind: "ref", ns: "acme", repo: "we", ref: "brefs/heads/main" },
  { kind: "ref", ns: "acm", repo: "eweb", ref: "refs/heads/main" },
  { kind: "coordinator", ns: "acme" },
  { kind: "coordinator", ns: "acme\nweb\nrefs/heads/main" },
  { kind: "coordinator", ns: "__proto__" },
  { kind: "coordinator", ns: "coordinator" },
  { kind: "coordinator", ns: "caf\u00e9" },
  { kind: "coordinator", ns: "cafe\u0301" },
];

export function describeIsolation(open: OpenBackend): void {
  describe("partitions (G6 isolation)", () => {
    it("never see one another's rows", async () => {
      const backend = open();
      for (const [index, partition] of PARTITIONS.entries()) {
        await backend.use(partition, (store) => {
          expect(textRowsOf(store)).toEqual([]);
          expect(store.get(key("same"))).toBeNull();
          expect(store.apply(batch([absent("same")], [put("same", String(index))]))).toEqual({ kind: "committed" });
        });
      }
      for (const [index, partition] of PARTITIONS.entries()) {
        await backend.use(partition, (store) => {
          expect(textRowsOf(store)).toEqual([["same", String(index)]]);
          expect(store.stats(ALL_ROWS)).toEqual({ rows: 1, bytes: 5 });
        });
      }
    });

    it("never delete one another's rows", async () => {
      const backend = open();
      for (const partition of PARTITIONS) await backend.use(partition, (store) => write(store, put("same", "1")));
      for (const [index, partition] of PARTITIONS.entries()) {
        await backend.use(partition, (store) => {
          expect(store.get(key("same"))).toEqual(bytes("1"));
          if (index % 2 === 0) write(store, remove("same"));
        });
      }
      for (const [index, partition] of PARTITIONS.entries()) {
        await backend.use(partition, (store) => {
          expect(textRowsOf(store)).toEqual(index % 2 === 0 ? [] : [["same", "1"]]);
        });
      }
    });
  });

  it("rows outlive the store that wrote them", async () => {
    const backend = open();
    await backend.use(PARTITION, (store) => write(store, put("a", "1")));
    await backend.use(PARTITION, (store) => {
      expect(textRowsOf(store)).toEqual([["a", "1"]]);
      write(store, put("b", "2"), remove("a"));
    });
    await backend.use(PARTITION, (store) => expect(textRowsOf(store)).toEqual([["b", "2"]]));
  });
}
