// What happens inside that an operator may want to know of. The pure layers report events; the
// object layer decides what becomes a log line or a metric.
import type { Usage } from "./usage.ts";
import type { Window } from "./window.ts";

export type FailureReason = "corrupt" | "contention" | "full" | "unavailable" | "invalid" | "unsupported" | "overflow";

export type QuotaEvent =
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
  | { readonly kind: "pruned"; readonly rows: number }
  | { readonly kind: "timerFailed"; readonly timerKind: number; readonly detail: string }
  | { readonly kind: "tickFailed"; readonly detail: string }
  | { readonly kind: "timerUnknown"; readonly timerKind: number | null };

export type Observe = (event: QuotaEvent) => void;
