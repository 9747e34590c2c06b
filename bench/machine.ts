// On what, when and of what the figures were taken.
import { availableParallelism, cpus, release, totalmem } from "node:os";
import { runCommand } from "./commands.ts";
import { inRoot } from "./paths.ts";

export interface Circumstances {
  readonly machine: string;
  readonly runtime: string;
  readonly date: string;
  readonly commit: string;
  readonly command: string;
}

const TIMEOUT_MS = 10_000;

export async function describeRun(): Promise<Circumstances> {
  const workerd = await firstLine(inRoot("node_modules", ".bin", "workerd"), ["--version"]);
  const gib = Math.round(totalmem() / 2 ** 30);
  return {
    machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? "unknown"}), ${gib} GiB, ${process.platform} ${release()}`,
    runtime: `${workerd}, Node.js ${process.version}`,
    date: new Date().toISOString(),
    commit: await describeCommit(),
    command: ["npm run bench", ...(process.argv.length > 2 ? ["--", ...process.argv.slice(2)] : [])].join(" "),
  };
}

async function describeCommit(): Promise<string> {
  const commit = await firstLine("git", ["rev-parse", "--short=12", "HEAD"]);
  const changed = await firstLine("git", ["status", "--porcelain", "--", "src", "wrangler.toml"]);
  return changed === "" ? commit : `${commit} with changes in src`;
}

async function firstLine(file: string, parameters: readonly string[]): Promise<string> {
  const output = await runCommand(file, parameters, { timeoutMs: TIMEOUT_MS }).catch(() => "unknown");
  return output.split("\n")[0]?.trim() ?? "";
}
