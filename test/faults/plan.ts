// What is to go wrong in one object, and what it has seen: shared by a test and the object it breaks,
// which run in one isolate. An object is known by its id, so that the plan outlives its instances.

/** Runs in place of an RPC method; `proceed` is the method itself. */
export type CallFault = (proceed: () => Promise<unknown>, ctx: DurableObjectState) => Promise<unknown>;

export class FaultPlan {
  /** Instances constructed so far. */
  instances = 0;
  /** RPC methods called, in order. */
  readonly calls: string[] = [];
  /** Every write the storage was asked for, in order: the verb of a statement, or the method's name. */
  readonly writes: string[] = [];
  onCall: CallFault | null = null;
  /** Asked before each write, with its number from 1; what it returns is thrown in the write's place. */
  onWrite: ((number: number, write: string) => Error | null) | null = null;
  /** Alarms are set an hour late, so that none comes but by the test. */
  holdsAlarms = false;
  #isAside = false;

  async call<Answer>(name: string, ctx: DurableObjectState, proceed: () => Promise<Answer>): Promise<Answer> {
    this.calls.push(name);
    return this.onCall === null ? proceed() : ((await this.onCall(proceed, ctx)) as Answer);
  }

  /** Throws what was planned for this write. */
  beforeWrite(write: string): void {
    if (this.#isAside) return;
    this.writes.push(write);
    const error = this.onWrite?.(this.writes.length, write) ?? null;
    if (error !== null) throw error;
  }

  /** What the test itself does to the storage neither fails nor counts. */
  async aside<T>(work: () => T | Promise<T>): Promise<T> {
    this.#isAside = true;
    try {
      return await work();
    } finally {
      this.#isAside = false;
    }
  }

  /** Nothing goes wrong from here on, and what was seen is forgotten. */
  heal(): void {
    this.onCall = null;
    this.onWrite = null;
    this.writes.length = 0;
    this.calls.length = 0;
  }
}

const plans = new Map<string, FaultPlan>();

export function planOf(id: DurableObjectId): FaultPlan {
  const known = plans.get(id.toString());
  if (known !== undefined) return known;
  const plan = new FaultPlan();
  plans.set(id.toString(), plan);
  return plan;
}

const HELD_MS = 3_600_000;
const WRITING = /^(INSERT|UPDATE|DELETE|CREATE|DROP)\b/;

/** Puts the plan between an object and its storage. Reads go through untouched. */
export function breakStorage(storage: DurableObjectStorage, plan: FaultPlan): void {
  const { sql, kv } = storage;
  const exec = sql.exec.bind(sql);
  replace(sql, "exec", (query: string, ...bindings: unknown[]) => {
    const verb = WRITING.exec(query)?.[1];
    if (verb !== undefined) plan.beforeWrite(verb);
    return exec(query, ...bindings);
  });
  const put = kv.put.bind(kv);
  replace(kv, "put", (key: string, value: unknown) => {
    plan.beforeWrite("kv.put");
    put(key, value);
  });
  const transactionSync = storage.transactionSync.bind(storage);
  replace(storage, "transactionSync", <T>(work: () => T): T =>
    transactionSync(() => {
      const result = work();
      plan.beforeWrite("COMMIT");
      return result;
    }),
  );
  // The platform rejects: these are asynchronous, so nothing is thrown where they are called.
  const setAlarm = storage.setAlarm.bind(storage);
  replace(storage, "setAlarm", async (atMs: number) => {
    plan.beforeWrite("setAlarm");
    return setAlarm(plan.holdsAlarms ? Date.now() + HELD_MS : atMs);
  });
  for (const name of ["deleteAlarm", "deleteAll", "sync"] as const) {
    const write = storage[name].bind(storage) as (...given: unknown[]) => Promise<void>;
    replace(storage, name, async (...given: unknown[]) => {
      plan.beforeWrite(name);
      return write(...given);
    });
  }
}

function replace(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true });
}
