// What the SQLite store does beyond the contract: when its table and identity come and go, and what a
// write costs.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { encodePartition, type Partition } from "../../src/core/partition.ts";
import { readIdentity } from "../../src/objects/identity.ts";
import { SqliteStore } from "../../src/objects/sqlite-store.ts";
import { ALL_ROWS, type Precondition, type Store, type Write } from "../../src/store/contract.ts";
import {
  absent,
  batch,
  bytes,
  expectFailure,
  key,
  notAfter,
  present,
  put,
  remove,
  textRowsOf,
  write,
} from "../conformance/harness.ts";

function storedIdentity(storage: DurableObjectStorage): unknown {
  return storage.kv.get("namespace-quota:partition");
}

const PARTITION: Partition = { kind: "coordinator", ns: "acme" };

describe("an object that was never written", () => {
  it("has no table after every kind of read", async () => {
    await inFreshObject(({ storage }) => {
      const store = openStore(storage);
      expect(store.get(key("a"))).toBeNull();
      expect(store.getMany([key("a"), key("b")])).toEqual([null, null]);
      expect(store.scan(ALL_ROWS, { limit: 10 })).toEqual({ rows: [], cursor: null });
      expect(store.stats(ALL_ROWS)).toEqual({ rows: 0, bytes: 0 });
      expect(tablesOf(storage)).toEqual([]);
    });
  });

  it.each([
    { of: "nothing", preconditions: [], writes: [] },
    { of: "a delete", preconditions: [], writes: [remove("a")] },
    { of: "preconditions that hold", preconditions: [absent("a")], writes: [remove("a")] },
    { of: "a precondition that fails", preconditions: [present("a")], writes: [put("a", "1")] },
    { of: "a deadline that has passed", preconditions: [notAfter(-1)], writes: [put("a", "1")] },
  ] satisfies readonly { of: string; preconditions: readonly Precondition[]; writes: readonly Write[] }[])(
    "has no table after a batch of $of",
    async ({ preconditions, writes }) => {
      await inFreshObject(({ storage }) => {
        openStore(storage).apply(batch(preconditions, writes));
        expect(tablesOf(storage)).toEqual([]);
        expect(storedIdentity(storage)).toBe(undefined);
      });
    },
  );

  it("writes not one row of the database", async () => {
    await inFreshObject(({ storage }) => {
      expect(rowsWrittenBy(storage, (store) => store.get(key("a")))).toBe(0);
      expect(rowsWrittenBy(storage, (store) => store.apply(batch([absent("a")], [remove("a")])))).toBe(0);
    });
  });
});

describe("the first write", () => {
  it("makes the table and stores the identity", async () => {
    await inFreshObject((state) => {
      const { storage } = state;
      expect(readIdentity(state)).toBeNull();
      write(openStore(storage), put("a", "1"));
      expect(tablesOf(storage)).toEqual(["quota_rows"]);
      expect(storedIdentity(storage)).toEqual(encodePartition(PARTITION));
      expect(readIdentity(state)).toEqual(PARTITION);
    });
  });

  it("is seen by every store that is opened afterwards", async () => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"));
      const store = openStore(storage);
      expect(textRowsOf(store)).toEqual([["a", "1"]]);
    });
  });

  it("that fails takes the table and the identity back, and the next one makes them", async () => {
    await inFreshObject(({ storage }) => {
      const store = openStore(failing(storage, "INSERT"));
      expectFailure("full", () => store.apply(batch([], [put("a", "1")])));
      expect(tablesOf(storage)).toEqual([]);
      expect(storedIdentity(storage)).toBe(undefined);
      expect(store.get(key("a"))).toBeNull();
      expect(store.apply(batch([absent("a")], [put("a", "2")]))).toEqual({ kind: "committed" });
      expect(textRowsOf(store)).toEqual([["a", "2"]]);
      expect(storedIdentity(storage)).toEqual(encodePartition(PARTITION));
      expect(openStore(storage).get(key("a"))).toEqual(bytes("2"));
    });
  });
});

