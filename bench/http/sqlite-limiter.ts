// Starts and stops the peer that runs behind Node.
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { inBench } from "../paths.ts";
import { startProcess, stopProcess } from "../processes.ts";

const START_TIMEOUT_MS = 10_000;

export interface SqliteLimiter {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startSqliteLimiter(directory: string): Promise<SqliteLimiter> {
  const parameters = [inBench("http", "sqlite-limiter-process.ts"), join(directory, "limits.sqlite")];
  const child = startProcess(process.execPath, parameters, { stdio: ["ignore", "pipe", "inherit"] });
  if (child.stdout === null) throw new Error("the limiter has no output to read");
  const lines = createInterface({ input: child.stdout });
  try {
    const [port] = (await once(lines, "line", { signal: AbortSignal.timeout(START_TIMEOUT_MS) })) as [string];
    return { origin: `http://127.0.0.1:${port}`, stop: () => stopProcess(child) };
  } catch (error) {
    await stopProcess(child);
    throw error;
  }
}
