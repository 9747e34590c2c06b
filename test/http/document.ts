// The service's own OpenAPI document, and whether an answer is one that it describes.
import { type Schema, Validator } from "@cfworker/json-schema";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly schema: Schema;
}

interface ResponseObject {
  readonly headers?: Readonly<Record<string, Content & { readonly required: boolean }>>;
  readonly content: Readonly<Record<string, Content>>;
}

type Reference = { readonly $ref: string };

export interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, ResponseObject>>;
  };
}

export interface Place extends Operation {
  readonly method: string;
  readonly path: string;
}

/** Sent with every answer, whatever it is. */
const GENERAL_HEADERS = new Set([
  "content-type",
  "content-length",
  "cache-control",
  "content-security-policy",
  "referrer-policy",
  "x-content-type-options",
]);

export function operationsOf(document: Document): readonly Place[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** Each status with each code it can have: `429 quota_exhausted`, or `200`. */
export function answersOf(document: Document, { responses }: Operation): readonly string[] {
  return Object.entries(responses).flatMap(([status, response]) => {
    if (status === "200") return [status];
    const [content] = Object.values(resolve(document, response).content);
    const problems = content?.schema.oneOf ?? [content?.schema];
    return problems.map((problem) => {
      const name = problem?.$ref?.split("/").at(-1) ?? "";
      const code = document.components.schemas[name]?.properties?.["code"];
      return `${status} ${typeof code === "object" ? code.const : ""}`;
    });
  });
}

/** What of the answer the document does not say; empty when it conforms. Reads the body. */
export async function deviations(document: Document, operation: Operation, answer: Response): Promise<string[]> {
  const documented = operation.responses[answer.status];
  if (documented === undefined) return [`status ${answer.status} is not documented`];
  const { headers = {}, content } = resolve(document, documented);
  const [mediaType] = (answer.headers.get("Content-Type") ?? "").split(";");
  const schema = content[mediaType ?? ""]?.schema;
  if (schema === undefined) return [`${answer.status} of ${mediaType} is not documented`];
  const text = await answer.text();
  const body: unknown = mediaType === "text/plain" ? text : JSON.parse(text);
  return [
    ...violations(document, schema, body),
    ...Object.entries(headers).flatMap(([name, header]) => headerViolations(document, name, header, answer)),
    ...[...answer.headers.keys()]
      .filter((name) => !GENERAL_HEADERS.has(name) && !Object.keys(headers).some((key) => key.toLowerCase() === name))
      .map((name) => `header ${name} is not documented`),
  ];
}

/** Objects may have no other members than the schema has, so that no member goes undocumented. */
export function violations(document: Document, schema: Schema, value: unknown): string[] {
  const { valid, errors } = validatorOf(document, schema).validate(value);
  return valid ? [] : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
}

const validators = new WeakMap<Schema, Validator>();

function validatorOf(document: Document, schema: Schema): Validator {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const closed = close({ ...schema, $defs: document.components.schemas }) as Schema;
  const validator = new Validator(closed, "2020-12", false);
  validators.set(schema, validator);
  return validator;
}

function headerViolations(
  document: Document,
  name: string,
  { required, schema }: Content & { readonly required: boolean },
  answer: Response,
): string[] {
  const value = answer.headers.get(name);
  if (value === null) return required ? [`header ${name} is missing`] : [];
  const typed = schema.type === "integer" ? Number(value) : value;
  return violations(document, schema, typed).map((violation) => `header ${name}: ${violation}`);
}

function resolve(document: Document, response: ResponseObject | Reference): ResponseObject {
  if (!("$ref" in response)) return response;
  const resolved = document.components.responses[response.$ref.split("/").at(-1) ?? ""];
  if (resolved === undefined) throw new Error(`${response.$ref} leads nowhere`);
  return resolved;
}

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries(node).map(([key, value]): [string, unknown] => [
    key,
    key === "$ref" && typeof value === "string" ? value.replace("#/components/schemas/", "#/$defs/") : close(value),
  ]);
  const copy: Record<string, unknown> = Object.fromEntries(entries);
  return copy["type"] === "object" && copy["additionalProperties"] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
