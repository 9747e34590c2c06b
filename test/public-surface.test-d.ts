// The package's public surface, pinned at compile time: a name that goes, or a type that changes, fails
// `npm run types`. What changes here is a change for everybody who builds on the package.
import { expectTypeOf } from "vitest";
import type * as Client from "namespace-quota/client";
import type * as Public from "../src/embed.ts";

type Values = typeof Public;

expectTypeOf<keyof Values>().toEqualTypeOf<
  "NamespaceCoordinator" | "QuotaClient" | "RefShard" | "isIdempotencyKey" | "isName" | "isRefName" | "objectName"
>();

expectTypeOf<keyof typeof Client>().toEqualTypeOf<"createQuotaClient">();
expectTypeOf<Parameters<typeof Client.createQuotaClient>>().toEqualTypeOf<[Client.QuotaClientOptions]>();

// The classes: what can be called on them, and what a subclass is given.
type Methods<Instance> = Exclude<keyof Instance, keyof DurableObject | keyof WorkerEntrypoint>;
type DurableObject = import("cloudflare:workers").DurableObject;
type WorkerEntrypoint = import("cloudflare:workers").WorkerEntrypoint;

expectTypeOf<Methods<Public.RefShard>>().toEqualTypeOf<"charge" | "move" | "rollUp" | "target" | "usage">();
expectTypeOf<Methods<Public.NamespaceCoordinator>>().toEqualTypeOf<
  "charge" | "contributions" | "limits" | "push" | "setLimits" | "usage"
>();
expectTypeOf<ConstructorParameters<typeof Public.RefShard>>().toEqualTypeOf<[DurableObjectState, Public.QuotaEnv]>();

type OwnEnv = Public.QuotaEnv & { readonly BUCKET: R2Bucket };
declare class OwnShard extends Public.RefShard<OwnEnv> {
  save(): Promise<string>;
  env: OwnEnv;
  override quota: Public.EmbeddedQuota;
}

expectTypeOf<keyof Public.EmbeddedQuota>().toEqualTypeOf<"charge">();
expectTypeOf<Public.EmbeddedQuota["charge"]>().parameters.toEqualTypeOf<[cost: Public.Cost, write?: () => void]>();
expectTypeOf<Public.EmbeddedQuota["charge"]>().returns.resolves.toEqualTypeOf<
  Public.ChargeResult | Public.InvalidRequest
>();
expectTypeOf<Public.Cost>().toEqualTypeOf<{ readonly bytes?: bigint; readonly idempotencyKey?: string }>();

// What a deployment binds, and how its objects are found.
type Objects<Shard extends Public.RefShard> = {
  readonly REF_SHARD: DurableObjectNamespace<Shard>;
  readonly NS_COORDINATOR: DurableObjectNamespace<Public.NamespaceCoordinator>;
};
type Settings =
  | "QUOTA_WINDOW_MS"
  | "QUOTA_MAX_OPS"
  | "QUOTA_MAX_BYTES"
  | "QUOTA_ROLLUP_MS"
  | "QUOTA_CLOCK_GRACE_MS"
  | "QUOTA_COORDINATOR_TIMEOUT_MS";
expectTypeOf<keyof Public.QuotaEnv>().toEqualTypeOf<Settings | "NS_COORDINATOR" | "QUOTA_METRICS">();
expectTypeOf<Pick<Public.QuotaEnv, Settings>>().toEqualTypeOf<Readonly<Record<Settings, string>>>();
expectTypeOf<Public.QuotaEnv["QUOTA_METRICS"]>().toEqualTypeOf<AnalyticsEngineDataset | undefined>();
expectTypeOf<keyof Public.QuotaObjects>().toEqualTypeOf<"NS_COORDINATOR" | "REF_SHARD">();
expectTypeOf<Objects<Public.RefShard>>().toExtend<Public.QuotaObjects>();
expectTypeOf<Objects<OwnShard>>().toExtend<Public.QuotaObjects>();

type RefTarget = { readonly ns: string; readonly repo: string; readonly ref: string };
expectTypeOf<Public.RefTarget>().toEqualTypeOf<RefTarget>();
expectTypeOf<Values["objectName"]>().toEqualTypeOf<(partition: Public.ObjectPartition) => string>();
expectTypeOf<{ kind: "coordinator"; ns: string }>().toExtend<Public.ObjectPartition>();
expectTypeOf<{ kind: "ref" } & RefTarget>().toExtend<Public.ObjectPartition>();
expectTypeOf<Public.ObjectPartition["kind"]>().toEqualTypeOf<"coordinator" | "ref">();
expectTypeOf<Values["isName" | "isRefName" | "isIdempotencyKey"]>().toEqualTypeOf<(text: string) => boolean>();

