// Commands that run to their end, within a time.
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { rootDirectory } from "./paths.ts";
import { forget, startProcess } from "./processes.ts";

export interface CommandOptions {
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Its standard output. Rejects when it fails or takes too long; then it and all it started are killed. */
export async function runCommand(
  file: string,
  parameters: readonly string[],
  { timeoutMs, cwd = rootDirectory, env = {} }: CommandOptions,
): Promise<string> {
  const child = startProcess(file, parameters, {
    stdio: ["ignore", "pipe", "pipe"],
    cwd,
    env: { ...process.env, ...env },
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error(`${file}: no output to read`);
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    forget(child);
  }, timeoutMs);
  try {
    const [output, errors, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
    if (isLate) throw new Error(`${file}: not done within ${timeoutMs / 1_000} s`);
    if (code !== 0) throw new Error(`${file} ${parameters[0] ?? ""}: exit ${String(code)}\n${errors}`);
    return output;
  } finally {
    clearTimeout(deadline);
    forget(child);
  }
}
