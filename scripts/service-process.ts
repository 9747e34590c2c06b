// Starts the service, or an example of its use, as npm does, on a free port of this machine, and ends it again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export const DEV_TOKENS = { write: "dev-write", admin: "dev-admin" } as const;

const START_TIMEOUT_MS = 40_000;
const PROBE_INTERVAL_MS = 100;
const STOP_TIMEOUT_MS = 5_000;

export interface ServiceOptions {
  /** What npm is to run, with arguments of its own if it has any; `start` without it. */
  readonly command?: readonly string[];
  /** Where storage is kept; a service started again on the same folder goes on with what is there. */
  readonly persistTo: string;
  readonly variables?: Readonly<Record<string, string>>;
  /** Taken when free; any free port without it. */
  readonly port?: number;
}

export class ServiceProcess {
  readonly url: string;
  readonly port: number;
  readonly #child: ChildProcess;
  #output = "";

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
    }
  }

  /** Resolves when the service answers; rejects with its output when it does not in time. */
  static async start(options: ServiceOptions): Promise<ServiceProcess> {
    const port = options.port ?? (await freePort());
    const variables = Object.entries(options.variables ?? {}).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
    const { command = ["start"], persistTo } = options;
    const separator = command.includes("--") ? [] : ["--"];
    const place = ["--port", String(port), "--inspector-port", "0", "--persist-to", persistTo];
    // A group of its own, so that the whole tree of processes can be ended.
    const child = spawn("npm", [...command, ...separator, ...place, ...variables], {
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const service = new ServiceProcess(child, port);
    await service.#untilAnswering();
    return service;
  }

  /** Ends every process of the service at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#signal("SIGKILL");
    await Promise.race([exited, sleep(STOP_TIMEOUT_MS)]);
  }

  get output(): string {
    return this.#output;
  }

  /** An answer of any kind will do: an example need not have a health check. */
  async #untilAnswering(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    while (Date.now() < deadline && this.#child.exitCode === null) {
      const answered = await fetch(`${this.url}/healthz`).then(
        ({ status }) => status < 500,
        () => false,
      );
      if (answered) return;
      await sleep(PROBE_INTERVAL_MS);
    }
    await this.kill();
    throw new Error(`the service did not start:\n${this.#output}`);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined) process.kill(-pid, signal);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}
