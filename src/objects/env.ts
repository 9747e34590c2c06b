// The bindings this Worker is deployed with; wrangler.toml declares them.
import type { NamespaceCoordinator } from "./namespace-coordinator.ts";
import type { RefShard } from "./ref-shard.ts";

// A type and not an interface, so that it can be read as a record of variables.
export type Env = {
  readonly REF_SHARD: DurableObjectNamespace<RefShard>;
  readonly NS_COORDINATOR: DurableObjectNamespace<NamespaceCoordinator>;
  readonly QUOTA_WINDOW_MS: string;
  readonly QUOTA_MAX_OPS: string;
  readonly QUOTA_MAX_BYTES: string;
  readonly QUOTA_ROLLUP_MS: string;
  readonly QUOTA_CLOCK_GRACE_MS: string;
  readonly QUOTA_COORDINATOR_TIMEOUT_MS: string;
  /** Where metrics go, if anywhere. */
  readonly QUOTA_METRICS?: AnalyticsEngineDataset;
  /** Secrets: `wrangler secret put`. */
  readonly QUOTA_WRITE_TOKEN: string;
  readonly QUOTA_ADMIN_TOKEN: string;
};