describe("a batch that fails half-way", () => {
  it("is rolled back as a whole", async () => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"), put("b", "1"));
      const store = openStore(failing(storage, "DELETE"));
      expectFailure("full", () => store.apply(batch([], [put("a", "2"), put("c", "2"), remove("b")])));
      expect(textRowsOf(store)).toEqual([
        ["a", "1"],
        ["b", "1"],
      ]);
      write(store, put("a", "3"), remove("b"));
      expect(textRowsOf(store)).toEqual([["a", "3"]]);
    });
  });

  it.each([
    { thrown: "database or disk is full: SQLITE_FULL", failure: "full" },
    { thrown: "database disk image is malformed: SQLITE_CORRUPT", failure: "corrupt" },
    { thrown: "file is not a database: SQLITE_NOTADB", failure: "corrupt" },
    { thrown: "disk I/O error: SQLITE_IOERR", failure: "unavailable" },
  ] as const)("is $failure when SQLite says $thrown", async ({ thrown, failure }) => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"));
      expectFailure(failure, () => openStore(failing(storage, "INSERT", thrown)).apply(batch([], [put("a", "2")])));
      expectFailure(failure, () => openStore(failing(storage, "SELECT value", thrown)).get(key("a")));
      expect(openStore(storage).get(key("a"))).toEqual(bytes("1"));
    });
  });
});

describe("removing an emptied object", () => {
  it("leaves nothing, and a write on the same store begins anew", async () => {
    await inFreshObject(async ({ storage }) => {
      const store = openStore(storage);
      write(store, put("a", "1"), remove("a"));
      await storage.setAlarm(Date.now() + 60_000);
      await store.removeIfEmpty();
      expect([tablesOf(storage), storedIdentity(storage), await storage.getAlarm()]).toEqual([[], undefined, null]);
      expect(store.get(key("a"))).toBeNull();
      expect(store.apply(batch([absent("a")], [put("b", "2")]))).toEqual({ kind: "committed" });
      expect(textRowsOf(store)).toEqual([["b", "2"]]);
      expect(storedIdentity(storage)).toEqual(encodePartition(PARTITION));
    });
  });

  it("takes effect at once: a write in the same turn begins anew and stays", async () => {
    await inFreshObject(async ({ storage }) => {
      const store = openStore(storage);
      write(store, put("a", "1"), remove("a"));
      const removed = store.removeIfEmpty();
      write(store, put("b", "2"));
      await removed;
      await storage.sync();
      expect(textRowsOf(store)).toEqual([["b", "2"]]);
      expect(storedIdentity(storage)).toEqual(encodePartition(PARTITION));
    });
  });

  it("does nothing while a row, another's table or another's key is there", async () => {
    await inFreshObject(async ({ storage }) => {
      const store = openStore(storage);
      write(store, put("a", "1"));
      await store.removeIfEmpty();
      expect(textRowsOf(store)).toEqual([["a", "1"]]);
      write(store, remove("a"));
      storage.kv.put("theirs", 1);
      await store.removeIfEmpty();
      expect([storage.kv.get("theirs"), tablesOf(storage)]).toEqual([1, ["quota_rows"]]);
      storage.kv.delete("theirs");
      storage.sql.exec("CREATE TABLE theirs (id INTEGER)");
      await store.removeIfEmpty();
      expect(tablesOf(storage).toSorted()).toEqual(["quota_rows", "theirs"]);
    });
  });
});

describe("rows kept in memory", () => {
  it("are those stored: after a batch that failed they are read again", async () => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"), put("b", "1"));
      const store = openStore(failing(storage, "DELETE"));
      expect(store.get(key("a"))).toEqual(bytes("1"));
      expectFailure("full", () => store.apply(batch([], [put("a", "2"), remove("b")])));
      expect([store.get(key("a")), store.get(key("b"))]).toEqual([bytes("1"), bytes("1")]);
    });
  });

  it("are dropped by forget, so that what another store wrote is seen", async () => {
    await inFreshObject(({ storage }) => {
      const store = openStore(storage);
      write(store, put("a", "1"));
      write(openStore(storage), put("a", "2"));
      store.forget();
      expect(store.get(key("a"))).toEqual(bytes("2"));
    });
  });
});

