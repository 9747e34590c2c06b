// The routes: this table is all there is to the API. app.ts mounts it, openapi.ts describes it.
import { namespaceRoutes } from "./namespace-routes.ts";
import { openApiDocument } from "./openapi.ts";
import { refRoutes } from "./ref-routes.ts";
import { respond } from "./respond.ts";
import { healthAnswer, openApiAnswer } from "./response-schemas.ts";
import { defineRoute, type Route } from "./route.ts";

let document: object | null = null;

export const routes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/healthz",
    access: "public",
    operationId: "checkHealth",
    summary: "Whether the service is configured",
    success: { description: "It is.", body: healthAnswer },
    handle: () => respond(200, { status: "ok" }),
  }),
  defineRoute({
    method: "GET",
    path: "/openapi.json",
    access: "public",
    operationId: "readOpenApi",
    summary: "Read this document",
    success: { description: "OpenAPI 3.1 of every route.", body: openApiAnswer },
    handle: () => {
      document ??= openApiDocument(routes);
      return respond(200, document);
    },
  }),
  ...refRoutes,
  ...namespaceRoutes,
];
