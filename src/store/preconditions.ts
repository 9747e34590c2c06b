// How preconditions are judged; the same for every backend.
import { equalBytes } from "../core/bytes.ts";
import type { Key } from "../core/keys.ts";
import type { BatchOutcome, Precondition } from "./contract.ts";
import { validatedNow } from "./validation.ts";

/** The first precondition that does not hold, as the batch's outcome; null when all hold. */
export function firstFailing(
  preconditions: readonly Precondition[],
  get: (key: Key) => Uint8Array | null,
  now: () => number,
): BatchOutcome | null {
  for (const [index, precondition] of preconditions.entries()) {
    if (precondition.kind === "notAfter") {
      const backendNowMs = validatedNow(now());
      if (backendNowMs > precondition.deadlineMs) return { kind: "deadlinePassed", backendNowMs };
      continue;
    }
    const observed = get(precondition.key);
    if (!holds(precondition, observed)) return { kind: "preconditionFailed", index, observed };
  }
  return null;
}

function holds(precondition: Exclude<Precondition, { kind: "notAfter" }>, observed: Uint8Array | null): boolean {
  switch (precondition.kind) {
    case "absent":
      return observed === null;
    case "present":
      return observed !== null;
    case "equals":
      return observed !== null && equalBytes(observed, precondition.value);
  }
}
