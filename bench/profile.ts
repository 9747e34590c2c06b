// Where the time goes: a CPU profile of the Worker and its objects under one load, taken through workerd's
// inspector, and what is written for each call: `npm run profile -- hot-64`, or another of the loads below.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { loadOverHttp } from "./http/load.ts";
import { showNumber } from "./format.ts";
import { inBench } from "./paths.ts";
import { installPeers } from "./peers.ts";
import { boundRun, removeAtEnd } from "./processes.ts";
import { connectInspector, type CpuProfile } from "./inspector.ts";
import { httpLoad } from "./sections/http.ts";
import { measureSpeed, type SpeedOptions } from "./sections/section.ts";
import { type Spent, startWorkerd, type Workerd } from "./workerd.ts";

const INSPECTOR = "127.0.0.1:9339";
const DURATION_MS = 3_000;
const MAX_FUNCTIONS = 40;
const MAX_RUN_MS = 300_000;

const SPEED: Readonly<Record<string, Pick<SpeedOptions, "contestant" | "callers" | "spread" | "inWaves">>> = {
  "hot-1": { contestant: "charge", callers: 1, spread: 1 },
  "hot-64": { contestant: "charge", callers: 64, spread: 1 },
  spread: { contestant: "charge", callers: 64, spread: 100 },
  "fan-in": { contestant: "push", callers: 200, spread: 200, inWaves: true },
  "push-10": { contestant: "push", callers: 10, spread: 10, inWaves: true },
  "push-20000": { contestant: "push", callers: 10, spread: 20_000, inWaves: true },
  "bare-1": { contestant: "bare", callers: 1, spread: 1 },
  "bare-64": { contestant: "bare", callers: 64, spread: 1 },
};

/** Calls made, the load's own warm-up included. */
async function putUnderLoad(workerd: Workerd, name: string, durationMs: number): Promise<number> {
  const speed = SPEED[name];
  if (speed !== undefined) {
    return (await measureSpeed(workerd, { ...speed, ns: "profile", warmUpMs: 0, durationMs })).calls;
  }
  const load = httpLoad(workerd.origin("quota"), name === "http-hot" ? 1 : 100);
  return (await loadOverHttp({ ...load, warmUpMs: 0, durationMs })).requests;
}

/** What each call took of the process, by the system's own account. */
function describeSpent(calls: number, before: Spent | null, after: Spent | null): string {
  if (before === null || after === null) return "";
  const processorMs = after.processorMs - before.processorMs;
  const kib = (after.writtenBytes - before.writtenBytes) / 1_024;
  const [busy, each, written] = [processorMs / DURATION_MS, (processorMs * 1_000) / calls, kib / calls].map(showNumber);
  return `${busy} cores busy; ${each} µs of a core and ${written} KiB written for each`;
}

interface Line {
  readonly place: string;
  readonly selfShare: number;
  readonly totalShare: number;
}

/** For each line of the bundle, the module it comes from: esbuild heads each with a comment that names it. */
async function modulesByLine(bundlePath: string): Promise<readonly string[]> {
  let current = "";
  return (await readFile(bundlePath, "utf8")).split("\n").map((line) => {
    current = /^\/\/ (\S+\.[jt]s)$/.exec(line)?.[1] ?? current;
    return current;
  });
}

/** Shares of the sampled time by function; recursion is not expected. */
function linesOf({ nodes, samples, timeDeltas }: CpuProfile, modules: readonly string[]): readonly Line[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id] as const)));
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  const placeOf = (id: number): string => {
    const frame = byId.get(id)?.callFrame;
    if (frame === undefined) return "?";
    const module = frame.url === "" ? "" : (modules[frame.lineNumber] ?? frame.url);
    return `${frame.functionName || "(anonymous)"} ${module}`;
  };
  for (const [index, sample] of samples.entries()) {
    const elapsed = timeDeltas[index] ?? 0;
    self.set(placeOf(sample), (self.get(placeOf(sample)) ?? 0) + elapsed);
    const seen = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) seen.add(placeOf(id));
    for (const place of seen) total.set(place, (total.get(place) ?? 0) + elapsed);
  }
  const sum = timeDeltas.reduce((left, right) => left + right, 0);
  return [...total].map(([place, time]) => ({
    place,
    selfShare: (self.get(place) ?? 0) / sum,
    totalShare: time / sum,
  }));
}

/** Whose time it is, as far as a module tells. Calls into the runtime count for the module that makes them. */
const OWNERS: readonly (readonly [owner: string, module: RegExp])[] = [
  ["the bench's own driver", /^bench\//],
  ["src/core, src/store", /^src\/(?:core|store)\//],
  ["src/quota", /^src\/quota\//],
  ["src/objects", /^src\/objects\//],
  ["src/http, src/rpc", /^src\/(?:http|rpc)\//],
  ["hono and zod", /node_modules/],
];

/** What the profiler calls time that is no function's. */
const NOBODYS: Readonly<Record<string, string>> = {
  "(idle)": "outside JavaScript: event loop, disk, sleep",
  "(program)": "(program)",
  "(garbage collector)": "(garbage collector)",
};

function ownerOf(place: string): string {
  const [, name = "", module = ""] = /^(.*) (\S*)$/.exec(place) ?? [];
  const [owner] = OWNERS.find(([, of]) => of.test(module)) ?? [];
  return owner ?? NOBODYS[name] ?? "the runtime, called by none of these";
}

function showShares(lines: readonly Line[]): void {
  const shares = new Map<string, number>();
  for (const { place, selfShare } of lines) {
    shares.set(ownerOf(place), (shares.get(ownerOf(place)) ?? 0) + selfShare);
  }
  for (const [owner, share] of [...shares].toSorted(([, left], [, right]) => right - left)) {
    console.log(`${(100 * share).toFixed(1).padStart(8)} %  ${owner}`);
  }
}

const name = process.argv[2] ?? "hot-64";
boundRun(MAX_RUN_MS);
await installPeers();
const directory = await mkdtemp(inBench(".work-"));
removeAtEnd(directory);
const workerd = await startWorkerd({ directory, inspector: INSPECTOR });
try {
  await putUnderLoad(workerd, name, DURATION_MS);
  const inspector = await connectInspector(INSPECTOR, "speed");
  await inspector.startProfile();
  const before = await workerd.spent();
  const calls = await putUnderLoad(workerd, name, DURATION_MS);
  const spent = describeSpent(calls, before, await workerd.spent());
  const lines = linesOf(await inspector.stopProfile(), await modulesByLine(join(directory, "main.js")));
  inspector.close();
  console.log(`${name}: ${showNumber((calls * 1_000) / DURATION_MS)} a second while profiled; ${spent}`);
  showShares(lines);
  console.log("  self %  total %  function");
  for (const line of lines.toSorted((left, right) => right.selfShare - left.selfShare).slice(0, MAX_FUNCTIONS)) {
    const [self, total] = [line.selfShare, line.totalShare].map((share) => (100 * share).toFixed(1).padStart(8));
    console.log(`${self}${total}   ${line.place}`);
  }
} finally {
  await workerd.stop();
  await rm(directory, { recursive: true, force: true });
}
