// One workerd, without the dev proxy: bundled, started on free loopback ports with storage on disk, and
// stopped by its own process id.
import type { ChildProcess } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build, type Plugin } from "esbuild";
import { inBench, inRoot } from "./paths.ts";
import { startProcess, stopProcess } from "./processes.ts";
import { SERVICES, SOCKET_NAMES, type SocketName, workerdConfig } from "./services.ts";

const START_TIMEOUT_MS = 20_000;
const DRIVE_TIMEOUT_MS = 60_000;
/** workerd tells here on which port each socket listens. */
const CONTROL_FD = 3;

export interface Workerd {
  origin(socket: SocketName): string;
  /** Runs a scenario inside and answers with what it measured. */
  drive<Result>(socket: SocketName, scenario: string, request: object): Promise<Result>;
  /** Physical memory; null where the system does not tell. */
  residentMiB(): Promise<number | null>;
  /** What the process has used up so far; null where the system does not tell. */
  spent(): Promise<Spent | null>;
  stop(): Promise<void>;
}

export interface Spent {
  readonly processorMs: number;
  /** To files and sockets. */
  readonly writtenBytes: number;
}

/** Of /proc/<pid>/stat; a hundred a second on every Linux that runs workerd. */
const MS_PER_TICK = 10;

export interface WorkerdOptions {
  /** An empty directory of the caller's. */
  readonly directory: string;
  /** `host:port` for a profiler to connect to. */
  readonly inspector?: string;
}

export async function startWorkerd({ directory, inspector }: WorkerdOptions): Promise<Workerd> {
  await bundleWorker(join(directory, "main.js"));
  for (const service of SERVICES) await mkdir(join(directory, service));
  const configPath = join(directory, "bench.capnp");
  await writeFile(configPath, await workerdConfig({ bundle: "main.js", disk: directory }));
  const inspecting = inspector === undefined ? [] : [`--inspector-addr=${inspector}`];
  const child = startProcess(
    inRoot("node_modules", ".bin", "workerd"),
    ["serve", `--control-fd=${CONTROL_FD}`, ...inspecting, configPath],
    { stdio: ["ignore", "inherit", "inherit", "pipe"] },
  );
  try {
    return new RunningWorkerd(child, await listeningPorts(child));
  } catch (error) {
    await stopProcess(child);
    throw error;
  }
}

class RunningWorkerd implements Workerd {
  readonly #child: ChildProcess;
  readonly #ports: ReadonlyMap<string, number>;

  constructor(child: ChildProcess, ports: ReadonlyMap<string, number>) {
    this.#child = child;
    this.#ports = ports;
  }

  origin(socket: SocketName): string {
    return `http://127.0.0.1:${this.#ports.get(socket)}`;
  }

  async drive<Result>(socket: SocketName, scenario: string, request: object): Promise<Result> {
    const response = await fetch(`${this.origin(socket)}/${scenario}`, {
      method: "POST",
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(DRIVE_TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`${scenario}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Result;
  }

  async residentMiB(): Promise<number | null> {
    const [kib] = await this.#readProcess("status", /^VmRSS:\s+([0-9]+) kB$/m);
    return kib === undefined ? null : kib / 1_024;
  }

  async spent(): Promise<Spent | null> {
    const [writtenBytes] = await this.#readProcess("io", /^wchar: ([0-9]+)$/m);
    const [user, system] = await this.#readProcess("stat", /\) \S+(?: \S+){10} ([0-9]+) ([0-9]+)/);
    if (writtenBytes === undefined || user === undefined || system === undefined) return null;
    return { processorMs: (user + system) * MS_PER_TICK, writtenBytes };
  }

  /** What the groups of `figures` match in the system's account of the process; nothing where it gives none. */
  async #readProcess(file: string, figures: RegExp): Promise<readonly number[]> {
    const text = await readFile(`/proc/${this.#child.pid}/${file}`, "utf8").catch(() => "");
    return (figures.exec(text) ?? []).slice(1).map(Number);
  }

  stop(): Promise<void> {
    return stopProcess(this.#child);
  }
}

async function bundleWorker(outfile: string): Promise<void> {
  await build({
    entryPoints: [inBench("worker", "main.ts")],
    outfile,
    bundle: true,
    format: "esm",
    target: "es2024",
    platform: "neutral",
    logLevel: "warning",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*"],
    plugins: [textFiles],
  });
}

/** Imports the files that the Worker serves as text, as the rules of wrangler.toml have it. */
const textFiles: Plugin = {
  name: "text-files",
  setup: (bundling) => {
    bundling.onLoad(
      { filter: /\/src\/dashboard\/[^/]+\.(?:js|css|html)$|\/uPlot[^/]*\.(?:js|css)$/ },
      async ({ path }) => ({
        contents: await readFile(path, "utf8"),
        loader: "text",
      }),
    );
  },
};

async function listeningPorts(child: ChildProcess): Promise<ReadonlyMap<string, number>> {
  const ports = new Map<string, number>();
  const control = child.stdio[CONTROL_FD] as Readable;
  const lines = createInterface({ input: control, signal: AbortSignal.timeout(START_TIMEOUT_MS) });
  for await (const line of lines) {
    const message = JSON.parse(line) as { event: string; socket?: string; port?: number };
    if (message.event === "listen" && message.socket !== undefined && message.port !== undefined) {
      ports.set(message.socket, message.port);
    }
    if (SOCKET_NAMES.every((name) => ports.has(name))) return ports;
  }
  throw new Error("workerd did not open all of its sockets");
}
