// The fault simulation, as many seeds as SIMULATION_SEEDS says, from SIMULATION_FIRST_SEED on.
import { expect, it } from "vitest";
import { runSeed } from "./campaign.ts";

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };

const SEEDS = Number(process.env["SIMULATION_SEEDS"] ?? 200);
const FIRST_SEED = Number(process.env["SIMULATION_FIRST_SEED"] ?? 1);
const TIMEOUT_MS = 60_000 + SEEDS * 1_000;

/** What a campaign must have met to say anything. */
const MUST_HAPPEN = [
  "allowed",
  "quota_exhausted",
  "conflict",
  "replayed",
  "retry",
  "crash",
  "restore",
  "outage",
  "clockStep",
  "limits",
  "lostCall",
  "lostReply",
  "doubledCall",
  "slowCall",
  "slowFlush",
  "failedWrite",
  "earlyAlarm",
  "lateAlarm",
  "doubledAlarm",
  "event rebase",
  "checked G4",
  "checked G5",
];

it(`G1 to G8 hold through ${SEEDS} seeds of faults`, { timeout: TIMEOUT_MS }, async () => {
  const failures: string[] = [];
  const happened = new Set<string>();
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const { violations, counts } = await runSeed(seed);
    for (const what of counts.keys()) happened.add(what);
    const [first] = violations;
    if (first === undefined) continue;
    failures.push(`${first.guarantee}: ${first.detail} (npm run simulate -- --seed ${seed})`);
  }
  expect(failures).toEqual([]);
  if (SEEDS >= 100) expect(MUST_HAPPEN.filter((what) => !happened.has(what))).toEqual([]);
});

it("a seed replays exactly", async () => {
  const [first, again] = [await runSeed(7), await runSeed(7)];
  expect(again).toEqual(first);
  expect((await runSeed(8)).counts).not.toEqual(first.counts);
});
