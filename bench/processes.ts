// Every process the bench starts, each at the head of a group of its own: when the bench ends, however it ends,
// the groups end with it, grandchildren too (npm's compiler outlives npm otherwise).
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";

const groups = new Set<number>();
const directories = new Set<string>();

/** `directory` is removed when the bench ends. */
export function removeAtEnd(directory: string): void {
  directories.add(directory);
}

/** Ends the bench, and all it has started, when it is interrupted or still running after `maxMs`. */
export function boundRun(maxMs: number): void {
  process.once("exit", () => {
    for (const group of groups) killGroup(group);
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  setTimeout(() => {
    console.error(`The bench has not ended within ${Math.round(maxMs / 1_000)} s; stopped.`);
    process.exit(1);
  }, maxMs).unref();
}

export interface StartOptions {
  readonly stdio: StdioOptions;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function startProcess(file: string, parameters: readonly string[], options: StartOptions): ChildProcess {
  const child = spawn(file, parameters, { ...options, detached: true });
  const group = child.pid;
  if (group === undefined) return child;
  groups.add(group);
  return child;
}

/** Nothing of what such a process holds is needed any more, so it is not asked but killed, with its group. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  const hasExited = child.exitCode !== null || child.signalCode !== null;
  const exited = hasExited ? null : once(child, "exit");
  forget(child);
  await exited;
}

/** Ends what a process may have left of its group. */
export function forget(child: ChildProcess): void {
  if (child.pid === undefined || !groups.delete(child.pid)) return;
  killGroup(child.pid);
}

function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
