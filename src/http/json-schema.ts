// JSON Schema of what the routes validate with. Schemas with an id become components that others refer to.
import { z } from "zod";
import { MAX_U64 } from "../core/u64.ts";

export type JsonObject = { [key: string]: unknown };

const SCHEMAS = "#/components/schemas/";

/**
 * What a request may hold, or an answer holds. `schemas` takes in those it refers to, by id. An
 * answer's objects stay open: a client must expect members it does not know.
 */
export function jsonSchemaOf(schema: z.ZodType, schemas: JsonObject): JsonObject {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema: { _zod: zod }, jsonSchema }) => {
      if (zod.def.type === "bigint") Object.assign(jsonSchema, { type: "integer", format: "uint64" });
      // The default of a value that is transformed is in the form it has on the wire, too.
      if (zod.def.type === "default") jsonSchema.default = onTheWire(zod.def.defaultValue);
      // Numbers of a query are read from text, by a pattern.
      if (jsonSchema.type === "integer") delete jsonSchema.pattern;
    },
  });
  for (const [id, definition] of Object.entries($defs)) schemas[id] = asComponent(definition);
  return asComponent(own) as JsonObject;
}

/** The converter passes everything through JSON, where the bounds of a u64 would be rounded. */
function asComponent(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asComponent);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => {
    const isReference = key === "$ref" && typeof value === "string";
    return [key, isReference ? value.replace("#/$defs/", SCHEMAS) : asComponent(value)];
  });
  const copy: JsonObject = Object.fromEntries(entries);
  return copy["format"] === "uint64" ? { ...copy, minimum: 0n, maximum: MAX_U64 } : copy;
}

function onTheWire(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
