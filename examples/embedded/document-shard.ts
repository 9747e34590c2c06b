// One document: its revisions are rows of its own table, and each is written in the very transaction
// that charges for it.
import { type ChargeResult, type InvalidRequest, RefShard } from "namespace-quota";

const CREATE_TABLE = "CREATE TABLE IF NOT EXISTS revisions (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT";
const TABLE_EXISTS = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'revisions'";

export class DocumentShard extends RefShard {
  /** Stores a revision and charges one write of the text's size, both or neither. */
  async save(text: string): Promise<ChargeResult | InvalidRequest> {
    const bytes = BigInt(new TextEncoder().encode(text).length);
    return this.quota.charge({ bytes }, () => {
      const { sql } = this.ctx.storage;
      sql.exec(CREATE_TABLE);
      sql.exec("INSERT INTO revisions (text) VALUES (?)", text);
    });
  }

  /** The newest revision; null when there is none. */
  async read(): Promise<string | null> {
    const { sql } = this.ctx.storage;
    if (sql.exec(TABLE_EXISTS).toArray().length === 0) return null;
    const [newest] = sql.exec<{ text: string }>("SELECT text FROM revisions ORDER BY number DESC LIMIT 1").toArray();
    return newest?.text ?? null;
  }
}
