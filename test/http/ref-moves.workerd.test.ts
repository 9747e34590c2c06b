// Ref moves over HTTP, in workerd: the compare, the move and the charge are one.
import { expect, it } from "vitest";
import { call, freshNamespace, post, refPath, type Reply } from "../runtime/api.ts";
import { NOTHING_STORED, shardOf, storedIn } from "../runtime/objects.ts";

const A = "a".repeat(40);
const B = "0b".repeat(32);

function move(path: string, body: object, key?: string): Promise<Reply> {
  const headers = key === undefined ? {} : { "Idempotency-Key": key };
  return call(path, { method: "PUT", body: JSON.stringify(body), headers });
}

it("a ref is created, read, moved and deleted, and each move is charged", async () => {
  const path = refPath(freshNamespace());
  expect((await call(path)).status).toBe(404);
  const created = await move(path, { expected: null, target: A, bytes: 10 });
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ decision: "allowed", target: A, usage: { ops: 1n, bytes: 10n } });
  expect((await call(path)).body).toEqual({ target: A });
  expect((await move(path, { expected: A, target: B })).body).toMatchObject({
    target: B,
    usage: { ops: 2n, bytes: 10n },
  });
  expect((await move(path, { target: A })).status).toBe(200);
  expect((await move(path, { expected: A, target: null })).body).toMatchObject({ target: null, usage: { ops: 4n } });
  const gone = await call(path);
  expect([gone.status, gone.body["code"]]).toEqual([404, "not_found"]);
});

it("a lost compare is 409 with where the ref is, and charges nothing", async () => {
  const path = refPath(freshNamespace());
  await move(path, { target: A });
  for (const expected of [null, B]) {
    const lost = await move(path, { expected, target: B });
    expect([lost.status, lost.body["code"], lost.body["current"]]).toEqual([409, "conflict", A]);
  }
  expect((await call(`${path}/usage`)).body["usage"]).toEqual({ ops: 1n, bytes: 0n });
});

it("of twelve moves from absent at once one is made, and one op is charged", async () => {
  const path = refPath(freshNamespace());
  const targets = Array.from({ length: 12 }, (_, index) => index.toString(16).repeat(40).slice(0, 40));
  const replies = await Promise.all(targets.map((target) => move(path, { expected: null, target })));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array.from({ length: 11 }, () => 409),
  ]);
  const winner = replies.find(({ status }) => status === 200)?.body["target"];
  expect((await call(path)).body).toEqual({ target: winner });
  expect((await call(`${path}/usage`)).body["usage"]).toEqual({ ops: 1n, bytes: 0n });
});

it("a move that the quota refuses moves nothing", async () => {
  const ns = freshNamespace();
  const path = refPath(ns);
  await post(`${path}/charges`, { bytes: 134_217_728 });
  const before = await storedIn(shardOf(ns));
  const denied = await move(path, { target: A, bytes: 1 });
  expect([denied.status, denied.body["dimension"]]).toEqual([429, "bytes"]);
  expect((await call(path)).status).toBe(404);
  expect(await storedIn(shardOf(ns))).toEqual(before);
});

it("a move repeated with its key is made once, and its answer names the target again", async () => {
  const path = refPath(freshNamespace());
  const first = await move(path, { expected: null, target: A }, "once");
  const again = await move(path, { expected: null, target: A }, "once");
  expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
  expect(again.body).toEqual(first.body);
  const other = await move(path, { expected: null, target: B }, "once");
  expect([other.status, other.body["code"]]).toEqual([422, "idempotency_mismatch"]);
});

it.each([
  "{}",
  '{"target":""}',
  `{"target":"${"A".repeat(40)}"}`,
  `{"target":"${"a".repeat(41)}"}`,
  `{"target":"${"a".repeat(40)}","expected":1}`,
  `{"target":null,"expected":"x"}`,
  `{"target":null,"force":true}`,
  `{"target":null,"bytes":-1}`,
  "",
])("the move %s is refused", async (body) => {
  const ns = freshNamespace();
  const reply = await call(refPath(ns), { method: "PUT", body });
  expect([reply.status, reply.body["code"]]).toEqual([400, "invalid_request"]);
  expect(await storedIn(shardOf(ns))).toEqual(NOTHING_STORED);
});
