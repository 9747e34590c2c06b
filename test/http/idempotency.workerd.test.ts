// Idempotency keys over HTTP, in workerd: a charge with a key is made once.
import { describe, expect, it } from "vitest";
import { call, freshNamespace, refPath, type Reply } from "../runtime/api.ts";
import { coordinatorOf, shardOf, storedIn } from "../runtime/objects.ts";

function charge(path: string, key: string, body = '{"bytes":5}'): Promise<Reply> {
  return call(`${path}/charges`, { method: "POST", body, headers: { "Idempotency-Key": key } });
}

describe.each([
  ["a ref", (ns: string) => refPath(ns), shardOf],
  ["a namespace", (ns: string) => `/v1/namespaces/${ns}`, coordinatorOf],
])("on %s", (_name, pathOf, objectOf) => {
  it("the same request again gets the first answer again and charges nothing", async () => {
    const ns = freshNamespace();
    const first = await charge(pathOf(ns), "key-1");
    expect([first.status, first.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
    await charge(pathOf(ns), "key-2");
    const before = await storedIn(objectOf(ns));
    const again = await charge(pathOf(ns), "key-1");
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    expect(again.body).toEqual(first.body);
    expect(await storedIn(objectOf(ns))).toEqual(before);
  });

  it("the same key with another body is 422 and charges nothing", async () => {
    const ns = freshNamespace();
    await charge(pathOf(ns), "key");
    const other = await charge(pathOf(ns), "key", '{"bytes":6}');
    expect([other.status, other.body["code"]]).toEqual([422, "idempotency_mismatch"]);
    const next = await charge(pathOf(ns), "another");
    expect(next.body["usage"]).toEqual({ ops: 2n, bytes: 10n });
  });

  it("fifty requests at once with one new key are one charge", async () => {
    const ns = freshNamespace();
    const replies = await Promise.all(Array.from({ length: 50 }, () => charge(pathOf(ns), "k".repeat(128))));
    expect(replies.map((reply) => reply.body["usage"])).toEqual(
      Array.from({ length: 50 }, () => ({ ops: 1n, bytes: 5n })),
    );
    expect(replies.filter((reply) => reply.headers.get("Idempotent-Replayed") === null)).toHaveLength(1);
    expect((await charge(pathOf(ns), "next")).body["usage"]).toEqual({ ops: 2n, bytes: 10n });
  });

  it("a refusal is not remembered", async () => {
    const ns = freshNamespace();
    const tooMuch = '{"bytes":134217729}';
    expect((await charge(pathOf(ns), "key", tooMuch)).status).toBe(422);
    expect((await charge(pathOf(ns), "key", '{"bytes":1}')).status).toBe(200);
  });
});

it("a key that a ref's shard has seen is new to a move, to another ref and to the namespace", async () => {
  const ns = freshNamespace();
  await charge(refPath(ns), "key");
  const headers = { "Idempotency-Key": "key" };
  const move = await call(refPath(ns), { method: "PUT", body: `{"target":"${"a".repeat(40)}"}`, headers });
  expect([move.status, move.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
  expect((await charge(refPath(ns, "refs/heads/b"), "key")).body["usage"]).toEqual({ ops: 1n, bytes: 5n });
  expect((await charge(`/v1/namespaces/${ns}`, "key")).headers.get("Idempotent-Replayed")).toBeNull();
});

it.each(["", "a b", "é", "k".repeat(129), "a\tb"])("the key %j is refused", async (key) => {
  const encoded = new TextDecoder("latin1").decode(new TextEncoder().encode(key));
  const reply = await charge(refPath("never-used"), encoded);
  expect([reply.status, reply.body["code"]]).toEqual([400, "invalid_request"]);
});
