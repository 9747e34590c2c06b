import { describe, expect, it } from "vitest";
import { type Delay, withDeadline } from "../../src/core/clock.ts";

describe("work under a deadline", () => {
  it("gives its result when it is done first, and lets go of the delay", async () => {
    const delay = delayInHand();
    expect(await withDeadline(Promise.resolve(7), delay)).toBe(7);
    expect(delay.cancellations).toBe(1);
  });

  it("is late when the delay passes first", async () => {
    const delay = delayInHand();
    delay.pass();
    expect(await withDeadline(Promise.withResolvers<number>().promise, delay)).toBe("late");
    expect(delay.cancellations).toBe(1);
  });

  it("rejects as the work does, and lets go of the delay", async () => {
    const delay = delayInHand();
    await expect(withDeadline(Promise.reject(new Error("broken")), delay)).rejects.toThrow("broken");
    expect(delay.cancellations).toBe(1);
  });
});

function delayInHand(): Delay & { readonly pass: () => void; readonly cancellations: number } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let cancellations = 0;
  return {
    passed: promise,
    cancel: () => {
      cancellations++;
    },
    pass: resolve,
    get cancellations() {
      return cancellations;
    },
  };
}
