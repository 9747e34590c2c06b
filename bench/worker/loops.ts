// The load inside workerd: callers that call one after another, and waves that call all at once. Bounded in
// time and in number.

export interface Measured {
  readonly calls: number;
  /** Calls that did not do what was asked. */
  readonly failures: number;
  readonly elapsedMs: number;
}

/** What a contestant does for one call; false when it failed. */
export type Call = (caller: number, turn: number) => Promise<boolean>;

export interface Load {
  readonly callers: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  readonly call: Call;
}

const MAX_CALLS = 2_000_000;

/** Each caller waits for its own answer and calls again. */
export async function callSteadily(load: Load): Promise<Measured> {
  await steadily(load, load.warmUpMs, 0);
  return steadily(load, load.durationMs, MAX_CALLS);
}

/** All callers call at once; when all are answered, they do it again. */
export async function callInWaves(load: Load): Promise<Measured> {
  const warmUp = await inWaves(load, load.warmUpMs, 0);
  return inWaves(load, load.durationMs, warmUp.calls / load.callers);
}

async function steadily({ callers, call }: Load, durationMs: number, firstTurn: number): Promise<Measured> {
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + durationMs;
  let calls = 0;
  let failures = 0;
  const callOn = async (caller: number): Promise<void> => {
    for (let turn = firstTurn; performance.now() < endsAtMs && calls < MAX_CALLS; turn++) {
      if (!(await call(caller, turn))) failures++;
      calls++;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => callOn(caller)));
  return { calls, failures, elapsedMs: performance.now() - startedAtMs };
}

async function inWaves({ callers, call }: Load, durationMs: number, firstTurn: number): Promise<Measured> {
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + durationMs;
  let calls = 0;
  let failures = 0;
  for (let turn = firstTurn; performance.now() < endsAtMs && calls < MAX_CALLS; turn++) {
    const wave = Array.from({ length: callers }, (_, caller) => call(caller, turn));
    for (const succeeded of await Promise.all(wave)) if (!succeeded) failures++;
    calls += callers;
  }
  return { calls, failures, elapsedMs: performance.now() - startedAtMs };
}
