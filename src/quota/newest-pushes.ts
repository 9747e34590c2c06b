// Which push of each shard is the newest that has arrived. A push that was delivered late, after a newer one
// of the same shard and window, must not bring the contribution back down: it is told from a rebase by when
// it was sent. Kept in memory only, for what is under way: the shard's next push says what is in any case.
import { toHex } from "../core/bytes.ts";
import { forgetOldest } from "../core/forget-oldest.ts";
import { quotaContributionKey } from "../core/keys.ts";
import type { Push } from "./protocol.ts";

/** The one that arrived longest ago is forgotten first. */
const MAX_SHARDS = 4_096;

export class NewestPushes {
  readonly #sentAtMs = new Map<string, number>();

  /** Notes the push; true when a newer one of its shard and window has arrived before it. */
  isOvertaken(push: Push): boolean {
    const id = toHex(quotaContributionKey(push.window, push.source));
    const newest = this.#sentAtMs.get(id) ?? push.sentAtMs;
    if (push.sentAtMs < newest) return true;
    this.#sentAtMs.delete(id);
    this.#sentAtMs.set(id, push.sentAtMs);
    if (this.#sentAtMs.size > MAX_SHARDS) forgetOldest(this.#sentAtMs);
    return false;
  }
}
