// Decisions committed together are those committed one after another: the same answers, the same rows.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeUsage, encodeView } from "../../src/core/codec.ts";
import { quotaContributionKey, quotaShardKey, quotaTotalKey, quotaViewKey, timerKey } from "../../src/core/keys.ts";
import { encodePartition } from "../../src/core/partition.ts";
import type { QuotaSettings } from "../../src/core/settings.ts";
import { MAX_U64 } from "../../src/core/u64.ts";
import type { Usage, View } from "../../src/core/usage.ts";
import { toWindow, type Window } from "../../src/core/window.ts";
import { commitTogether, type Decide } from "../../src/quota/commit-together.ts";
import { commitAlone } from "./commit-alone.ts";
import { decidePush } from "../../src/quota/contribution.ts";
import { decideExactCharge } from "../../src/quota/exact-charge.ts";
import { encodeWindowMs, quotaTimer } from "../../src/quota/rows.ts";
import { decideShardCharge } from "../../src/quota/shard-charge.ts";
import type { Known } from "../../src/quota/view-source.ts";
import type { Write } from "../../src/store/contract.ts";
import { rowsOf, write } from "../conformance/harness.ts";
import { StoreDouble } from "./store-double.ts";

const WINDOW_MS = 1_000;
const ROLLUP_MS = 200;
const SHARD_WINDOWS = 120;
/** Lists are long, so making one shorter that fails is given a bounded time. */
const PROPERTY = { numRuns: 50, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true };
const TIMEOUT_MS = 120_000;

const limits = fc.record({
  maxOps: fc.option(fc.bigInt({ min: 0n, max: 30n })),
  maxBytes: fc.option(fc.bigInt({ min: 0n, max: 300n })),
});
const settingsOf = (caps: fc.Arbitrary<QuotaSettings["limits"]>): fc.Arbitrary<QuotaSettings> =>
  caps.map((chosen) => ({
    windowMs: WINDOW_MS,
    rollupMs: ROLLUP_MS,
    clockGraceMs: 300,
    coordinatorTimeoutMs: 100,
    limits: chosen,
  }));
const counters = fc.oneof(
  { weight: 9, arbitrary: fc.bigInt({ min: 0n, max: 9n }) },
  { weight: 1, arbitrary: fc.constantFrom(MAX_U64, MAX_U64 - 3n) },
);
const usages: fc.Arbitrary<Usage> = fc.record({ ops: counters, bytes: counters });
const fewBytes = fc.bigInt({ min: 0n, max: 20n });
const corrupt = fc.uint8Array({ maxLength: 20 }).filter((value) => value.length !== 16);

interface Scene {
  readonly settings: QuotaSettings;
  readonly stored: readonly Write[];
}

describe("decisions committed together are those committed one after another", () => {
  it(
    "at a coordinator: pushes and exact charges",
    () => {
      const batches = maximum();
      fc.assert(
        fc.property(
          coordinatorScenes(),
          fc.array(coordinatorRequests(), { minLength: 320, maxLength: 400 }),
          (scene, requests) => {
            const decisions = requests.map(
              (request): Decide<unknown> =>
                (draft) =>
                  request.kind === "push"
                    ? decidePush(
                        draft,
                        { ...request.push, sentAtMs: 0 },
                        {
                          settings: scene.settings,
                          nowMs: request.nowMs,
                          isOvertaken: false,
                        },
                      )
                    : decideExactCharge(draft, request, scene.settings),
            );
            batches.see(expectSameEitherWay(scene.stored, decisions));
          },
        ),
        PROPERTY,
      );
      expect(batches.seen).toBeGreaterThanOrEqual(3);
    },
    TIMEOUT_MS,
  );

  it(
    "at a shard: charges in many windows",
    () => {
      const batches = maximum();
      fc.assert(
        fc.property(shardScenes(), fc.array(shardRequests(), { minLength: 300, maxLength: 360 }), (scene, requests) => {
          const knownOf = (window: Window): Known => ({
            view: scene.views.get(window) ?? null,
            limits: scene.settings.limits,
          });
          const decisions = requests.map(
            (request): Decide<unknown> =>
              (draft) =>
                decideShardCharge(draft, request, { settings: scene.settings, nowMs: request.clockMs, knownOf }),
          );
          batches.see(expectSameEitherWay(scene.stored, decisions));
        }),
        PROPERTY,
      );
      expect(batches.seen).toBeGreaterThanOrEqual(3);
    },
    TIMEOUT_MS,
  );
});

