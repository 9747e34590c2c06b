// The page: forms in, watch out, everything shown as it comes, and a tick every second for what ages.
import { TotalChart } from "./chart.js";
import { clearConnectError, showConnectError, showWatching, startConnectForm } from "./connect-form.js";
import { byId, setText } from "./elements.js";
import { isExactJsonSupported } from "./exact-json.js";
import { History } from "./history.js";
import { clearLimits, showLimits, startLimitsForm } from "./limits-form.js";
import { clearNotices, showTimeLeft, showUsage } from "./meters.js";
import { clearShards, showShards } from "./shards-table.js";
import { showAge, showStatus, showStatusDetail, troubleText } from "./status.js";
import { Watch } from "./watch.js";

const TICK_MS = 1_000;
/** Date headers have whole seconds, so clocks this near are taken to agree. */
const CLOCK_TOLERANCE_MS = 2_000;

const chart = new TotalChart();
const history = new History();
const shownNamespace = byId("shown-namespace", HTMLElement);
/** @type {Watch | null} */
let watch = null;
/** @type {import("./api.js").Usage | null} */
let usage = null;
let clockSkewMs = 0;
/** When what is shown was read, and when the next try is due, by performance.now(). */
const at = {
  /** @type {number | null} */ usage: null,
  /** @type {number | null} */ shards: null,
  /** @type {number | null} */ retry: null,
};

/** @param {{namespace: string, token: string}} target */
function startWatching(target) {
  clear();
  showStatus("busy", "Connecting …");
  showWatching(true);
  setText(shownNamespace, target.namespace);
  shownNamespace.hidden = false;
  document.title = `${target.namespace} · namespace-quota`;
  watch = new Watch(target, {
    onUsage: receiveUsage,
    onShards(shards) {
      at.shards = performance.now();
      showShards(shards);
    },
    onShardsUnchanged: () => (at.shards = performance.now()),
    onLimits: showLimits,
    onLive() {
      at.retry = null;
      showStatus("live", "Live");
    },
    onRetry(failure, delayMs) {
      at.retry = performance.now() + delayMs;
      showStatus("stale", `${troubleText(failure)}${usage === null ? "" : " What is shown is from before."}`);
    },
    onRefused: giveUp,
  });
  void watch.run();
}

/**
 * @param {import("./api.js").Usage} read
 * @param {number | null} serverNowMs
 */
function receiveUsage(read, serverNowMs) {
  const skewMs = serverNowMs === null ? 0 : serverNowMs - Date.now();
  clockSkewMs = Math.abs(skewMs) > CLOCK_TOLERANCE_MS ? skewMs : 0;
  usage = read;
  at.usage = performance.now();
  history.add({ atMs: Date.now(), window: read.window.number, ...read.total });
  byId("data", HTMLElement).hidden = false;
  byId("welcome", HTMLElement).hidden = true;
  showUsage(read);
  drawChart();
  tick();
}

/** @param {import("./api.js").Refused} refusal */
function giveUp(refusal) {
  stopWatching();
  showStatus("stopped", "Stopped");
  const isToken = refusal.status === 401 || refusal.status === 403;
  showConnectError(isToken ? "token" : "namespace", isToken ? `Not let in: ${refusal.detail}` : refusal.detail);
}

function stopWatching() {
  clear();
  showStatus("idle", "Not watching");
  showWatching(false);
  document.title = "namespace-quota";
}

/** Nothing of one namespace may stay on the page when another is watched. */
function clear() {
  watch?.stop();
  watch = null;
  usage = null;
  at.usage = at.shards = at.retry = null;
  history.clear();
  shownNamespace.hidden = true;
  clearConnectError();
  clearNotices();
  clearShards();
  clearLimits();
  byId("data", HTMLElement).hidden = true;
  byId("welcome", HTMLElement).hidden = false;
  tick();
}

function drawChart() {
  const dimension = byId("chart-bytes", HTMLInputElement).checked ? "bytes" : "ops";
  chart.show(history, dimension, usage?.limits ?? null);
}

function tick() {
  if (usage !== null) showTimeLeft(usage.window, Date.now() + clockSkewMs);
  for (const id of ["ops-age", "bytes-age"]) showAge(id, at.usage);
  showAge("shards-age", at.shards);
  const waitS = at.retry === null ? 0 : Math.ceil((at.retry - performance.now()) / 1_000);
  showStatusDetail(at.retry === null ? "" : waitS > 0 ? `Next try in ${waitS} s` : "Trying …");
}

/** @param {(watch: Watch) => Promise<import("./api.js").Answer<import("./api.js").LimitsReport>>} call */
async function changeLimits(call) {
  if (watch === null) return /** @type {const} */ ({ kind: "unreachable" });
  const answer = await call(watch);
  watch?.refresh();
  return answer;
}

if (isExactJsonSupported()) {
  startConnectForm({ watch: startWatching, stop: stopWatching });
  startLimitsForm({
    set: (limits) => changeLimits(({ api }) => api.setLimits(limits)),
    drop: () => changeLimits(({ api }) => api.dropLimits()),
  });
  byId("retry", HTMLButtonElement).addEventListener("click", () => watch?.refresh());
  byId("chart-dimension", HTMLElement).addEventListener("change", drawChart);
  document.addEventListener("visibilitychange", tick);
  setInterval(tick, TICK_MS);
} else {
  showStatus("stopped", "This browser is too old to show counters exactly.");
}
