// Which push of each shard is the newest that has arrived. A push that was delivered late, after a newer one
// of the same shard and window, must not bring the contribution back down: it is told from a rebase by when
// it was sent. Kept in memory only, for what is under way: the shard's next push says what is in any case.
import { toBinaryText } from "../core/bytes.ts";
import { quotaContributionKey } from "../core/keys.ts";
import { RecentMap } from "../core/recent-map.ts";
import type { Push } from "./protocol.ts";

/** At least so many of the last, at most twice as many. */
const PUSHES = 4_096;

export class NewestPushes {
  readonly #sentAtMs = new RecentMap<string, number>(PUSHES);

  /** Notes the push; true when a newer one of its shard and window has arrived before it. */
  isOvertaken(push: Push): boolean {
    const id = toBinaryText(quotaContributionKey(push.window, push.source));
    const newest = this.#sentAtMs.get(id) ?? push.sentAtMs;
    if (push.sentAtMs < newest) return true;
    this.#sentAtMs.set(id, push.sentAtMs);
    return false;
  }
}
