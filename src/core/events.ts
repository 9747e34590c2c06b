// What happens inside that an operator may want to know of. The pure layers report events; the object
// layer turns them into metrics and log lines (src/objects/telemetry.ts, docs/operations.md).
import type { Usage } from "./usage.ts";
import type { Window } from "./window.ts";

export type FailureReason = "corrupt" | "contention" | "full" | "unavailable" | "invalid" | "unsupported" | "overflow";

export type ChargeOutcome =
  | "allowed"
  | "replayed"
  | "quota_exhausted"
  | "cost_exceeds_limit"
  | "conflict"
  | "idempotency_mismatch";

export type QuotaEvent =
  /** `view` is what the decision rested on; null when none was needed. */
  | {
      readonly kind: "charge";
      readonly outcome: ChargeOutcome;
      readonly view: "fresh" | "stale" | "missing" | "exact" | null;
    }
  | { readonly kind: "chargeFailed"; readonly reason: FailureReason }
  | { readonly kind: "rollup"; readonly window: Window; readonly result: "pushed" | "unchanged" | "ended" }
  | { readonly kind: "rollupFailed"; readonly window: Window; readonly reason: FailureReason }
  | {
      readonly kind: "rebase";
      readonly window: Window;
      readonly source: Uint8Array;
      readonly from: Usage;
      readonly to: Usage;
    }
  /** The coordinator did not give a view when asked; charges go on under the local cap. */
  | { readonly kind: "viewUnavailable"; readonly window: Window; readonly reason: FailureReason }
  /** Rows of ended windows were removed; when not complete, the rest follows. */
  | { readonly kind: "pruned"; readonly rows: number; readonly isComplete: boolean }
  /** As a window's timer fires: how many windows before the current one the oldest row still stored is. */
  | { readonly kind: "oldestWindow"; readonly window: Window; readonly behind: number }
  | {
      readonly kind: "timerFired";
      readonly timerKind: number;
      /** From when it was due to when its tick began. */
      readonly latenessMs: number;
      readonly durationMs: number;
    }
  | { readonly kind: "timerFailed"; readonly timerKind: number; readonly detail: string }
  | { readonly kind: "tickFailed"; readonly detail: string }
  | { readonly kind: "timerUnknown"; readonly timerKind: number | null };

export type Observe = (event: QuotaEvent) => void;
