// The closest peer on the platform, set up as its documentation says: hono-rate-limiter with the Durable
// Object store of @hono-rate-limiter/cloudflare, one object for each key.
import { DurableObjectRateLimiter, DurableObjectStore } from "@hono-rate-limiter/cloudflare";
import { WorkerEntrypoint } from "cloudflare:workers";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import type { BenchEnv } from "./env.ts";

export { DurableObjectRateLimiter };

const WINDOW_MS = 3_600_000;

const app = new Hono<{ Bindings: BenchEnv }>();
app.use((c, next) =>
  rateLimiter<{ Bindings: BenchEnv }>({
    windowMs: WINDOW_MS,
    limit: Number.MAX_SAFE_INTEGER,
    standardHeaders: "draft-7",
    keyGenerator: () => c.req.path,
    store: new DurableObjectStore({ namespace: c.env.HONO_LIMITER }),
  })(c, next),
);
app.post("/keys/:key", (c) => c.json({ decision: "allowed" }));

export class HonoLimitedWorker extends WorkerEntrypoint<BenchEnv> {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx);
  }
}
