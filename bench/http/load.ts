// Load over HTTP, from a process of its own: its garbage and its waiting must not be ours. What it is asked
// for and what it answers are JSON, on its command line and its standard output.
import { runCommand } from "../commands.ts";
import { inBench } from "../paths.ts";

export interface LoadRequest {
  readonly origin: string;
  /** Sent in turn. */
  readonly requests: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[];
  readonly body: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface LoadResult {
  readonly requests: number;
  /** Answers other than 200. */
  readonly failures: number;
  readonly elapsedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const STARTING_MS = 10_000;

export async function loadOverHttp(request: LoadRequest): Promise<LoadResult> {
  const timeoutMs = request.warmUpMs + request.durationMs + STARTING_MS;
  const parameters = [inBench("http", "load-process.ts"), JSON.stringify(request)];
  return JSON.parse(await runCommand(process.execPath, parameters, { timeoutMs })) as LoadResult;
}