describe("writes alongside a batch", () => {
  it("commit with it, and a throw takes both back and goes on as it is", async () => {
    await inFreshObject(({ storage }) => {
      const store = openStore(storage);
      storage.sql.exec("CREATE TABLE theirs (id INTEGER)");
      const insert = (id: number) => (): void => void storage.sql.exec("INSERT INTO theirs VALUES (?)", id);
      store.apply(batch([], [put("a", "1")]), insert(1));
      const failure = new Error("theirs");
      const throwing = (): void => {
        insert(2)();
        throw failure;
      };
      expect(() => store.apply(batch([], [put("a", "2")]), throwing)).toThrow(failure);
      expect(store.apply(batch([absent("a")], [put("a", "3")]), insert(3)).kind).toBe("preconditionFailed");
      expect(textRowsOf(store)).toEqual([["a", "1"]]);
      expect(storage.sql.exec("SELECT id FROM theirs").toArray()).toEqual([{ id: 1 }]);
    });
  });
});

describe("the rows written, which are what is billed", () => {
  it.each([
    { of: "one put of a new key", writes: [put("new", "1")], rows: 1 },
    { of: "one put that replaces a value", writes: [put("a", "2")], rows: 1 },
    { of: "one delete", writes: [remove("a")], rows: 1 },
    { of: "a delete of what is not there", writes: [remove("none")], rows: 0 },
    { of: "three puts", writes: [put("a", "2"), put("b", "2"), put("c", "2")], rows: 3 },
  ])("by $of are $rows", async ({ writes, rows }) => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"));
      expect(rowsWrittenBy(storage, (metered) => write(metered, ...writes))).toBe(rows);
    });
  });

  it("by a refused batch are 0", async () => {
    await inFreshObject(({ storage }) => {
      write(openStore(storage), put("a", "1"));
      expect(rowsWrittenBy(storage, (metered) => metered.apply(batch([absent("a")], [put("a", "2")])))).toBe(0);
    });
  });
});

let objects = 0;

/** Runs `work` in an object under a name that no other test uses. */
async function inFreshObject(work: (state: DurableObjectState) => void | Promise<void>): Promise<void> {
  const id = env.STORE_HOST.idFromName(`sqlite-store-${objects++}`);
  await runInDurableObject(env.STORE_HOST.get(id), (_host, state) => work(state));
}

function openStore(storage: DurableObjectStorage): SqliteStore {
  return new SqliteStore(storage, PARTITION, () => 0);
}

function tablesOf(storage: DurableObjectStorage): readonly string[] {
  const tables = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master");
  return [...tables].map(({ name }) => name).filter((name) => !name.startsWith("_cf_"));
}

/** The storage, of which the first statement that begins with `verb` fails. */
function failing(
  storage: DurableObjectStorage,
  verb: string,
  message = "database or disk is full",
): DurableObjectStorage {
  let hasFailed = false;
  return withExec(storage, (query, bindings) => {
    if (!hasFailed && query.startsWith(verb)) {
      hasFailed = true;
      throw new Error(message);
    }
    return storage.sql.exec(query, ...bindings);
  });
}

function rowsWrittenBy(storage: DurableObjectStorage, work: (store: Store) => void): number {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  const metered = withExec(storage, (query, bindings) => {
    const cursor = storage.sql.exec(query, ...bindings);
    cursors.push(cursor);
    return cursor;
  });
  work(openStore(metered));
  return cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
}

type Exec = (query: string, bindings: readonly unknown[]) => SqlStorageCursor<Record<string, SqlStorageValue>>;

/** The real storage, but for how statements are executed. */
function withExec(storage: DurableObjectStorage, exec: Exec): DurableObjectStorage {
  const sql = { exec: (query: string, ...bindings: readonly unknown[]) => exec(query, bindings) };
  return new Proxy(storage, {
    get: (target, property) => {
      if (property === "sql") return sql;
      const member: unknown = Reflect.get(target, property, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
