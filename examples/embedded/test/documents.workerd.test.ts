// The example in workerd, over HTTP, RPC and whole windows on real alarms.
import { runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { objectName, QuotaClient } from "namespace-quota";
import { describe, expect, it, vi } from "vitest";
import type { DocumentShard } from "../document-shard.ts";

// As vitest.config.ts sets them.
const WINDOW_MS = 4_000;
const ROLLUP_MS = 400;
const GRACE_MS = 400;

const REF = "refs/heads/main";

let lastNamespace = 0;

/** A namespace of the test's own, in a window that is not about to end. */
async function begin(): Promise<string> {
  const isEarly = (): boolean => Date.now() % WINDOW_MS < WINDOW_MS / 2;
  await vi.waitUntil(isEarly, { timeout: WINDOW_MS, interval: 10 });
  lastNamespace++;
  return `team-${lastNamespace}`;
}

function documentOf(ns: string): DurableObjectStub<DocumentShard> {
  return env.REF_SHARD.getByName(objectName({ kind: "ref", ns, repo: "wiki", ref: REF }));
}

function http(ns: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`https://documents.test/${ns}/wiki/${REF}`, init);
}

/** Names of the object's tables, its revisions, and the rows of the quota. */
function storedIn(ns: string): Promise<{ tables: string[]; revisions: string[]; quotaRows: number }> {
  return runInDurableObject(documentOf(ns), (_document, { storage: { sql } }) => {
    const names = sql.exec<{ name: string }>("SELECT name FROM sqlite_master ORDER BY name").toArray();
    const tables = names.map(({ name }) => name).filter((name) => !name.startsWith("_cf_"));
    const texts = tables.includes("revisions")
      ? sql.exec<{ text: string }>("SELECT text FROM revisions ORDER BY number").toArray()
      : [];
    const quotaRows = tables.includes("quota_rows")
      ? sql.exec<{ count: number }>("SELECT count(*) AS count FROM quota_rows").one().count
      : 0;
    return { tables, revisions: texts.map(({ text }) => text), quotaRows };
  });
}

const NOTHING = { tables: [], revisions: [], quotaRows: 0 };

describe("saving", () => {
  it("stores the text and charges its bytes", async () => {
    const ns = await begin();
    const saved = await documentOf(ns).save("grüße");
    expect(saved).toMatchObject({ ok: true, countedAt: "shard", usage: { ops: 1n, bytes: 7n } });
    expect(await documentOf(ns).save("second")).toMatchObject({ ok: true, usage: { ops: 2n, bytes: 13n } });
    expect((await storedIn(ns)).revisions).toEqual(["grüße", "second"]);
    expect(await documentOf(ns).usage()).toMatchObject({ ok: true, usage: { ops: 2n, bytes: 13n } });
  });

  it("is counted in the namespace's total by the shard's rollup", async () => {
    const ns = await begin();
    await documentOf(ns).save("abc");
    const client = new QuotaClient(env);
    await vi.waitFor(
      async () => {
        expect(await client.namespaceUsage(ns)).toMatchObject({ ok: true, total: { ops: 1n, bytes: 3n }, sources: 1 });
      },
      { timeout: 2 * ROLLUP_MS, interval: 20 },
    );
  });

  it("over HTTP answers 200, then the text, and 429 at the cap", async () => {
    const ns = await begin();
    expect((await http(ns)).status).toBe(404);
    expect(await storedIn(ns)).toEqual(NOTHING);
    const first = await http(ns, { method: "PUT", body: "1" });
    expect([first.status, await first.json()]).toEqual([200, { ops: "1", bytes: "1" }]);
    for (let write = 2; write <= 10; write++) {
      expect((await http(ns, { method: "PUT", body: String(write) })).status).toBe(200);
    }
    const denied = await http(ns, { method: "PUT", body: "11" });
    expect([denied.status, await denied.json()]).toEqual([429, { code: "quota_exhausted" }]);
    expect(denied.headers.get("Retry-After")).toMatch(/^[1-4]$/);
    expect(await (await http(ns)).text()).toBe("10");
  });

  it.each(["/", "/a", "/a/b", "/a/b/main", "/a/b/refs/x..y", "/-a/b/refs/heads/main"])(
    "there is no document at %s",
    async (path) => {
      expect((await exports.default.fetch(`https://documents.test${path}`, { method: "PUT", body: "x" })).status).toBe(
        404,
      );
    },
  );
});

