// What the package exports: all that another Worker needs to extend RefShard with writes of its own, to
// deploy the objects, to find them, and to type a service binding to this Worker. Every name here is
// public, and test/public-surface.test-d.ts pins it.
export { isIdempotencyKey, isName, isRefName } from "./core/names.ts";
export type { Dimension, Limits, Remaining, Usage } from "./core/usage.ts";
export type { Window } from "./core/window.ts";
export type { Cost, EmbeddedQuota } from "./objects/embedded-quota.ts";
export type { QuotaEnv, QuotaObjects } from "./objects/env.ts";
export { objectName, type ObjectPartition } from "./objects/identity.ts";
export { NamespaceCoordinator } from "./objects/namespace-coordinator.ts";
export { type CallFailure, type Internal, QuotaClient, type RefTarget } from "./objects/quota-client.ts";
export { RefShard } from "./objects/ref-shard.ts";
export type {
  Allowed,
  ChargeResult,
  Conflict,
  CostExceedsLimit,
  Exhausted,
  IdempotencyMismatch,
  MoveResult,
  QuotaState,
  ViewReport,
  WindowSpan,
} from "./quota/charge.ts";
export type { LimitsReport } from "./quota/namespace-quota.ts";
export type { RefMove } from "./quota/ref-move.ts";
export type {
  Contribution,
  ContributionsPage,
  ContributionsQuery,
  NamespaceReport,
  WindowTotal,
} from "./quota/reports.ts";
export type { Found, InvalidRequest, Unavailable } from "./quota/result.ts";
export type { MoveAnswer, NotConfigured, NotFound, QuotaRpc, RpcFailure } from "./rpc/quota-rpc.ts";
