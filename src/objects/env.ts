// The bindings the Worker is deployed with; wrangler.toml declares them.
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";
import type { RefShard } from "./ref-shard.ts";

/**
 * What the object classes need of the Worker that deploys them, this one or one that extends RefShard. A type
 * and not an interface, so that it can be read as a record of variables.
 */
export type QuotaEnv = {
  readonly NS_COORDINATOR: DurableObjectNamespace<NamespaceCoordinator>;
  readonly QUOTA_WINDOW_MS: string;
  readonly QUOTA_MAX_OPS: string;
  readonly QUOTA_MAX_BYTES: string;
  readonly QUOTA_ROLLUP_MS: string;
  readonly QUOTA_CLOCK_GRACE_MS: string;
  readonly QUOTA_COORDINATOR_TIMEOUT_MS: string;
  /** Where metrics go, if anywhere. */
  readonly QUOTA_METRICS?: AnalyticsEngineDataset;
};

type ShardMethod = "charge" | "move" | "rollUp" | "target" | "usage";

/** Where the objects of a deployment are found. The shards may be of a class that extends RefShard. */
export type QuotaObjects = {
  readonly REF_SHARD: Pick<DurableObjectNamespace, "idFromName"> & {
    get(id: DurableObjectId): Pick<DurableObjectStub<RefShard>, ShardMethod>;
  };
  readonly NS_COORDINATOR: DurableObjectNamespace<NamespaceCoordinator>;
};

/** The bindings of the Worker itself. */
export type Env = QuotaEnv & {
  readonly REF_SHARD: DurableObjectNamespace<RefShard>;
  /** Secrets: `wrangler secret put`. */
  readonly QUOTA_WRITE_TOKEN: string;
  readonly QUOTA_ADMIN_TOKEN: string;
};
