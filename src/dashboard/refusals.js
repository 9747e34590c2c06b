// What a state means for the next write: which refusals are to be expected, in plain words.
import { formatClock, formatShare } from "./format.js";

/** @typedef {{tone: "bad" | "warn", title: string, text: string}} Notice */

/** Per cent of a limit from which it is worth a warning. */
const NEAR_PERCENT = 90n;

/**
 * The worst first; none while there is room.
 * @param {import("./api.js").Usage} usage
 * @returns {Notice[]}
 */
export function explain({ window, total, limits, remaining }) {
  const resetsAt = formatClock(Date.parse(window.endsAt));
  const notices = [
    opsNotice(limits.maxOps, remaining.ops, resetsAt),
    bytesNotice(limits.maxBytes, remaining.bytes, resetsAt),
  ];
  const near = [nearNotice("Ops", total.ops, limits.maxOps), nearNotice("Bytes", total.bytes, limits.maxBytes)];
  return [...notices, ...near].filter((notice) => notice !== null);
}

/**
 * @param {bigint | null} max
 * @param {bigint | null} left
 * @param {string} resetsAt
 * @returns {Notice | null}
 */
function opsNotice(max, left, resetsAt) {
  if (max === 0n) {
    return {
      tone: "bad",
      title: "This namespace is blocked: its limit is 0 ops.",
      text: "Every write is refused with 422 cost_exceeds_limit. Waiting does not help; another limit does.",
    };
  }
  if (left !== 0n) return null;
  return {
    tone: "bad",
    title: "No ops are left in this window.",
    text: `Writes are refused with 429 quota_exhausted until the window ends at ${resetsAt}; then counting starts from 0.`,
  };
}

/**
 * @param {bigint | null} max
 * @param {bigint | null} left
 * @param {string} resetsAt
 * @returns {Notice | null}
 */
function bytesNotice(max, left, resetsAt) {
  if (max === 0n) {
    return {
      tone: "bad",
      title: "Writes may carry no bytes: the limit is 0.",
      text: "A write of any size is refused with 422 cost_exceeds_limit, one of 0 bytes is not. Waiting does not help.",
    };
  }
  if (left !== 0n) return null;
  return {
    tone: "bad",
    title: "No bytes are left in this window.",
    text: `A write of any size is refused with 429 quota_exhausted until the window ends at ${resetsAt}; one of 0 bytes is not.`,
  };
}

/**
 * @param {string} what
 * @param {bigint} used
 * @param {bigint | null} max
 * @returns {Notice | null}
 */
function nearNotice(what, used, max) {
  if (max === null || used >= max || used * 100n < max * NEAR_PERCENT) return null;
  return {
    tone: "warn",
    title: `${what} are at ${formatShare(used, max)} of the limit.`,
    text: "A write that does not fit in what is left is refused with 429 quota_exhausted.",
  };
}
