// The peers' shapes as far as the bench uses them: it is type-checked without their being installed.

declare module "better-sqlite3" {
  export default class Database {
    constructor(path: string);
    pragma(source: string): unknown;
    prepare(source: string): unknown;
  }
}

declare module "rate-limiter-flexible" {
  import type Database from "better-sqlite3";

  export interface SqliteLimiterOptions {
    storeClient: Database;
    storeType: "better-sqlite3";
    tableName: string;
    points: number;
    /** Seconds. */
    duration: number;
  }

  export class RateLimiterSQLite {
    constructor(options: SqliteLimiterOptions, ready: (error?: unknown) => void);
    consume(key: string): Promise<{ readonly consumedPoints: number }>;
  }
}

declare module "undici" {
  export class Pool {
    constructor(origin: string, options: { connections: number; pipelining: number });
    request(options: {
      method: "POST";
      path: string;
      headers: Readonly<Record<string, string>>;
      body: string;
    }): Promise<{ readonly statusCode: number; readonly body: { text(): Promise<string> } }>;
    close(): Promise<void>;
  }
}
