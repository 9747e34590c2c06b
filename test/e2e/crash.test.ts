// The service as a process, killed at random moments under load and started again on the same storage.
// Clients send each charge with its key until it is answered; in the end the coordinator has exactly what
// they were told was admitted, ref by ref. CRASH_SEED repeats a run, as far as timing lets it.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { DEV_TOKENS, type ServiceProcess } from "../../scripts/service-process.ts";
import { startsServices } from "./services.ts";

const KILLS = 10;
const CLIENTS = 8;
const NAMESPACE = "crash";
const REFS = ["refs/heads/a", "refs/heads/b", "refs/heads/c", "refs/heads/d", "refs/tags/v1"];
const ROLLUP_MS = 500;
/** The service is up for this long between two kills, at random. */
const UPTIME_MS = { min: 200, max: 2_000 };
const RETRY_MS = 40;
const SETTLE_TIMEOUT_MS = 20_000;
/** A minute on an idle machine; most of it is the server's ten starts. */
const TEST_TIMEOUT_MS = 300_000;
/** So long that the window began just now, and ends in months. */
const WINDOW_MS = Math.floor(Date.now() / 100);

interface Usage {
  ops: number;
  bytes: number;
}

/** Mulberry32: the same seed gives the same numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What the clients were told: admitted charges for each ref, and for the namespace itself under "". */
class Ledger {
  readonly admitted = new Map<string, Usage>();
  readonly unexpected: string[] = [];
  retries = 0;
  replays = 0;

  admit(ref: string, bytes: number): void {
    const { ops, bytes: before } = this.admitted.get(ref) ?? { ops: 0, bytes: 0 };
    this.admitted.set(ref, { ops: ops + 1, bytes: before + bytes });
  }

  get total(): Usage {
    const all = [...this.admitted.values()];
    return { ops: sum(all.map(({ ops }) => ops)), bytes: sum(all.map(({ bytes }) => bytes)) };
  }

  get contributions(): unknown {
    return REFS.map((ref) => ({ repo: "web", ref, ...this.admitted.get(ref) }));
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const startService = startsServices();

function start(port?: number): Promise<ServiceProcess> {
  return startService({
    variables: {
      QUOTA_WINDOW_MS: String(WINDOW_MS),
      QUOTA_ROLLUP_MS: String(ROLLUP_MS),
      QUOTA_MAX_OPS: "1000000",
      QUOTA_MAX_BYTES: "1000000000000",
    },
    ...(port === undefined ? {} : { port }),
  });
}

interface Call {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function request(url: string, path: string, call: Call = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${DEV_TOKENS.write}`, ...call.headers };
  return fetch(`${url}/v1/namespaces/${NAMESPACE}${path}`, { ...call, headers });
}

/** Sends one charge until it is answered. */
async function chargeUntilAnswered(url: string, ledger: Ledger, ref: string, bytes: number): Promise<void> {
  const path = ref === "" ? "/charges" : `/repos/web/refs/${encodeURIComponent(ref)}/charges`;
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  for (;;) {
    const answer = await request(url, path, { method: "POST", body: JSON.stringify({ bytes }), headers })
      .then(async (response) => ({ response, text: await response.text() }))
      .catch(() => null);
    if (answer?.response.status === 200) {
      if (answer.response.headers.has("Idempotent-Replayed")) ledger.replays++;
      ledger.admit(ref, bytes);
      return;
    }
    if (answer !== null && answer.response.status !== 503) ledger.unexpected.push(answer.text);
    ledger.retries++;
    await sleep(RETRY_MS);
  }
}

it(
  "killed ten times under load, it has lost nothing and doubled nothing",
  async () => {
    const seed = Number(process.env["CRASH_SEED"] ?? Date.now() % 2 ** 31);
    const random = randomFrom(seed);
    let service = await start();
    const { url, port } = service;
    const ledger = new Ledger();
    const load = new AbortController();
    const client = async (): Promise<void> => {
      while (!load.signal.aborted) {
        const ref = ["", ...REFS][Math.floor(random() * (REFS.length + 1))] ?? "";
        await chargeUntilAnswered(url, ledger, ref, Math.floor(random() * 5_000));
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (let kill = 0; kill < KILLS; kill++) {
      await sleep(UPTIME_MS.min + random() * (UPTIME_MS.max - UPTIME_MS.min));
      await service.kill();
      service = await start(port);
    }
    load.abort();
    await Promise.all(clients);
    console.log(`seed ${seed}: ${ledger.total.ops} admitted, ${ledger.retries} retries, ${ledger.replays} replays`);

    await vi.waitFor(
      async () => {
        const usage = await (await request(url, "/usage")).json();
        expect(usage).toMatchObject({ total: ledger.total, sources: REFS.length });
      },
      { timeout: SETTLE_TIMEOUT_MS, interval: ROLLUP_MS },
    );
    const contributions = await (await request(url, "/contributions?limit=1000")).json();
    expect(contributions).toEqual({ items: ledger.contributions, next: null });
    expect(ledger.unexpected).toEqual([]);
    expect(ledger.retries).toBeGreaterThan(KILLS);
  },
  TEST_TIMEOUT_MS,
);
