// The peers' shapes as far as the bench uses them: it is type-checked without their being installed.

declare module "@hono-rate-limiter/cloudflare" {
  import type { DurableObject } from "cloudflare:workers";

  interface Hits {
    readonly totalHits: number;
    readonly resetTime?: Date;
  }

  export class DurableObjectRateLimiter extends DurableObject {
    update(hits: number, windowMs: number): Promise<Hits>;
  }

  export class DurableObjectStore {
    constructor(options: { namespace: DurableObjectNamespace<DurableObjectRateLimiter> });
    increment(key: string): Promise<Hits>;
  }
}

declare module "hono-rate-limiter" {
  import type { Context, Env, Next } from "hono";
  import type { DurableObjectStore } from "@hono-rate-limiter/cloudflare";

  export function rateLimiter<E extends Env>(options: {
    windowMs: number;
    limit: number;
    standardHeaders: "draft-6" | "draft-7";
    keyGenerator: () => string;
    store: DurableObjectStore;
  }): (c: Context<E>, next: Next) => Promise<Response | undefined>;
}
