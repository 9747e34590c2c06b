// The HTTP application: configuration, then route, then token, then body, in that order, so that a
// request that cannot be answered is refused by the cheapest check that sees it.
import { Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { authenticate, type Role } from "./auth.ts";
import { configurationOf } from "./configuration.ts";
import { dashboard } from "./dashboard.ts";
import { problem } from "./problems.ts";
import type { HttpEnv } from "./route.ts";
import { routes } from "./routes.ts";

const MAX_BODY_BYTES = 64 * 1_024;

export function createApp(): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(requireConfiguration, requireWellFormedPath);
  app.route("/dashboard", dashboard);
  for (const route of routes) {
    app.on(route.method, route.path, requireAccess(route.access), limitBody, route.answer);
  }
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path, () => methodNotAllowed(path));
  }
  app.notFound(() => problem("not_found", { detail: "No route has this path." }));
  app.onError((error) => {
    console.error(JSON.stringify({ kind: "requestFailed", detail: String(error) }));
    return problem("internal", { detail: "The request could not be handled." });
  });
  return app;
}

const requireConfiguration: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const configuration = configurationOf(c.env);
  if (configuration.kind === "misconfigured") return notConfigured(configuration.names);
  c.set("tokens", configuration.tokens);
  return next();
};

/** Without this a router would pass a malformed percent-encoding on as it stands. */
const requireWellFormedPath: MiddlewareHandler<HttpEnv> = async (c, next) => {
  try {
    decodeURIComponent(pathOf(c.req.url));
  } catch {
    return problem("invalid_request", { detail: "path: the percent-encoding is malformed" });
  }
  return next();
};

/** Everything before the query: a request's own URL is absolute and has been parsed. */
function pathOf(url: string): string {
  const queryAt = url.indexOf("?");
  return queryAt === -1 ? url : url.slice(0, queryAt);
}

const limitBody = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => problem("payload_too_large", { detail: `A body may have ${MAX_BODY_BYTES} bytes.` }),
});

function requireAccess(access: "public" | Role): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (access === "public") return next();
    const caller = authenticate(c.req.header("Authorization"), c.get("tokens"));
    if (caller.kind !== "authenticated") return unauthenticated(caller.kind);
    if (access === "admin" && caller.role !== "admin") {
      return problem("forbidden", { detail: "This takes the admin token." });
    }
    return next();
  };
}

function unauthenticated(kind: "missing" | "rejected"): Response {
  return problem("unauthenticated", {
    detail: kind === "missing" ? "Send Authorization: Bearer <token>." : "The token is not known.",
    headers: { "WWW-Authenticate": kind === "missing" ? "Bearer" : 'Bearer error="invalid_token"' },
  });
}

function methodNotAllowed(path: string): Response {
  const allowed = routes.filter((route) => route.path === path).map(({ method }) => method);
  return problem("method_not_allowed", {
    detail: `Allowed here: ${allowed.join(", ")}.`,
    headers: { Allow: allowed.join(", ") },
  });
}

function notConfigured(names: readonly string[]): Response {
  return problem("not_configured", {
    detail: `Missing or malformed: ${names.join(", ")}.`,
    members: { settings: [...names] },
  });
}
