// What a namespace's coordinator does: it takes rollups and direct charges, decides those that arrive
// together in order, commits them together, and clears what older windows left behind when a push says
// that one has ended.
import { decodeU64 } from "../core/codec.ts";
import type { Clock } from "../core/clock.ts";
import type { Observe } from "../core/events.ts";
import type { QuotaSettings } from "../core/settings.ts";
import { type Window, windowExpiryMs, windowOf } from "../core/window.ts";
import type { Store } from "../store/contract.ts";
import type { TimerHandler } from "../timers/registry.ts";
import type { ChargeAnswer, ChargeRequest, ChargeResult } from "./charge.ts";
import { CommitQueue } from "./commit-queue.ts";
import { type Commit, commitTogether, type Settled } from "./commit-together.ts";
import { type CoordinatorContext, decidePush } from "./contribution.ts";
import { decideExactCharge } from "./exact-charge.ts";
import { expiryHandler } from "./expiry.ts";
import { answerOrUnavailable, unavailable } from "./failures.ts";
import type { Coordinator, Push, PushResult } from "./protocol.ts";
import { pruneBefore } from "./prune.ts";
import {
  type ContributionsPage,
  type ContributionsQuery,
  type NamespaceReport,
  reportContributions,
  reportNamespace,
} from "./reports.ts";

export interface CoordinatorDependencies {
  readonly store: Store;
  readonly settings: QuotaSettings;
  readonly clock: Clock;
  /** Resolves when everything written is durable. */
  readonly flush: () => Promise<void>;
  readonly observe: Observe;
}

export type CoordinatorRequest =
  | { readonly kind: "push"; readonly push: Push }
  | { readonly kind: "charge"; readonly charge: ChargeRequest };

export type CoordinatorAnswer =
  | { readonly kind: "push"; readonly result: PushResult }
  | { readonly kind: "charge"; readonly answer: ChargeAnswer };