// What is counted, and what is answered.
type Usage = { readonly ops: bigint; readonly bytes: bigint };
type Limits = { readonly maxOps: bigint | null; readonly maxBytes: bigint | null };
type Remaining = { readonly ops: bigint | null; readonly bytes: bigint | null };
type WindowSpan = { readonly number: Public.Window; readonly startsAtMs: number; readonly endsAtMs: number };
type ViewReport =
  | { readonly status: "missing" }
  | { readonly status: "exact" | "fresh" | "stale"; readonly total: Usage; readonly observedAtMs: number };
type QuotaState = {
  readonly window: WindowSpan;
  readonly usage: Usage;
  readonly view: ViewReport;
  readonly limits: Limits;
  readonly remaining: Remaining;
};
expectTypeOf<Public.Window>().toExtend<bigint>();
expectTypeOf<Public.Usage>().toEqualTypeOf<Usage>();
expectTypeOf<Public.Limits>().toEqualTypeOf<Limits>();
expectTypeOf<Public.Remaining>().toEqualTypeOf<Remaining>();
expectTypeOf<Public.WindowSpan>().toEqualTypeOf<WindowSpan>();
expectTypeOf<Public.ViewReport>().toEqualTypeOf<ViewReport>();
expectTypeOf<Public.QuotaState>().branded.toEqualTypeOf<QuotaState>();

type Dimension = "bytes" | "ops";
type Ok<Result> = Extract<Result, { ok: true }>;
type Refused<Result, Code> = Extract<Result, { code: Code }>;
expectTypeOf<Public.Dimension>().toEqualTypeOf<Dimension>();
expectTypeOf<Ok<Public.ChargeResult>>().branded.toEqualTypeOf<
  QuotaState & {
    readonly ok: true;
    readonly decision: "allowed";
    readonly countedAt: "coordinator" | "shard";
    readonly replayed: boolean;
  }
>();
expectTypeOf<Refused<Public.ChargeResult, "quota_exhausted">>().branded.toEqualTypeOf<
  QuotaState & {
    readonly ok: false;
    readonly code: "quota_exhausted";
    readonly scope: "namespace" | "shard";
    readonly dimension: Dimension;
    readonly retryAfterMs: number;
  }
>();
expectTypeOf<Refused<Public.ChargeResult, "cost_exceeds_limit">>().branded.toEqualTypeOf<{
  readonly ok: false;
  readonly code: "cost_exceeds_limit";
  readonly dimension: Dimension;
  readonly limits: Limits;
}>();
expectTypeOf<Public.Allowed>().toEqualTypeOf<Ok<Public.ChargeResult>>();
expectTypeOf<Public.Exhausted>().toEqualTypeOf<Refused<Public.ChargeResult, "quota_exhausted">>();
expectTypeOf<Public.CostExceedsLimit>().toEqualTypeOf<Refused<Public.ChargeResult, "cost_exceeds_limit">>();
expectTypeOf<Public.IdempotencyMismatch>().toEqualTypeOf<Refused<Public.ChargeResult, "idempotency_mismatch">>();
type Codes<Result> = Exclude<Result, { ok: true }> extends { code: infer Code } ? Code : never;
type ChargeCodes = "cost_exceeds_limit" | "idempotency_mismatch" | "quota_exhausted" | "unavailable";
expectTypeOf<Codes<Public.ChargeResult>>().toEqualTypeOf<ChargeCodes>();
expectTypeOf<Codes<Public.MoveResult>>().toEqualTypeOf<ChargeCodes | "conflict">();
expectTypeOf<Public.Conflict>().toEqualTypeOf<{
  readonly ok: false;
  readonly code: "conflict";
  readonly current: string | null;
}>();
expectTypeOf<Public.InvalidRequest>().toEqualTypeOf<{
  readonly ok: false;
  readonly code: "invalid_request";
  readonly detail: string;
}>();
expectTypeOf<Public.Unavailable>().toEqualTypeOf<{
  readonly ok: false;
  readonly code: "unavailable";
  readonly reason: "contention" | "corrupt" | "full" | "invalid" | "overflow" | "unavailable" | "unsupported";
  readonly retryAfterMs: number;
}>();
expectTypeOf<Public.Found<{ readonly a: 1 }>>().branded.toEqualTypeOf<{ readonly ok: true; readonly a: 1 }>();
expectTypeOf<Public.RefMove>().toEqualTypeOf<{
  readonly expected?: string | null | undefined;
  readonly target: string | null;
}>();
expectTypeOf<Public.LimitsReport>().branded.toEqualTypeOf<Limits & { readonly source: "default" | "namespace" }>();
expectTypeOf<Public.NamespaceReport>().branded.toEqualTypeOf<{
  readonly window: WindowSpan;
  readonly total: Usage;
  readonly sources: number;
  readonly limits: Limits;
  readonly remaining: Remaining;
  readonly windows: readonly { readonly window: Public.Window; readonly total: Usage; readonly sources: number }[];
}>();
expectTypeOf<Public.ContributionsQuery>().branded.toEqualTypeOf<{
  readonly window: Public.Window | null;
  readonly limit: number;
  readonly cursor: string | null;
}>();
expectTypeOf<Public.ContributionsPage>().branded.toEqualTypeOf<{
  readonly items: readonly ({ readonly repo: string; readonly ref: string } & Usage)[];
  readonly next: string | null;
}>();
expectTypeOf<Public.Contribution>().toEqualTypeOf<Public.ContributionsPage["items"][number]>();
expectTypeOf<Public.WindowTotal>().toEqualTypeOf<Public.NamespaceReport["windows"][number]>();

