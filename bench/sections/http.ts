// Over HTTP with 64 connections: our Worker against its peers, for one hot key and for a hundred.
import { showNumber, showSummary } from "../format.ts";
import { type LoadRequest, type LoadResult, loadOverHttp } from "../http/load.ts";
import { startSqliteLimiter } from "../http/sqlite-limiter.ts";
import { resultsOf, type SectionResult, takeTurns } from "../rounds.ts";
import { WRITE_TOKEN } from "../services.ts";
import { ratioOf, summarize, type Summary } from "../statistics.ts";
import type { SectionContext } from "./section.ts";

const CONNECTIONS = 64;
const WARM_UP_MS = 400;
const DURATION_MS = 800;
const BODY = JSON.stringify({ bytes: 1_024 });

const LOADS = [
  { name: "one hot key", keys: 1, suffix: "hot_64" },
  { name: "100 keys", keys: 100, suffix: "100_keys" },
] as const;

interface HttpContestant {
  readonly name: string;
  readonly origin: string;
  readonly path: (key: number) => string;
}

const OURS = "namespace-quota";
const CEILING = "upserts sharing commits, same body and answer";
const HONO = "@hono-rate-limiter/cloudflare, Durable Object store";

export async function measureHttp({ workerd, rounds, directory }: SectionContext): Promise<SectionResult> {
  const limiter = await startSqliteLimiter(directory);
  try {
    const contestants: readonly HttpContestant[] = [
      { name: OURS, origin: workerd.origin("quota"), path: chargePath },
      { name: HONO, origin: workerd.origin("hono"), path: (key) => `/keys/key-${key}` },
      { name: "textbook counter, one object", origin: workerd.origin("textbook"), path: (key) => `/key-${key}` },
      { name: "rate-limiter-flexible, SQLite FULL, Node", origin: limiter.origin, path: (key) => `/key-${key}` },
      { name: CEILING, origin: workerd.origin("sharing"), path: (key) => `/key-${key}` },
      { name: "Worker that answers a constant", origin: workerd.origin("constant"), path: () => "/" },
    ];
    return await compare(contestants, rounds);
  } finally {
    await limiter.stop();
  }
}

async function compare(contestants: readonly HttpContestant[], rounds: number): Promise<SectionResult> {
  const ratios: Record<string, Summary> = {};
  const rows: string[][] = [];
  for (const { name, keys, suffix } of LOADS) {
    const runs = contestants.map((contestant) => ({
      name: contestant.name,
      run: () => loadOverHttp(loadOf(contestant, keys)),
    }));
    const results = await takeTurns(rounds, runs);
    for (const contestant of contestants) rows.push(rowOf(contestant.name, name, resultsOf(results, contestant.name)));
    for (const row of rows.slice(-contestants.length)) console.log(`  ${row.join("  |  ")}`);
    const ours = resultsOf(results, OURS);
    const hono = resultsOf(results, HONO);
    const ceiling = resultsOf(results, CEILING);
    ratios[`http_${suffix}_vs_hono_rate_limiter`] = ratioOf(ours.map(rateOf), hono.map(rateOf));
    ratios[`http_${suffix}_ceiling_vs_hono_rate_limiter`] = ratioOf(ceiling.map(rateOf), hono.map(rateOf));
    ratios[`http_${suffix}_p50_vs_hono_rate_limiter`] = ratioOf(ours.map(p50Of), hono.map(p50Of));
  }
  return { tables: [{ ...TABLE, rows }], ratios };
}

const TABLE = {
  title: `Over HTTP, ${CONNECTIONS} connections`,
  columns: ["", "keys", "requests/s", "p50 ms", "p99 ms", "failures"],
  limitedBy:
    "Limited by one thread of workerd: with one hot key by parsing, deciding and answering, since commits are shared; with " +
    "100 keys by one commit for nearly each request. The load generator has the other core; the constant answer is its ceiling.",
};

/** Charges at our Worker, spread over so many refs. */
export function httpLoad(origin: string, keys: number): LoadRequest {
  return loadOf({ name: OURS, origin, path: chargePath }, keys);
}

function loadOf({ origin, path }: HttpContestant, keys: number): LoadRequest {
  const headers = { Authorization: `Bearer ${WRITE_TOKEN}`, "Content-Type": "application/json" };
  const requests = Array.from({ length: keys }, (_, key) => ({ path: path(key), headers }));
  return { origin, requests, body: BODY, connections: CONNECTIONS, warmUpMs: WARM_UP_MS, durationMs: DURATION_MS };
}

function chargePath(key: number): string {
  return `/v1/namespaces/http/repos/repo/refs/${encodeURIComponent(`refs/heads/key-${key}`)}/charges`;
}

function rowOf(name: string, load: string, results: readonly LoadResult[]): string[] {
  const failures = results.reduce((sum, result) => sum + result.failures, 0);
  return [
    name,
    load,
    showSummary(summarize(results.map(rateOf))),
    showSummary(summarize(results.map(p50Of))),
    showSummary(summarize(results.map(({ p99Ms }) => p99Ms))),
    showNumber(failures),
  ];
}

function rateOf({ requests, failures, elapsedMs }: LoadResult): number {
  return ((requests - failures) / elapsedMs) * 1_000;
}

function p50Of({ p50Ms }: LoadResult): number {
  return p50Ms;
}
