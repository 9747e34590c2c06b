// Writes client/schema.ts from the OpenAPI document: `npm run client:types`. Run by Node, never shipped.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import ts from "typescript";
import { stringifyJson } from "../src/http/json.ts";
import { openApiDocument } from "../src/http/openapi.ts";
import { routes } from "../src/http/routes.ts";

const HEAD = `// Generated from the OpenAPI document by \`npm run client:types\`; not to be edited.
`;
export const SCHEMA_FILE = join(import.meta.dirname, "schema.ts");
const COUNTER = "#/components/schemas/Counter";
const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NUMBER = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NumberKeyword);

export async function clientSchemaSource(): Promise<string> {
  // Through JSON, as any reader of the document has it.
  const document = JSON.parse(stringifyJson(openApiDocument(routes))) as OpenAPI3;
  const types = await openapiTS(document, {
    // A member with a default may be left out of a request.
    defaultNonNullable: false,
    transform: (schema, { path }) => {
      if (schema.format !== "uint64") return undefined;
      // In answers a counter is always read as bigint; in requests a number will do.
      return path === COUNTER ? BIGINT : ts.factory.createUnionTypeNode([BIGINT, NUMBER]);
    },
  });
  return [HEAD, astToString(types), endpointsSource(), counterNamesSource(document)].join("\n");
}

function endpointsSource(): string {
  const entries = routes.map(({ method, path, operationId, summary }) => {
    const template = path.replaceAll(/:(\w+)/g, "{$1}");
    return `  /** ${summary}. */\n  ${operationId}: { method: "${method}", path: "${template}" },\n`;
  });
  return `/** Where each operation is. */\nexport const endpoints = {\n${entries.join("")}} as const;\n`;
}

/** A reader of JSON sees names only: one that is a counter here may not be another number there. */
function counterNamesSource(document: OpenAPI3): string {
  const counters = new Set<string>();
  const others = new Set<string>();
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    if (!("properties" in schema)) continue;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const text = JSON.stringify(property);
      if (text.includes(`"${COUNTER}"`)) counters.add(name);
      else if (/"(?:number|integer)"/.test(text) && !text.includes('"uint64"')) others.add(name);
    }
  }
  const both = [...counters].filter((name) => others.has(name));
  if (both.length > 0) throw new Error(`counters and other numbers share a name: ${both.join(", ")}`);
  const names = [...counters].toSorted().map((name) => `"${name}"`);
  return `/** Members that are counters, wherever they stand. */\nexport const counterNames = [${names.join(", ")}] as const;\n`;
}

if (process.argv[1] === import.meta.filename) await writeFile(SCHEMA_FILE, await clientSchemaSource());
