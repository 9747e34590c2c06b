// What a shard and its coordinator say to each other. One call carries a rollup: the shard's
// cumulative usage there, the namespace's total back. It may be delivered twice or late, so it
// states what is and never what changed.
import type { FailureReason } from "../core/events.ts";
import type { Limits, Usage } from "../core/usage.ts";
import type { Window } from "../core/window.ts";

export interface Push {
  /** The shard's encoded partition. */
  readonly source: Uint8Array;
  readonly window: Window;
  /** The length the window was counted with; the deployment's may have changed since. */
  readonly windowMs: number;
  /** Cumulative within the window; replaces what was pushed before. */
  readonly usage: Usage;
  /** By the shard's clock, Unix ms: tells a push that comes late from one that takes a count back. */
  readonly sentAtMs: number;
}

/** What the coordinator says of a namespace's own limits. */
export type OwnLimits =
  | { readonly kind: "own"; readonly limits: Limits }
  /** It has none; the deployment's hold. */
  | { readonly kind: "none" }
  /** They cannot be read; what the shard knows goes on to hold. */
  | { readonly kind: "unreadable" };

export type PushResult =
  | { readonly kind: "accepted"; readonly total: Usage; readonly limits: OwnLimits; readonly rebasedFrom: Usage | null }
  | { readonly kind: "failed"; readonly reason: FailureReason };

export interface Coordinator {
  /** Safe to repeat. Resolves `failed` for what may pass; rejects only when no coordinator is configured. */
  push(push: Push): Promise<PushResult>;
}
