// How a shard reaches its namespace's coordinator. A stub that has seen an infrastructure failure stays
// broken, so each attempt takes its own; a push states what is, so it may be repeated.
// https://developers.cloudflare.com/durable-objects/best-practices/error-handling/
import { type StartDelay, withDeadline } from "../core/clock.ts";
import type { Coordinator, Push, PushResult } from "../quota/protocol.ts";
import { hasFlag } from "./error-flags.ts";
import { objectName } from "./identity.ts";
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";

const MAX_ATTEMPTS = 3;
/** A call that takes longer is given up; the rollup's own period is the retry. */
const CALL_TIMEOUT_MS = 8_000;
const BASE_BACKOFF_MS = 50;

export function coordinatorClient(
  objects: DurableObjectNamespace<NamespaceCoordinator>,
  ns: string,
  startDelay: StartDelay,
): Coordinator {
  const id = objects.idFromName(objectName({ kind: "coordinator", ns }));
  const call = async (push: Push): Promise<PushResult> => objects.get(id).push(push);
  return {
    push: async (push: Push): Promise<PushResult> => {
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
        try {
          const result = await withDeadline(call(push), startDelay(CALL_TIMEOUT_MS));
          return result === "late" ? { kind: "failed", reason: "unavailable" } : result;
        } catch (error) {
          if (!mayRetry(error) || attempt === MAX_ATTEMPTS) break;
          await startDelay(Math.random() * BASE_BACKOFF_MS * 2 ** attempt).passed;
        }
      }
      return { kind: "failed", reason: "unavailable" };
    },
  };
}

/** An overloaded object must be left alone, whatever else the error says. */
function mayRetry(error: unknown): boolean {
  return hasFlag(error, "retryable") && !hasFlag(error, "overloaded");
}