describe("a denied charge", () => {
  it("writes nothing, not even a table", async () => {
    const ns = await begin();
    await new QuotaClient(env).setLimits(ns, { maxOps: null, maxBytes: 4n });
    expect(await documentOf(ns).save("12345")).toMatchObject({ ok: false, code: "cost_exceeds_limit" });
    expect(await storedIn(ns)).toEqual(NOTHING);
    expect(await documentOf(ns).save("123")).toMatchObject({ ok: true });
    const before = await storedIn(ns);
    expect(await documentOf(ns).save("12")).toMatchObject({ ok: false, code: "quota_exhausted", dimension: "bytes" });
    expect(await storedIn(ns)).toEqual(before);
    expect(before.revisions).toEqual(["123"]);
  });
});

describe("a write of the shard's own", () => {
  it("that throws charges nothing and stores nothing", async () => {
    const ns = await begin();
    const failing = (): Promise<string> =>
      runInDurableObject(documentOf(ns), async (document, { storage }) => {
        const charged = document["quota"].charge({ bytes: 5n }, () => {
          storage.sql.exec("CREATE TABLE drafts (text TEXT)");
          storage.sql.exec("INSERT INTO drafts VALUES ('lost')");
          storage.kv.put("draft", "lost");
          throw new Error("the disk of the embedder is full");
        });
        const answer = await charged.then(String, String);
        expect(storage.kv.get("draft")).toBeUndefined();
        expect(await storage.getAlarm()).toBeNull();
        return answer;
      });
    expect(await failing()).toBe("Error: the disk of the embedder is full");
    expect(await storedIn(ns)).toEqual(NOTHING);

    await documentOf(ns).save("kept");
    const before = await storedIn(ns);
    await runInDurableObject(documentOf(ns), async (document, { storage: { sql } }) => {
      const charged = document["quota"].charge({ bytes: 5n }, () => {
        sql.exec("INSERT INTO revisions (text) VALUES ('lost')");
        sql.exec("INSERT INTO revisions (text) VALUES (NULL)");
      });
      await expect(charged).rejects.toThrow("NOT NULL constraint failed");
    });
    expect(await storedIn(ns)).toEqual(before);
    expect(await documentOf(ns).save("next")).toMatchObject({ ok: true, usage: { ops: 2n, bytes: 8n } });
  });

  it("in storage of keys commits with its charge", async () => {
    const ns = await begin();
    await runInDurableObject(documentOf(ns), async (document, { storage }) => {
      const charged = await document["quota"].charge({}, () => storage.kv.put("title", "Home"));
      expect(charged).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 0n } });
      expect(storage.kv.get("title")).toBe("Home");
    });
  });

  it("is durable when its charge resolves, one after another as well", async () => {
    const ns = await begin();
    const aborted = runInDurableObject(documentOf(ns), async (document, state) => {
      for (let revision = 1; revision <= 7; revision++) await document.save(String(revision));
      state.abort("gone");
    });
    await expect(aborted).rejects.toThrow("gone");
    expect((await storedIn(ns)).revisions).toEqual(["1", "2", "3", "4", "5", "6", "7"]);
    expect(await documentOf(ns).usage()).toMatchObject({ usage: { ops: 7n, bytes: 7n } });
  });

  it("that throws leaves alone the charges that wait beside it", async () => {
    const ns = await begin();
    await runInDurableObject(documentOf(ns), async (document) => {
      const quota = document["quota"];
      const outcomes = await Promise.allSettled([
        quota.charge({ bytes: 1n }),
        quota.charge({ bytes: 10n }, () => {
          throw new Error("refused");
        }),
        document.save("abc"),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    });
    expect(await documentOf(ns).usage()).toMatchObject({ usage: { ops: 2n, bytes: 4n } });
    expect((await storedIn(ns)).revisions).toEqual(["abc"]);
  });

  it("is not made again for a replay of its idempotency key", async () => {
    const ns = await begin();
    await runInDurableObject(documentOf(ns), async (document, { storage }) => {
      const write = vi.fn(() => storage.kv.put("count", 1));
      const charge = { bytes: 2n, idempotencyKey: "once" };
      expect(await document["quota"].charge(charge, write)).toMatchObject({ ok: true, replayed: false });
      expect(await document["quota"].charge(charge, write)).toMatchObject({ ok: true, replayed: true });
      expect(write).toHaveBeenCalledTimes(1);
    });
    expect(await documentOf(ns).usage()).toMatchObject({ usage: { ops: 1n, bytes: 2n } });
  });

  it("that is an async function is refused before it begins", async () => {
    const ns = await begin();
    await runInDurableObject(documentOf(ns), async (document, { storage }) => {
      let begun = false;
      const write = async (): Promise<void> => {
        begun = true;
        await storage.put("draft", "lost");
      };
      // oxlint-disable-next-line typescript/no-misused-promises -- what is refused
      await expect(document["quota"].charge({ bytes: 5n }, write)).rejects.toThrow(TypeError);
      expect(begun).toBe(false);
    });
    expect(await storedIn(ns)).toEqual(NOTHING);
  });

  it("that returns a promise is refused and rolled back", async () => {
    const ns = await begin();
    await runInDurableObject(documentOf(ns), async (document, { storage }) => {
      const results: (() => Promise<void>)[] = [
        () => storage.put("draft", "lost"),
        () => Promise.reject(new Error("too late")),
      ];
      for (const result of results) {
        const charged = document["quota"].charge({ bytes: 5n }, () => {
          storage.sql.exec("CREATE TABLE drafts (text TEXT)");
          return result();
        });
        await expect(charged).rejects.toThrow("a charge's own writes must be synchronous");
      }
      expect(await storage.get("draft")).toBeUndefined();
    });
    expect(await storedIn(ns)).toEqual(NOTHING);
  });

  it.each([
    { bytes: -1n },
    { bytes: 2n ** 64n },
    { bytes: 5 as unknown as bigint },
    { idempotencyKey: "" },
    { idempotencyKey: "a b" },
    { idempotencyKey: "k".repeat(129) },
    { idempotencyKey: 7 as unknown as string },
  ])("at a cost that cannot be is refused and not made: %o", async (cost) => {
    const ns = `invalid-${++lastNamespace}`;
    await runInDurableObject(documentOf(ns), async (document) => {
      const write = vi.fn();
      expect(await document["quota"].charge(cost, write)).toMatchObject({ ok: false, code: "invalid_request" });
      expect(write).not.toHaveBeenCalled();
    });
    expect(await storedIn(ns)).toEqual(NOTHING);
  });
});

