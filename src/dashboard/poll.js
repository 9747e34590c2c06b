// The polling loop: again after two seconds, ever later while it fails, not at all while the page is hidden.

export const POLL_MS = 2_000;
const MAX_RETRY_MS = 30_000;

/**
 * @typedef {"again" | "failed" | "stop"} Outcome
 * @typedef {object} Polling
 * @property {() => Promise<Outcome>} read
 * @property {(delayMs: number) => void} onRetry told how long the next try is away
 * @property {EventTarget} wake its event `wake` ends a wait early
 * @property {AbortSignal} signal ends the loop
 */

/**
 * Resolves when it has stopped.
 * @param {Polling} polling
 */
export async function poll({ read, onRetry, wake, signal }) {
  let failures = 0;
  while (!signal.aborted) {
    const outcome = await read();
    if (outcome === "stop" || signal.aborted) return;
    failures = outcome === "failed" ? failures + 1 : 0;
    const delayMs = retryDelayMs(failures);
    if (failures > 0) onRetry(delayMs);
    await waitFor(delayMs, wake, signal);
    if (document.hidden) await untilVisible(signal);
  }
}

/**
 * The wait after so many failures in a row.
 * @param {number} failures
 */
export function retryDelayMs(failures) {
  return Math.min(POLL_MS * 2 ** Math.max(failures - 1, 0), MAX_RETRY_MS);
}

/**
 * @param {number} delayMs
 * @param {EventTarget} wake
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function waitFor(delayMs, wake, signal) {
  return new Promise((resolve) => {
    const done = new AbortController();
    const timer = setTimeout(finish, delayMs);
    wake.addEventListener("wake", finish, { signal: done.signal });
    signal.addEventListener("abort", finish, { signal: done.signal });
    function finish() {
      clearTimeout(timer);
      done.abort();
      resolve();
    }
  });
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function untilVisible(signal) {
  return new Promise((resolve) => {
    const done = new AbortController();
    document.addEventListener("visibilitychange", finish, { signal: done.signal });
    signal.addEventListener("abort", finish, { signal: done.signal });
    function finish() {
      if (document.hidden && !signal.aborted) return;
      done.abort();
      resolve();
    }
  });
}
