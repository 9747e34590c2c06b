// One namespace being watched: reads its usage again and again, its shards and limits when the usage
// says that they have changed, and tells the page what came of it.
import { QuotaApi } from "./api.js";
import { poll } from "./poll.js";
import { readShards } from "./shard-reader.js";

/**
 * @typedef {object} Listener
 * @property {(usage: import("./api.js").Usage, serverNowMs: number | null) => void} onUsage
 * @property {(shards: import("./shard-reader.js").Shards) => void} onShards
 * @property {() => void} onShardsUnchanged
 * @property {(limits: import("./api.js").LimitsReport) => void} onLimits
 * @property {() => void} onLive everything that was asked has been answered
 * @property {(failure: import("./api.js").Failure, delayMs: number) => void} onRetry
 * @property {(refusal: import("./api.js").Refused) => void} onRefused asking again would not help
 */

/** Shards are many rows: not read more often than this. */
const SHARDS_EVERY_MS = 5_000;

export class Watch {
  #stop = new AbortController();
  #wake = new EventTarget();
  #listener;
  /** @type {import("./api.js").Failure} */
  #failure = { kind: "unreachable" };
  #shardsOf = "";
  #shardsAtMs = -Infinity;
  #limitsOf = "";

  /**
   * @param {{namespace: string, token: string}} target
   * @param {Listener} listener
   */
  constructor({ namespace, token }, listener) {
    this.#listener = listener;
    this.api = new QuotaApi({ namespace, token, signal: this.#stop.signal });
  }

  /** Resolves when there is nothing more to do. */
  run() {
    return poll({
      read: () => this.#read(),
      onRetry: (delayMs) => this.#listener.onRetry(this.#failure, delayMs),
      wake: this.#wake,
      signal: this.#stop.signal,
    });
  }

  /** Reads now. */
  refresh() {
    this.#wake.dispatchEvent(new Event("wake"));
  }

  stop() {
    this.#stop.abort();
  }

  get isStopped() {
    return this.#stop.signal.aborted;
  }

  /** @returns {Promise<import("./poll.js").Outcome>} */
  async #read() {
    const usage = await this.api.usage();
    if (this.isStopped) return "stop";
    if (usage.kind !== "ok") return this.#failed(usage);
    this.#listener.onUsage(usage.value, usage.serverNowMs);
    const failure = (await this.#readLimits(usage.value)) ?? (await this.#readShards(usage.value));
    if (this.isStopped) return "stop";
    if (failure !== null) return this.#failed(failure);
    this.#listener.onLive();
    return "again";
  }

  /**
   * @param {import("./api.js").Usage} usage
   * @returns {Promise<import("./api.js").Failure | null>}
   */
  async #readLimits({ limits: { maxOps, maxBytes } }) {
    const version = `${maxOps} ${maxBytes}`;
    if (version === this.#limitsOf) return null;
    const answer = await this.api.limits();
    if (answer.kind !== "ok") return answer;
    this.#limitsOf = version;
    if (!this.isStopped) this.#listener.onLimits(answer.value);
    return null;
  }

  /**
   * @param {import("./api.js").Usage} usage
   * @returns {Promise<import("./api.js").Failure | null>}
   */
  async #readShards({ window, total, sources }) {
    const version = `${window.number} ${total.ops} ${total.bytes} ${sources}`;
    if (version === this.#shardsOf) {
      this.#listener.onShardsUnchanged();
      return null;
    }
    if (performance.now() - this.#shardsAtMs < SHARDS_EVERY_MS) return null;
    const answer = await readShards(this.api);
    if (answer.kind !== "ok") return answer;
    this.#shardsOf = version;
    this.#shardsAtMs = performance.now();
    if (!this.isStopped) this.#listener.onShards(answer.value);
    return null;
  }

  /**
   * A fault may pass; a refusal of what is asked does not.
   * @param {import("./api.js").Failure} failure
   * @returns {import("./poll.js").Outcome}
   */
  #failed(failure) {
    if (failure.kind === "refused" && failure.status < 500) {
      this.#listener.onRefused(failure);
      return "stop";
    }
    this.#failure = failure;
    return "failed";
  }
}