it("tables of the shard's own survive the end of a window, the quota's rows do not", async () => {
  const ns = await begin();
  await documentOf(ns).save("kept");
  expect(await storedIn(ns)).toMatchObject({ revisions: ["kept"], quotaRows: 2 });
  const removedAtMs = Date.now() + WINDOW_MS + GRACE_MS + 2 * ROLLUP_MS;
  await vi.waitUntil(() => Date.now() >= removedAtMs, { timeout: 2 * WINDOW_MS, interval: 10 });
  expect(await storedIn(ns)).toEqual({ tables: ["quota_rows", "revisions"], revisions: ["kept"], quotaRows: 0 });
  await runInDurableObject(documentOf(ns), async (_document, { storage }) => {
    expect(await storage.getAlarm()).toBeNull();
  });
  expect(await documentOf(ns).read()).toBe("kept");
  expect(await documentOf(ns).save("again")).toMatchObject({ ok: true, usage: { ops: 1n, bytes: 5n } });
});

it("a subclass's methods can be called over RPC, its quota cannot", async () => {
  const ns = await begin();
  expect(await documentOf(ns).read()).toBeNull();
  const document = documentOf(ns) as unknown as { readonly quota: PromiseLike<unknown> };
  let reached: unknown;
  try {
    reached = await document.quota;
  } catch (error) {
    reached = String(error);
  }
  expect(reached).toMatch(/does not implement/);
  expect(await storedIn(ns)).toEqual(NOTHING);
});
