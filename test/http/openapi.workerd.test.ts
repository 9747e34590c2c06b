// Live answers, in workerd, against the document that the service gives of itself: every route, every
// status, every code.
import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createApp } from "../../src/http/app.ts";
import { stringifyJson } from "../../src/http/json.ts";
import { openApiDocument } from "../../src/http/openapi.ts";
import { routes } from "../../src/http/routes.ts";
import { freshNamespace } from "../runtime/api.ts";
import { answersOf, deviations, type Document, operationsOf, type Place } from "./document.ts";

const document = JSON.parse(stringifyJson(openApiDocument(routes))) as Document;
const operations = operationsOf(document);
const withPath = operations.filter(({ path }) => path.includes("{"));
const withToken = operations.filter(({ security }) => security.length > 0);
const seen = new Set<string>();

const A = "a".repeat(40);
const BODIES: Readonly<Record<string, string>> = {
  chargeRef: '{"bytes":1}',
  chargeNamespace: '{"bytes":1}',
  moveRef: `{"target":"${A}"}`,
  setLimits: '{"maxOps":18446744073709551615,"maxBytes":null}',
};

interface Sending {
  readonly ns?: string;
  readonly ref?: string;
  readonly body?: string;
  readonly token?: string | null;
  readonly key?: string;
  /** In place of the Worker's own. */
  readonly bindings?: object;
}

function operation(id: string): Place {
  const found = operations.find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
}

/** Sends what the document asks for, expects the answer to be as it says, and resolves to `<status> <code>`. */
async function send(place: Place, sending: Sending = {}): Promise<string> {
  const { ns = freshNamespace(), ref = "refs/heads/main", token = "test-admin", key, bindings } = sending;
  const values: Readonly<Record<string, string>> = { ns, repo: "web", ref };
  const path = place.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? ""));
  const body = sending.body ?? BODIES[place.operationId];
  const request = new Request(`https://quota.test${path}`, {
    method: place.method,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const app = createApp();
  const answer = await (bindings === undefined
    ? exports.default.fetch(request)
    : app.request(request, undefined, { ...env, ...bindings }));
  const copy = answer.clone();
  expect(await deviations(document, place, copy)).toEqual([]);
  const code = answer.ok ? "" : ` ${(await answer.json<{ code: string }>()).code}`;
  seen.add(`${place.operationId}: ${answer.status}${code}`);
  return `${answer.status}${code}`;
}

/** Namespaces of objects of which every method does `act`. */
function objectsThat(act: () => Promise<unknown>): object {
  const stub = new Proxy({}, { get: () => act });
  const objects = { idFromName: () => "id", get: () => stub };
  return { REF_SHARD: objects, NS_COORDINATOR: objects };
}

it("is what the service answers, without a token", async () => {
  const answer = await exports.default.fetch("https://quota.test/openapi.json");
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  expect(await answer.text()).toBe(stringifyJson(openApiDocument(routes)));
});

describe("every route answers as documented", () => {
  it.each(operations)("$operationId: 200", async (place) => {
    const ns = freshNamespace();
    await send(operation("moveRef"), { ns });
    await send(operation("rollUpRef"), { ns });
    expect(await send(place, { ns })).toBe("200");
    expect(await send(place, { ns, ref: "refs/heads/another" })).toBe(
      place.operationId === "readRef" ? "404 not_found" : "200",
    );
  });

  it.each(withPath)("$operationId: 400 for a name that cannot be", async (place) => {
    expect(await send(place, { ns: "-" })).toBe("400 invalid_request");
  });

  it.each(withToken)("$operationId: 401 without a token, 403 without the admin's", async (place) => {
    const ns = freshNamespace();
    await send(operation("moveRef"), { ns });
    expect(await send(place, { ns, token: null })).toBe("401 unauthenticated");
    expect(await send(place, { ns, token: "wrong" })).toBe("401 unauthenticated");
    const isForWriters = place.security.some((scheme) => "writeToken" in scheme);
    expect(await send(place, { ns, token: "test-write" })).toBe(isForWriters ? "200" : "403 forbidden");
  });

  it.each(operations.filter(({ method }) => method !== "GET"))("$operationId: 413", async (place) => {
    expect(await send(place, { body: " ".repeat(64 * 1_024 + 1) })).toBe("413 payload_too_large");
  });

  it.each(operations)("$operationId: 503 when it is not configured", async (place) => {
    expect(await send(place, { bindings: { QUOTA_ROLLUP_MS: "0" } })).toBe("503 not_configured");
  });

  it.each(withPath)("$operationId: 503 and 500 when its object cannot answer", async (place) => {
    const absent = { ok: false, code: "unavailable", reason: "full", retryAfterMs: 1_500 };
    expect(await send(place, { bindings: objectsThat(async () => absent) })).toBe("503 unavailable");
    const broken = objectsThat(() => Promise.reject(new Error("a fault of our own")));
    expect(await send(place, { bindings: broken })).toBe("500 internal");
  });
});

describe.each(["chargeRef", "chargeNamespace", "moveRef"])("%s", (id) => {
  const charge = operation(id);
  const bodyOf = (bytes: string): string =>
    id === "moveRef" ? `{"target":"${A}","bytes":${bytes}}` : `{"bytes":${bytes}}`;

  it("over what is left is 429, by its own count and by the namespace's", async () => {
    const ns = freshNamespace();
    await send(operation("setLimits"), { ns, body: '{"maxOps":1,"maxBytes":null}' });
    expect(await send(charge, { ns })).toBe("200");
    expect(await send(charge, { ns })).toBe("429 quota_exhausted");
    await send(operation("rollUpRef"), { ns });
    expect(await send(operation("chargeRef"), { ns, ref: "refs/heads/another" })).toBe("429 quota_exhausted");
  });

  it("over the whole limit is 422, and so is a key that came with another body", async () => {
    const ns = freshNamespace();
    expect(await send(charge, { ns, body: bodyOf("18446744073709551615") })).toBe("422 cost_exceeds_limit");
    expect(await send(charge, { ns, key: "key" })).toBe("200");
    expect(await send(charge, { ns, key: "key" })).toBe("200");
    expect(await send(charge, { ns, key: "key", body: bodyOf("7") })).toBe("422 idempotency_mismatch");
  });

  it("of any number where nothing is limited has no RateLimit fields, and no deviation", async () => {
    const ns = freshNamespace();
    await send(operation("setLimits"), { ns, body: '{"maxOps":null,"maxBytes":null}' });
    expect(await send(charge, { ns, body: bodyOf("18446744073709551615") })).toBe("200");
    expect(await send(operation("readNamespaceUsage"), { ns })).toBe("200");
  });
});

it("a lost compare is 409", async () => {
  const ns = freshNamespace();
  const body = `{"expected":"${A}","target":null}`;
  expect(await send(operation("moveRef"), { ns, body })).toBe("409 conflict");
});

it("every code of every status of every route was among these", () => {
  const documented = operations.flatMap((place) =>
    answersOf(document, place).map((answer) => `${place.operationId}: ${answer}`),
  );
  expect([...seen].toSorted()).toEqual(documented.toSorted());
});
