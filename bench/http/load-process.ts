// The load generator: as many keep-alive connections as asked for, each with one request under way.
import { Pool } from "undici";
import { percentile } from "../statistics.ts";
import type { LoadRequest, LoadResult } from "./load.ts";

const MAX_REQUESTS = 2_000_000;

async function run(load: LoadRequest): Promise<LoadResult> {
  const pool = new Pool(load.origin, { connections: load.connections, pipelining: 1 });
  // Every key at least once: what is measured is not how an object starts.
  await send(pool, load, { durationMs: load.warmUpMs, atLeast: load.requests.length });
  const result = await send(pool, load, { durationMs: load.durationMs, atLeast: 0 });
  await pool.close();
  return result;
}

async function send(pool: Pool, load: LoadRequest, span: { durationMs: number; atLeast: number }): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  let failures = 0;
  let sent = 0;
  const startedAtMs = performance.now();
  const sendOn = async (): Promise<void> => {
    while ((performance.now() - startedAtMs < span.durationMs || sent < span.atLeast) && sent < MAX_REQUESTS) {
      const next = load.requests[sent++ % load.requests.length];
      if (next === undefined) throw new RangeError("nothing to send");
      const sentAtMs = performance.now();
      const answer = await pool.request({ method: "POST", body: load.body, ...next });
      await answer.body.text();
      if (answer.statusCode !== 200) failures++;
      latenciesMs.push(performance.now() - sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, sendOn));
  const elapsedMs = performance.now() - startedAtMs;
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  return {
    requests: sorted.length,
    failures,
    elapsedMs,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
  };
}

console.log(JSON.stringify(await run(JSON.parse(process.argv[2] ?? "") as LoadRequest)));