// The client of an embedding Worker.
expectTypeOf<ConstructorParameters<Values["QuotaClient"]>>().toEqualTypeOf<[Public.QuotaObjects]>();
expectTypeOf<keyof Public.QuotaClient>().toEqualTypeOf<
  | "chargeNamespace"
  | "chargeRef"
  | "contributions"
  | "limits"
  | "moveRef"
  | "namespaceUsage"
  | "readRef"
  | "refUsage"
  | "rollUpRef"
  | "setLimits"
>();
expectTypeOf<Public.Internal>().toEqualTypeOf<Refused<Public.CallFailure, "internal">>();
expectTypeOf<Codes<Public.CallFailure>>().toEqualTypeOf<"internal" | "unavailable">();

// A service binding to this Worker: arguments as bigint or number, results as values.
type Service = Public.QuotaRpc;
type Counter = bigint | number;
type Ref = { namespace: string; repo: string; ref: string };
type Target = { namespace: string; repo?: string | undefined; ref?: string | undefined };
type ChargeCost = { bytes?: Counter | undefined; idempotencyKey?: string | null | undefined };
type Move = ChargeCost & { expected?: string | null | undefined; target: string | null };
type Page = { window?: Counter | null | undefined; limit?: number | undefined; cursor?: string | null | undefined };
type OwnLimits = { maxOps: Counter | null; maxBytes: Counter | null };
type Answer<Method extends keyof Service> = Service[Method] extends (...args: never[]) => Promise<infer Result>
  ? Result
  : never;
expectTypeOf<Methods<Service>>().toEqualTypeOf<
  "charge" | "contributions" | "limits" | "moveRef" | "readRef" | "rollUp" | "setLimits" | "usage"
>();
expectTypeOf<Parameters<Service["charge"]>>().branded.toEqualTypeOf<[target: Target, cost?: ChargeCost | undefined]>();
expectTypeOf<Parameters<Service["usage"]>>().branded.toEqualTypeOf<[target: Target]>();
expectTypeOf<Parameters<Service["moveRef"]>>().branded.toEqualTypeOf<[target: Ref, move: Move]>();
expectTypeOf<Parameters<Service["readRef" | "rollUp"]>>().branded.toEqualTypeOf<[target: Ref]>();
expectTypeOf<Parameters<Service["limits"]>>().toEqualTypeOf<[namespace: string]>();
expectTypeOf<Parameters<Service["setLimits"]>>().branded.toEqualTypeOf<[namespace: string, limits: OwnLimits | null]>();
expectTypeOf<Parameters<Service["contributions"]>>().branded.toEqualTypeOf<
  [namespace: string, page?: Page | undefined]
>();

type CallCodes = "internal" | "invalid_request" | "not_configured" | "unavailable";
expectTypeOf<Codes<Public.RpcFailure>>().toEqualTypeOf<CallCodes>();
expectTypeOf<Public.NotConfigured["settings"]>().toEqualTypeOf<readonly string[]>();
expectTypeOf<Public.NotFound["code"]>().toEqualTypeOf<"not_found">();
expectTypeOf<Answer<"charge">>().toEqualTypeOf<Public.ChargeResult | Public.RpcFailure>();
expectTypeOf<Answer<"moveRef">>().toEqualTypeOf<Public.MoveAnswer | Public.RpcFailure>();
expectTypeOf<Ok<Public.MoveAnswer>["target"]>().toEqualTypeOf<string | null>();
expectTypeOf<Codes<Public.MoveAnswer>>().toEqualTypeOf<ChargeCodes | "conflict">();
expectTypeOf<Ok<Answer<"readRef">>["target"]>().toEqualTypeOf<string>();
expectTypeOf<Codes<Answer<"readRef">>>().toEqualTypeOf<CallCodes | "not_found">();
expectTypeOf<Ok<Answer<"usage">>>().toEqualTypeOf<
  Ok<Public.Found<QuotaState> | Public.Found<Public.NamespaceReport>>
>();
expectTypeOf<Answer<"rollUp">>().toEqualTypeOf<Public.Found<Public.QuotaState> | Public.RpcFailure>();
expectTypeOf<Answer<"limits" | "setLimits">>().toEqualTypeOf<Public.Found<Public.LimitsReport> | Public.RpcFailure>();
expectTypeOf<Answer<"contributions">>().toEqualTypeOf<Public.Found<Public.ContributionsPage> | Public.RpcFailure>();
