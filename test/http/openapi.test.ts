// The OpenAPI document itself: that it is one, that it is of these routes, and that it allows the requests
// that the routes do.
import { Validator } from "@seriousme/openapi-schema-validator";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { isIdempotencyKey, isName, isRefName, isTarget } from "../../src/core/names.ts";
import { parseJson, stringifyJson } from "../../src/http/json.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { routes } from "../../src/http/routes.ts";
import { deviations, type Document, operationsOf, type Place, violations } from "./document.ts";

const text = stringifyJson(openApiDocument(routes));
const document = JSON.parse(text) as Document;
const operations = operationsOf(document);

it("is valid OpenAPI 3.1, of the package's version", async () => {
  const validator = new Validator();
  expect(await validator.validate(JSON.parse(text))).toEqual({ valid: true });
  expect([validator.version, document.info.version]).toEqual(["3.1", manifest.version]);
});

it("has every route, and nothing else", () => {
  const NS = "/v1/namespaces/{ns}";
  const REF = `${NS}/repos/{repo}/refs/{ref}`;
  expect(operations.map(({ method, path, operationId }) => `${method} ${path} ${operationId}`)).toEqual([
    "GET /healthz checkHealth",
    "GET /openapi.json readOpenApi",
    `POST ${REF}/charges chargeRef`,
    `PUT ${REF} moveRef`,
    `GET ${REF} readRef`,
    `GET ${REF}/usage readRefUsage`,
    `POST ${REF}/rollup rollUpRef`,
    `POST ${NS}/charges chargeNamespace`,
    `GET ${NS}/usage readNamespaceUsage`,
    `GET ${NS}/contributions listContributions`,
    `GET ${NS}/metrics readNamespaceMetrics`,
    `GET ${NS}/limits readLimits`,
    `PUT ${NS}/limits setLimits`,
    `DELETE ${NS}/limits dropLimits`,
  ]);
  expect(operations).toHaveLength(routes.length);
});

it("has each parameter of a path, and operations of one name each", () => {
  for (const { path, parameters = [] } of operations) {
    const inPath = parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
  }
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
});

it("has the bounds of a counter exactly", () => {
  expect(text).toContain('"format":"uint64","minimum":0,"maximum":18446744073709551615}');
  expect(text).not.toContain("18446744073709552000");
});

describe("a parameter is allowed just when the route allows it:", () => {
  const pieces = [
    "a",
    "Z",
    "0",
    ".",
    "..",
    "-",
    "_",
    "/",
    "//",
    "@",
    "@{",
    "{",
    ".lock",
    "~",
    " ",
    "!",
    "é",
    "\u007f",
    "\n",
    "\\",
    "refs/",
  ];
  const words = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join(""));
  const hex = fc.string({ unit: fc.constantFrom("0", "a", "f", "A", "g"), minLength: 38, maxLength: 66 });
  it.each([
    [
      "ns",
      isName,
      fc.oneof(
        words,
        words.map((word) => `a${word}`),
        fc.constantFrom("a".repeat(128), "a".repeat(129)),
      ),
    ],
    [
      "ref",
      isRefName,
      fc.oneof(
        words,
        words.map((word) => `refs/${word}`),
        fc.constantFrom("a".repeat(507), "a".repeat(508)).map((long) => `refs/${long}`),
      ),
    ],
    ["Idempotency-Key", isIdempotencyKey, fc.oneof(words, fc.constantFrom("a".repeat(128), "a".repeat(129)))],
  ] as const)("%s", (name, isAllowed, values) => {
    const schema = operation("chargeRef").parameters?.find((parameter) => parameter.name === name)?.schema ?? {};
    fc.assert(
      fc.property(values, (value) => {
        expect([value, violations(document, schema, value).length === 0]).toEqual([value, isAllowed(value)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it("target", () => {
    const lengths = fc.constantFrom(39, 40, 41, 63, 64, 65).map((length) => "0a".repeat(33).slice(0, length));
    fc.assert(
      fc.property(fc.oneof(hex, lengths), (target) => {
        expect(isDocumented("moveRef", JSON.stringify({ target }))).toBe(isTarget(target));
      }),
    );
  });
});

describe("a body is allowed just when the route allows it:", () => {
  const A = "a".repeat(40);
  it.each([
    [
      "chargeRef",
      [
        "{}",
        '{"bytes":0}',
        '{"bytes":18446744073709551615}',
        '{"bytes":-1}',
        '{"bytes":1.5}',
        '{"bytes":"1"}',
        '{"bytes":null}',
        '{"ops":1}',
        "[]",
        "null",
      ],
    ],
    [
      "moveRef",
      [
        "{}",
        `{"target":"${A}"}`,
        '{"target":null}',
        `{"target":null,"expected":null}`,
        `{"target":null,"expected":"${A}"}`,
        `{"expected":"${A}"}`,
        '{"target":1}',
        '{"target":null,"force":true}',
        '{"target":null,"bytes":-1}',
      ],
    ],
    [
      "setLimits",
      [
        "{}",
        '{"maxOps":0,"maxBytes":null}',
        '{"maxOps":1}',
        '{"maxOps":null,"maxBytes":-1}',
        '{"maxOps":null,"maxBytes":null,"maxRefs":1}',
      ],
    ],
    ["rollUpRef", ["{}", '{"force":true}', "[]"]],
  ])("%s", (id, bodies) => {
    const schema = routes.find(({ operationId }) => operationId === id)?.body;
    for (const body of bodies) {
      expect([body, isDocumented(id, body)]).toEqual([body, schema?.safeParse(parseJson(body)).success]);
    }
  });

  it("and may be left out just where an empty one will do", () => {
    const required = operations
      .filter(({ requestBody }) => requestBody?.required)
      .map(({ operationId }) => operationId);
    expect(required).toEqual(["moveRef", "setLimits"]);
  });
});

describe("an answer that is not as documented is found out:", () => {
  const body = { type: "urn:namespace-quota:problem:unauthenticated", title: "", status: 401, detail: "" };
  const headers = { "Content-Type": "application/problem+json", "WWW-Authenticate": "Bearer" };
  const right = { ...body, code: "unauthenticated" };
  it.each([
    ["none", right, { status: 401, headers }, []],
    ["a status", right, { status: 402, headers }, ["status 402 is not documented"]],
    [
      "a media type",
      right,
      { status: 401, headers: { "Content-Type": "text/plain" } },
      ["401 of text/plain is not documented"],
    ],
    [
      "a header too few",
      right,
      { status: 401, headers: { "Content-Type": "application/problem+json" } },
      ["header WWW-Authenticate is missing"],
    ],
    [
      "a header too many",
      right,
      { status: 401, headers: { ...headers, Server: "x" } },
      ["header server is not documented"],
    ],
    [
      "a member too few",
      body,
      { status: 401, headers },
      ["#: A subschema had errors.", '#: Instance does not have required property "code".'],
    ],
  ])("%s", async (_what, given, init, found) => {
    const answer = new Response(JSON.stringify(given), init);
    expect(await deviations(document, operation("readLimits"), answer)).toEqual(found);
  });

  it("a member too many, however deep", async () => {
    const missing = { status: "missing", age: 1 };
    const schema = document.components.schemas["View"] ?? {};
    expect(violations(document, schema, missing)).not.toEqual([]);
    expect(violations(document, schema, { status: "missing" })).toEqual([]);
  });
});

function operation(id: string): Place {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

function isDocumented(id: string, body: string): boolean {
  const schema = operation(id).requestBody?.content["application/json"]?.schema ?? {};
  return violations(document, schema, JSON.parse(body)).length === 0;
}
