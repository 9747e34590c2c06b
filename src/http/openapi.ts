// The OpenAPI document of the routes, from the schemas they validate with.
// https://spec.openapis.org/oas/v3.1.1.html
import type { z } from "zod";
import { type JsonObject, jsonSchemaOf } from "./json-schema.ts";
import { type Components, problemResponses, successResponse } from "./openapi-responses.ts";
import type { Route } from "./route.ts";

/** That of the package; test/http/openapi.test.ts keeps them equal. */
const VERSION = "0.1.0";

const SECURITY = {
  public: [],
  write: [{ writeToken: [] }, { adminToken: [] }],
  admin: [{ adminToken: [] }],
};

/** May hold bigint; `stringifyJson` writes it exactly. */
export function openApiDocument(routes: readonly Route[]): JsonObject {
  const components: Components = { schemas: {}, responses: {} };
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, components) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "namespace-quota",
      version: VERSION,
      summary: "Write quotas for namespaces that are sharded over Durable Objects",
      description:
        "Counters are JSON integers, exact to 2^64-1 in both directions. Errors are application/problem+json with a stable `code`; a path that is not here is 404 `not_found`, a method 405 `method_not_allowed` with Allow.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      ...components,
      securitySchemes: {
        writeToken: { type: "http", scheme: "bearer", description: "QUOTA_WRITE_TOKEN: charges, ref moves, reads." },
        adminToken: { type: "http", scheme: "bearer", description: "QUOTA_ADMIN_TOKEN: everything." },
      },
    },
  };
}

function operation(route: Route, components: Components): JsonObject {
  const { schemas } = components;
  const { operationId, summary, access, body } = route;
  const parameters = [
    ...parametersOf("path", route.params, schemas),
    ...parametersOf("query", route.query, schemas),
    ...parametersOf("header", route.headers, schemas),
  ];
  return {
    operationId,
    summary,
    security: SECURITY[access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: requestBody(body, schemas) }),
    responses: { 200: successResponse(route.success, schemas), ...problemResponses(route, components) },
  };
}

function parametersOf(place: string, schema: z.ZodObject | null, schemas: JsonObject): readonly JsonObject[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...own } = jsonSchemaOf(field as z.ZodType, schemas);
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: own };
  });
}

/** An empty body stands for an empty object, so it may be left out where that will do. */
function requestBody(body: z.ZodObject, schemas: JsonObject): JsonObject {
  return {
    required: !body.safeParse({}).success,
    content: { "application/json": { schema: jsonSchemaOf(body, schemas) } },
  };
}
