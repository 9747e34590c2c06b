// A store of documents that counts every namespace's writes: PUT and GET /<namespace>/<repo>/<ref>.
import { type ChargeResult, type InvalidRequest, isName, isRefName, objectName, type QuotaEnv } from "namespace-quota";
import type { DocumentShard } from "./document-shard.ts";

export { NamespaceCoordinator } from "namespace-quota";
export { DocumentShard } from "./document-shard.ts";

export type Env = QuotaEnv & { readonly REF_SHARD: DurableObjectNamespace<DocumentShard> };

export default {
  async fetch(request, env) {
    const document = documentAt(new URL(request.url).pathname, env);
    if (document === null) return new Response("no such path\n", { status: 404 });
    switch (request.method) {
      case "PUT":
        return answerTo(await document.save(await request.text()));
      case "GET": {
        const text = await document.read();
        return text === null ? new Response("no such document\n", { status: 404 }) : new Response(text);
      }
      default:
        return new Response(null, { status: 405, headers: { Allow: "GET, PUT" } });
    }
  },
} satisfies ExportedHandler<Env>;

/** The shard is found by the name that the package makes for it; the names in it are checked before. */
function documentAt(pathname: string, env: Env): DurableObjectStub<DocumentShard> | null {
  const [ns = "", repo = "", ...rest] = pathname.slice(1).split("/");
  const ref = rest.join("/");
  if (!isName(ns) || !isName(repo) || !isRefName(ref)) return null;
  return env.REF_SHARD.getByName(objectName({ kind: "ref", ns, repo, ref }));
}

function answerTo(saved: ChargeResult | InvalidRequest): Response {
  if (saved.ok) return Response.json({ ops: String(saved.usage.ops), bytes: String(saved.usage.bytes) });
  switch (saved.code) {
    case "quota_exhausted":
      return refusal(429, saved.code, saved.retryAfterMs);
    case "unavailable":
      return refusal(503, saved.code, saved.retryAfterMs);
    case "cost_exceeds_limit":
    case "idempotency_mismatch":
    case "invalid_request":
      return refusal(422, saved.code);
  }
}

function refusal(status: number, code: string, retryAfterMs?: number): Response {
  const headers = new Headers();
  if (retryAfterMs !== undefined) headers.set("Retry-After", String(Math.ceil(retryAfterMs / 1000)));
  return Response.json({ code }, { status, headers });
}
