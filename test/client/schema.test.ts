// The client's types are those of the document as it is.
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { clientSchemaSource, SCHEMA_FILE } from "../../client/generate.ts";

it("client/schema.ts is what `npm run client:types` writes", async () => {
  const committed = await readFile(SCHEMA_FILE, "utf8");
  expect(committed).toBe(await clientSchemaSource());
});
