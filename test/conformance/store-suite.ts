// The conformance suite: what any store must do, whatever it runs on (src/store/contract.ts).
import { describe } from "vitest";
import { describeCursors } from "./cursors.ts";
import type { OpenBackend } from "./harness.ts";
import { describeIsolation } from "./isolation.ts";
import { describeLimits } from "./limits.ts";
import { describePreconditions } from "./preconditions.ts";
import { describePrograms } from "./programs.ts";
import { describeScans } from "./scans.ts";
import { describeTime } from "./time.ts";
import { describeWrites } from "./writes.ts";

/** `open` gives a backend that nobody has written to, with a clock of its own. */
export function describeStore(name: string, open: OpenBackend): void {
  describe(name, () => {
    describePreconditions(open);
    describeTime(open);
    describeWrites(open);
    describeLimits(open);
    describeScans(open);
    describeCursors(open);
    describeIsolation(open);
    describePrograms(open);
  });
}
