// The main job on real input: the service runs with short windows while the busiest hours of a git
// project's pushes are replayed against it, one hour to a window. For every window the coordinator's
// total must be exactly what the clients were told was admitted; the exit status is 1 if it never is.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DEV_TOKENS, ServiceProcess } from "./service-process.ts";
import { busiestHours, positionInHour, type Push, readTrace, type TraceHour } from "./trace.ts";

const HOURS = 110;
const WINDOW_MS = 800;
const ROLLUP_MS = 150;
/** Ended windows are kept long enough to be compared, even on a machine that stalls. */
const GRACE_MS = 10_000;
const MAX_OPS = 20;
const MAX_BYTES = 4_000_000;
/** Pushes are spread over this much of their window, clear of its edges. */
const SPREAD_MS = 500;
const LEAD_MS = 100;
const SETTLE_MS = 4 * ROLLUP_MS;
const POLL_MS = 50;

interface Counted {
  pushes: number;
  admitted: number;
  denied: number;
  failed: number;
  bytes: number;
}

interface WindowTotal {
  readonly window: number;
  readonly total: { readonly ops: number; readonly bytes: number };
}

class Replay {
  readonly #url: string;
  readonly #counted = new Map<number, Counted>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Sends an hour's pushes into the window that begins at `startsAtMs`. */
  async send(hour: TraceHour, startsAtMs: number): Promise<void> {
    await Promise.all(
      hour.pushes.map(async (push) => {
        await sleep(Math.max(startsAtMs + LEAD_MS + positionInHour(push) * SPREAD_MS - Date.now(), 0));
        await this.#charge(push, Math.floor(startsAtMs / WINDOW_MS));
      }),
    );
  }

  get all(): readonly Counted[] {
    return [...this.#counted.values()];
  }

  countedIn(window: number): Counted {
    const counted = this.#counted.get(window) ?? { pushes: 0, admitted: 0, denied: 0, failed: 0, bytes: 0 };
    this.#counted.set(window, counted);
    return counted;
  }

  /** The coordinator's total once it agrees with the clients' sum, or as it stands when time is up. */
  async settledTotal(ns: string, window: number): Promise<WindowTotal["total"]> {
    const deadline = (window + 1) * WINDOW_MS + GRACE_MS - POLL_MS;
    let total = { ops: 0, bytes: 0 };
    while (Date.now() < deadline) {
      total = await this.#total(ns, window);
      if (agrees(this.countedIn(window), total)) break;
      await sleep(POLL_MS);
    }
    return total;
  }

  async #charge(push: Push, sentIn: number): Promise<void> {
    const { ns, repo, ref, bytes } = push;
    const path = `/v1/namespaces/${ns}/repos/${repo}/refs/${encodeURIComponent(ref)}/charges`;
    const response = await this.#fetch(path, { method: "POST", body: JSON.stringify({ bytes }) });
    const answer = (await response.json()) as { window?: { number: number } };
    const counted = this.countedIn(answer.window?.number ?? sentIn);
    counted.pushes++;
    if (response.status === 200) {
      counted.admitted++;
      counted.bytes += bytes;
    } else if (response.status === 429 || response.status === 422) counted.denied++;
    else counted.failed++;
  }

  async #total(ns: string, window: number): Promise<WindowTotal["total"]> {
    const response = await this.#fetch(`/v1/namespaces/${ns}/usage`, {});
    const { windows } = (await response.json()) as { windows: readonly WindowTotal[] };
    return windows.find((stored) => stored.window === window)?.total ?? { ops: 0, bytes: 0 };
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    return fetch(this.#url + path, { ...init, headers: { Authorization: `Bearer ${DEV_TOKENS.write}` } });
  }
}

function agrees(counted: Counted, total: WindowTotal["total"]): boolean {
  return counted.admitted === total.ops && counted.bytes === total.bytes;
}

const COLUMNS = ["window", "pushes", "admitted", "denied", "bytes", "total ops", "total bytes", "agree"];
const WIDTHS = [12, 7, 9, 7, 10, 10, 12, 6];

function row(cells: readonly (string | number)[]): string {
  return cells.map((cell, column) => String(cell).padStart(WIDTHS[column] ?? 0)).join(" ");
}

function printWindow(window: number, counted: Counted, total: WindowTotal["total"]): boolean {
  const isSame = agrees(counted, total) && counted.failed === 0;
  const { pushes, admitted, denied, bytes } = counted;
  console.log(row([window, pushes, admitted, denied, bytes, total.ops, total.bytes, isSame ? "yes" : "NO"]));
  return isSame;
}

/** Replays every hour and prints each window as soon as it has settled; false when one did not agree. */
async function replayAll(replay: Replay, hours: readonly TraceHour[]): Promise<boolean> {
  const ns = hours[0]?.pushes[0]?.ns ?? "git";
  const firstWindow = Math.floor(Date.now() / WINDOW_MS) + 1;
  const windows = hours.map(async (hour, index) => {
    const window = firstWindow + index;
    await replay.send(hour, window * WINDOW_MS);
    await sleep(Math.max((window + 1) * WINDOW_MS + SETTLE_MS - Date.now(), 0));
    return printWindow(window, replay.countedIn(window), await replay.settledTotal(ns, window));
  });
  return (await Promise.all(windows)).every(Boolean);
}

function printSummary(all: readonly Counted[], isExact: boolean): boolean {
  const sum = (of: (counted: Counted) => number): number => all.reduce((total, counted) => total + of(counted), 0);
  const denied = sum((counted) => counted.denied);
  console.log(
    `\n${sum((counted) => counted.pushes)} pushes in ${all.length} windows: ` +
      `${sum((counted) => counted.admitted)} admitted, ${denied} denied, ${sum((counted) => counted.failed)} failed`,
  );
  console.log(isExact ? "Every total is exactly the sum of what was admitted." : "A total is NOT what was admitted.");
  if (denied === 0) console.log("Nothing was denied, so the caps were not tried.");
  return isExact && denied > 0;
}

async function main(): Promise<void> {
  const hours = busiestHours(readTrace(), HOURS);
  const folder = mkdtempSync(join(tmpdir(), "namespace-quota-demo-"));
  console.log("starting the service …");
  const service = await ServiceProcess.start({
    persistTo: folder,
    variables: {
      QUOTA_WINDOW_MS: String(WINDOW_MS),
      QUOTA_ROLLUP_MS: String(ROLLUP_MS),
      QUOTA_CLOCK_GRACE_MS: String(GRACE_MS),
      QUOTA_MAX_OPS: String(MAX_OPS),
      QUOTA_MAX_BYTES: String(MAX_BYTES),
    },
  });
  try {
    const replay = new Replay(service.url);
    console.log(row(COLUMNS));
    const isExact = await replayAll(replay, hours);
    process.exitCode = printSummary(replay.all, isExact) ? 0 : 1;
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
