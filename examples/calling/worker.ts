// Takes uploads, POST /<namespace>/<repo>?ref=<ref>, and charges each over the service binding before it takes it.
import type { QuotaRpc } from "namespace-quota";

interface Env {
  readonly QUOTA: Service<QuotaRpc>;
}

export default {
  async fetch(request, env) {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { Allow: "POST" } });
    const { pathname, searchParams } = new URL(request.url);
    const [namespace = "", repo = ""] = pathname.slice(1).split("/");
    const upload = new Uint8Array(await request.arrayBuffer());

    const target = { namespace, repo, ref: searchParams.get("ref") ?? "" };
    const result = await env.QUOTA.charge(target, { bytes: upload.length });
    if (result.ok) return Response.json({ taken: upload.length, writes: Number(result.usage.ops) });
    if (result.code === "quota_exhausted") return refusal(429, result.code, result.retryAfterMs);
    if (result.code === "invalid_request") return Response.json(result, { status: 422 });
    if (result.code === "cost_exceeds_limit") return refusal(422, result.code);
    return refusal(503, result.code);
  },
} satisfies ExportedHandler<Env>;

function refusal(status: number, code: string, retryAfterMs?: number): Response {
  const headers = new Headers();
  if (retryAfterMs !== undefined) headers.set("Retry-After", String(Math.max(Math.ceil(retryAfterMs / 1_000), 1)));
  return Response.json({ code }, { status, headers });
}
