// What a charge came to, once its commit is made or has failed: the answer, and the event that says so. The
// event of a lone charge may come before its commit is durable; one whose instance dies just then counts one more.
import type { Observe } from "../core/events.ts";
import type { Conflict, Decision, IdempotencyMismatch } from "./charge.ts";
import type { Settled } from "./commit-together.ts";
import { type Unavailable, unavailable } from "./result.ts";

export type DecidedCharge = Decision | IdempotencyMismatch | Conflict;

export function settledCharge<Answer extends DecidedCharge>(
  settled: Settled<Answer>,
  observe: Observe,
): Answer | Unavailable {
  if (settled.kind === "failed") {
    observe({ kind: "chargeFailed", reason: settled.reason });
    return unavailable(settled.reason);
  }
  const answer: DecidedCharge = settled.answer;
  const view = "view" in answer ? answer.view.status : null;
  if (!answer.ok) observe({ kind: "charge", outcome: answer.code, view });
  else if (answer.replayed) observe({ kind: "charge", outcome: "replayed", view: null });
  else observe({ kind: "charge", outcome: "allowed", view });
  return settled.answer;
}
