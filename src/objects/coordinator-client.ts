// How a shard reaches its namespace's coordinator. A push states what is, so it may be repeated; one
// that does not come back in time is given up, and the rollup's own period is the next try.
import { withDeadline } from "../core/clock.ts";
import type { Coordinator, Push, PushResult } from "../quota/protocol.ts";
import { startDelay } from "./delay.ts";
import { objectName } from "./identity.ts";
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";
import { MAX_ATTEMPTS, withRetries } from "./retries.ts";

const CALL_TIMEOUT_MS = 8_000;

export function coordinatorClient(objects: DurableObjectNamespace<NamespaceCoordinator>, ns: string): Coordinator {
  const id = objects.idFromName(objectName({ kind: "coordinator", ns }));
  const call = (push: Push): Promise<PushResult> =>
    withRetries(MAX_ATTEMPTS, startDelay, async () => objects.get(id).push(push));
  return {
    push: async (push) => {
      try {
        const result = await withDeadline(call(push), startDelay(CALL_TIMEOUT_MS));
        return result === "late" ? { kind: "failed", reason: "unavailable" } : result;
      } catch {
        return { kind: "failed", reason: "unavailable" };
      }
    },
  };
}
