// What the bench's Worker is bound to: the Worker under measurement has its own bindings, with one more for
// each object it is compared with.
import type { DurableObjectRateLimiter } from "@hono-rate-limiter/cloudflare";
import type { Env } from "../../src/objects/env.ts";
import type { BareObject } from "./bare-object.ts";
import type { CountingRefShard } from "./counting-objects.ts";
import type { SharingObject } from "./sharing-object.ts";
import type { TextbookCounter } from "./textbook-counter.ts";
import type { TwoCallCoordinator } from "./two-call-coordinator.ts";

export type BenchEnv = Env & {
  readonly COUNTED_SHARD: DurableObjectNamespace<CountingRefShard>;
  readonly BARE: DurableObjectNamespace<BareObject>;
  readonly SHARING: DurableObjectNamespace<SharingObject>;
  readonly TWO_CALL: DurableObjectNamespace<TwoCallCoordinator>;
  readonly HONO_LIMITER: DurableObjectNamespace<DurableObjectRateLimiter>;
  readonly TEXTBOOK: DurableObjectNamespace<TextbookCounter>;
};
