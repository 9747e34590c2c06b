// The peer outside the platform: rate-limiter-flexible on better-sqlite3 behind Node's HTTP server, with every
// commit synced to disk. Its one parameter is the database's path; it tells its port on standard output.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Database from "better-sqlite3";
import { RateLimiterSQLite } from "rate-limiter-flexible";

const MAX_LIFE_MS = 480_000;

const database = new Database(process.argv[2] ?? "");
database.pragma("journal_mode = WAL");
database.pragma("synchronous = FULL");

const limiter = await new Promise<RateLimiterSQLite>((resolve, reject) => {
  const made: RateLimiterSQLite = new RateLimiterSQLite(
    {
      storeClient: database,
      storeType: "better-sqlite3",
      tableName: "limits",
      points: Number.MAX_SAFE_INTEGER,
      duration: 3_600,
    },
    (error?: unknown) => (error === undefined || error === null ? queueMicrotask(() => resolve(made)) : reject(error)),
  );
});

const server = createServer((request, response) => {
  request.resume();
  request.once("end", async () => {
    const answer = await limiter.consume(request.url ?? "/").then(
      ({ consumedPoints }) => ({ status: 200, body: { decision: "allowed", count: consumedPoints } }),
      (error: unknown) => ({ status: 500, body: { decision: "failed", detail: String(error) } }),
    );
    response.writeHead(answer.status, { "Content-Type": "application/json" }).end(JSON.stringify(answer.body));
  });
});

server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
setTimeout(() => process.exit(1), MAX_LIFE_MS).unref();
