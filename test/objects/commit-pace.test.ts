import { expect, it } from "vitest";
import { CommitPace } from "../../src/objects/commit-pace.ts";

function waits(pace: CommitPace, ...decisions: readonly number[]): string {
  return decisions.map((count) => (pace.waitsFor(count) ? "w" : "-")).join("");
}

it("waits for the first commits, then, while each is of one decision, for one in eight", () => {
  const pace = new CommitPace();
  expect(waits(pace, ...Array<number>(26).fill(1))).toBe("ww-----w-------w-------w--");
});

it("waits again as soon as decisions have come together, and for the next ones after them", () => {
  const pace = new CommitPace();
  expect(waits(pace, 1, 1, 1, 1, 2, 1, 1, 1, 63, 1, 63, 1)).toBe("ww--www-wwww");
});
