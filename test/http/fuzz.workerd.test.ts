// Twelve thousand requests, hostile and by the schema, in workerd: none is a 500, none that is refused touches
// what is stored, every error is a problem with a known code, and no token reaches a log.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApp } from "../../src/http/app.ts";
import type { Env } from "../../src/objects/env.ts";
import { NOTHING_STORED, storedIn } from "../runtime/objects.ts";
import { hostileBodyRequest, type HostileRequest, hostileRequest, requestOf, schemaShapedRequest } from "./hostile.ts";

const HOSTILE_REQUESTS = 6_500;
const HOSTILE_BODIES = 2_500;
const SCHEMA_SHAPED_REQUESTS = 3_000;
const TIMEOUT_MS = 120_000;

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  payload_too_large: 413,
  cost_exceeds_limit: 422,
  idempotency_mismatch: 422,
  quota_exhausted: 429,
};
/** Refused at the edge: no object is reached. A cursor alone is judged where it was made. */
const REFUSED_AT_EDGE = [400, 401, 403, 405, 413];
const SECURITY_HEADERS = ["x-content-type-options", "content-security-policy", "referrer-policy", "cache-control"];

type AnyStub = Parameters<typeof storedIn>[0];

/** The deployment's bindings, with a note of every object that is reached through them. */
class WatchedObjects {
  readonly reached = new Map<string, AnyStub>();
  readonly written = new Set<string>();
  readonly env: Env = {
    ...env,
    REF_SHARD: this.#watch(env.REF_SHARD),
    NS_COORDINATOR: this.#watch(env.NS_COORDINATOR),
  };
  #now: string[] = [];

  /** Ids reached since the last call. */
  takeReached(): readonly string[] {
    const taken = this.#now;
    this.#now = [];
    return taken;
  }

  #watch<Class extends Rpc.DurableObjectBranded>(
    objects: DurableObjectNamespace<Class>,
  ): DurableObjectNamespace<Class> {
    const get = (id: DurableObjectId): DurableObjectStub<Class> => {
      const stub = objects.get(id);
      this.reached.set(id.toString(), stub as unknown as AnyStub);
      this.#now.push(id.toString());
      return stub;
    };
    return { idFromName: (name: string) => objects.idFromName(name), get } as DurableObjectNamespace<Class>;
  }
}

const app = createApp();
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  for (const method of ["log", "info", "warn", "error", "debug"] as const) {
    vi.spyOn(console, method).mockImplementation((...parts: unknown[]) => {
      logged.push(parts.map(String).join(" "));
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  expect(logged.filter((line) => /test-write|test-admin|Bearer/i.test(line))).toEqual([]);
});

async function expectSafe(given: HostileRequest, objects: WatchedObjects): Promise<number | null> {
  const request = requestOf(given);
  if (request === null) return null;
  const { method } = request;
  const response = await app.fetch(request, objects.env, createExecutionContext());
  const text = await response.text();
  expect(response.status).toBeLessThan(500);
  for (const name of SECURITY_HEADERS) expect([name, response.headers.has(name)]).toEqual([name, true]);
  const reached = objects.takeReached();
  if (response.ok) {
    if (method !== "GET" && method !== "HEAD") for (const id of reached) objects.written.add(id);
    return response.status;
  }
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  if (method === "HEAD") return response.status;
  const problem = JSON.parse(text) as { code: string; status: number; detail: string; type: string };
  expect([STATUS_OF_CODE[problem.code], problem.status]).toEqual([response.status, response.status]);
  expect(problem.type).toBe(`urn:namespace-quota:problem:${problem.code}`);
  expect(problem.detail).not.toMatch(/Error|SQLITE|at \w+ \(|test-(?:write|admin)/);
  if (REFUSED_AT_EDGE.includes(response.status) && !problem.detail.startsWith("cursor:")) expect(reached).toEqual([]);
  return response.status;
}

type Seen = ReadonlyMap<number | null, number>;

/** Sends that many requests, and says how often each status came. */
async function fuzz(requests: fc.Arbitrary<HostileRequest>, count: number, objects: WatchedObjects): Promise<Seen> {
  const seen = new Map<number | null, number>();
  const property = fc.asyncProperty(requests, async (given) => {
    const status = await expectSafe(given, objects);
    seen.set(status, (seen.get(status) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: count });
  expect(logged).toEqual([]);
  return seen;
}

function expectSeen(seen: Seen, statuses: readonly number[]): void {
  expect(statuses.filter((status) => !seen.has(status))).toEqual([]);
}

describe("the HTTP surface", () => {
  it(
    "answers hostile requests safely, and stores nothing for those it refuses",
    async () => {
      const objects = new WatchedObjects();
      const seen = await fuzz(hostileRequest, HOSTILE_REQUESTS, objects);
      expectSeen(seen, [200, 400, 401, 403, 404, 405]);
      expect(seen.get(null) ?? 0).toBeLessThan(HOSTILE_REQUESTS / 2);
      for (const [id, stub] of objects.reached) {
        if (!objects.written.has(id)) expect(await storedIn(stub)).toEqual(NOTHING_STORED);
      }
    },
    TIMEOUT_MS,
  );

  it(
    "answers hostile bodies safely",
    async () => expectSeen(await fuzz(hostileBodyRequest, HOSTILE_BODIES, new WatchedObjects()), [200, 400, 413, 422]),
    TIMEOUT_MS,
  );

  it(
    "answers requests by the schema with what the schema says",
    async () => {
      const seen = await fuzz(schemaShapedRequest, SCHEMA_SHAPED_REQUESTS, new WatchedObjects());
      expectSeen(seen, [200, 400, 403, 405, 409, 422]);
    },
    TIMEOUT_MS,
  );
});
