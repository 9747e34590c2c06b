import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RecentMap } from "../../src/core/recent-map.ts";

describe("a recent map", () => {
  it("knows the last entries set, and forgets those before twice as many", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 40 }), (capacity, entries) => {
        const map = new RecentMap<number, number>(capacity);
        for (let key = 0; key < entries; key++) map.set(key, -key);
        for (let key = 0; key < entries; key++) {
          const age = entries - 1 - key;
          if (age < capacity) expect(map.get(key)).toBe(-key);
          if (age >= 2 * capacity) expect(map.get(key)).toBeUndefined();
        }
      }),
    );
  });

  it("takes an entry that is set again as new, with its new value", () => {
    const map = new RecentMap<string, number>(2);
    map.set("kept", 1);
    for (let other = 0; other < 5; other++) {
      map.set(`other ${other}`, 0);
      map.set("kept", other);
    }
    expect(map.get("kept")).toBe(4);
    expect(map.get("other 0")).toBeUndefined();
  });
});