/** Also that no batch breaks a limit. Returns how many batches the list took. */
function expectSameEitherWay(stored: readonly Write[], decisions: readonly Decide<unknown>[]): number {
  const [together, alone] = [new StoreDouble(), new StoreDouble()];
  for (const store of [together, alone]) for (const row of stored) write(store.inner, row);
  const { settled } = commitTogether(together, decisions);
  expect(settled).toEqual(decisions.map((decide) => commitAlone(alone, decide)));
  expect(rowsOf(together)).toEqual(rowsOf(alone));
  expect(together.oversized).toEqual([]);
  return together.batches.length;
}

function maximum(): { readonly seen: number; readonly see: (value: number) => void } {
  let seen = 0;
  return {
    get seen() {
      return seen;
    },
    see: (value) => {
      seen = Math.max(seen, value);
    },
  };
}

/** Some rows that are already there, a few of them corrupt. */
function coordinatorScenes(): fc.Arbitrary<Scene> {
  const window = fc.bigInt({ min: 0n, max: 4n }).map(toWindow);
  const value = fc.oneof({ weight: 4, arbitrary: usages.map(encodeUsage) }, { weight: 1, arbitrary: corrupt });
  const row = fc.oneof(
    fc.tuple(window, sources(), value).map(([of, source, bytes]) => putRow(quotaContributionKey(of, source), bytes)),
    fc.tuple(window, value).map(([of, bytes]) => putRow(quotaTotalKey(of), bytes)),
  );
  return fc.record({ settings: settingsOf(limits), stored: fc.array(row, { maxLength: 8 }) });
}

function coordinatorRequests() {
  // The windows 0 to 4, of which some have expired by the time of some requests.
  const nowMs = fc.nat(5_000);
  const push = fc.record({
    source: sources(),
    window: fc.bigInt({ min: 0n, max: 4n }).map(toWindow),
    windowMs: fc.constantFrom(WINDOW_MS, WINDOW_MS, WINDOW_MS, 2 * WINDOW_MS),
    usage: usages,
  });
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("push" as const), push, nowMs }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("charge" as const), nowMs, bytes: fewBytes }) },
  );
}

function sources(): fc.Arbitrary<Uint8Array> {
  return fc
    .nat(149)
    .map((index) => encodePartition({ kind: "ref", ns: "acme", repo: "web", ref: `refs/heads/${index}` }));
}

interface ShardScene extends Scene {
  /** The views the shard knows of, stored or not. */
  readonly views: ReadonlyMap<Window, View>;
}

/** Windows that were already counted in, rolled up or not, whose timers may have slid away. */
function shardScenes(): fc.Arbitrary<ShardScene> {
  const past = fc.record({
    usage: usages,
    isCorrupt: fc.boolean(),
    pushed: fc.option(usages),
    timerAtMs: fc.option(fc.nat(SHARD_WINDOWS * WINDOW_MS)),
    known: fc.option(fc.record({ total: usages, pushed: usages, observedAtMs: fc.bigInt({ min: 0n, max: 9_999n }) })),
  });
  return fc
    .record({ settings: settingsOf(limits), pasts: fc.array(past, { maxLength: 20 }) })
    .map(({ settings, pasts }) => {
      const views = new Map<Window, View>();
      const stored = pasts.flatMap(({ usage, isCorrupt, pushed, timerAtMs, known }, index) => {
        const window = toWindow(BigInt(index));
        if (known !== null) views.set(window, known);
        const rows = [putRow(quotaShardKey(window), isCorrupt ? Uint8Array.of(1) : encodeUsage(usage))];
        if (pushed !== null) {
          const view = { total: pushed, pushed: index % 2 === 0 ? usage : pushed, observedAtMs: 0n };
          rows.push(putRow(quotaViewKey(window), encodeView(view)));
        }
        if (timerAtMs !== null) rows.push(putRow(timerKey(quotaTimer(window, timerAtMs)), encodeWindowMs(WINDOW_MS)));
        return rows;
      });
      return { settings, stored, views };
    });
}

function shardRequests() {
  const nowMs = fc.oneof(
    { weight: 1, arbitrary: fc.nat(10 * WINDOW_MS) },
    { weight: 3, arbitrary: fc.nat(SHARD_WINDOWS * WINDOW_MS) },
  );
  return fc.record({ nowMs, clockMs: nowMs, bytes: fewBytes });
}

function putRow(key: Write["key"], value: Uint8Array): Write {
  return { kind: "put", key, value };
}
