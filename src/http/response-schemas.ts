// What answers look like: the types presentation.ts builds, and the schemas GET /openapi.json shows. They
// are never run on an answer here; test/http/openapi.workerd.test.ts validates live answers against them.
import { z } from "zod";
import { objectId } from "./schemas.ts";

const counter = z
  .bigint()
  .meta({ id: "Counter", description: "A JSON integer, exact to 2^64-1: not rounded at 2^53." });
const optionalCounter = counter.nullable();
const time = z.string().meta({ format: "date-time" });

const usage = z.object({ ops: counter, bytes: counter }).meta({ id: "Usage" });
export const limits = z
  .object({ maxOps: optionalCounter, maxBytes: optionalCounter })
  .meta({ id: "Limits", description: "Null is unlimited." });
const remaining = z
  .object({ ops: optionalCounter, bytes: optionalCounter })
  .meta({ id: "Remaining", description: "What is believed to be left, never negative; null where unlimited." });

const window = z
  .object({ number: counter, startsAt: time, endsAt: time })
  .meta({ id: "Window", description: "endsAt is the first moment after it." });

const view = z
  .discriminatedUnion("status", [
    z.object({ status: z.literal("missing") }),
    z.object({ status: z.enum(["fresh", "stale", "exact"]), total: usage, observedAt: time }),
  ])
  .meta({ id: "View", description: "What the partition knows of the namespace's total; exact at a coordinator." });

/** What a partition knows of one window; `usage` is its own. */
export const stateMembers = { window, usage, view, limits, remaining };
const charged = {
  decision: z.literal("allowed"),
  countedAt: z.enum(["shard", "coordinator"]),
  ...stateMembers,
};

export const chargeAnswer = z.object(charged).meta({ id: "Charged" });
export const moveAnswer = z.object({ ...charged, target: objectId.nullable() }).meta({ id: "Moved" });
export const refTargetAnswer = z.object({ target: objectId }).meta({ id: "RefTarget" });
export const refUsageAnswer = z.object(stateMembers).meta({ id: "RefUsage" });

export const namespaceUsageAnswer = z
  .object({
    namespace: z.string(),
    window,
    total: usage,
    sources: z.int().min(0).meta({ description: "Ref shards that have rolled up in the window." }),
    limits,
    remaining,
    windows: z
      .array(z.object({ window: counter, total: usage, sources: z.int().min(0) }).meta({ id: "WindowTotal" }))
      .meta({ description: "Every window still stored, in order." }),
  })
  .meta({ id: "NamespaceUsage" });

export const contributionsAnswer = z
  .object({
    items: z.array(
      z.object({ repo: z.string(), ref: z.string(), ops: counter, bytes: counter }).meta({ id: "Contribution" }),
    ),
    next: z.string().nullable().meta({ description: "The next page's cursor; null on the last." }),
  })
  .meta({ id: "ContributionsPage" });

export const limitsAnswer = z
  .object({ maxOps: optionalCounter, maxBytes: optionalCounter, source: z.enum(["default", "namespace"]) })
  .meta({ id: "LimitsReport", description: "The limits in force, and whether they are the namespace's own." });

export const healthAnswer = z.object({ status: z.literal("ok") }).meta({ id: "Health" });
export const openApiAnswer = z.looseObject({ openapi: z.string() }).meta({ description: "An OpenAPI document." });
export const metricsAnswer = z.string().meta({ description: "Gauges in Prometheus' text format." });
