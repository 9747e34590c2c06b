// How the page stands with the service, in a few words that a screen reader is told of once. What
// changes every second stands beside them and is not read out.
import { byId, setText } from "./elements.js";
import { formatAge } from "./format.js";

/** @typedef {"idle" | "busy" | "live" | "stale" | "stopped"} State */

const status = byId("status", HTMLElement);
const detail = byId("status-detail", HTMLElement);
const retryButton = byId("retry", HTMLButtonElement);
const data = byId("data", HTMLElement);

/**
 * @param {State} state
 * @param {string} text
 */
export function showStatus(state, text) {
  status.dataset["state"] = state;
  setText(status, text);
  retryButton.hidden = state !== "stale";
  data.dataset["stale"] = String(state === "stale");
}

/** @param {string} text */
export function showStatusDetail(text) {
  setText(detail, text);
}

/** @param {import("./api.js").Failure} failure */
export function troubleText(failure) {
  if (failure.kind === "unreachable") return "The service does not answer.";
  if (failure.code === "not_configured") return `The service is not configured. ${failure.detail}`;
  return `The service answered ${failure.status} ${failure.code}. ${failure.detail}`;
}

/**
 * @param {string} id
 * @param {number | null} atMs by performance.now(); null when nothing is shown
 */
export function showAge(id, atMs) {
  setText(byId(id, HTMLElement), atMs === null ? "" : `as of ${formatAge(performance.now() - atMs)}`);
}
