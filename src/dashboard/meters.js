// The totals against their limits, and the time left in the window.
import { byId, create, setText } from "./elements.js";
import { formatCount, formatCountdown, formatShare, formatShort, formatSize, formatSpan, fraction } from "./format.js";
import { explain } from "./refusals.js";

/** The part of a limit from which its meter takes the colour of a warning. */
const WARN_FRACTION = 0.9;

const timeLeft = byId("time-left", HTMLElement);
const windowBar = byId("window-bar", HTMLElement);
const notices = byId("notices", HTMLElement);
let shownNotices = "";

/** @param {import("./api.js").Usage} usage */
export function showUsage(usage) {
  const { window, total, sources, limits, remaining } = usage;
  setText(byId("ops-total", HTMLElement), formatCount(total.ops));
  setText(byId("bytes-total", HTMLElement), formatSize(total.bytes));
  const maxBytes = limits.maxBytes === null ? "" : ` of ${formatCount(limits.maxBytes)}`;
  setText(byId("bytes-exact", HTMLElement), `${formatCount(total.bytes)}${maxBytes} bytes`);
  showMeter("ops", total.ops, limits.maxOps, remaining.ops);
  showMeter("bytes", total.bytes, limits.maxBytes, remaining.bytes);
  const span = formatSpan(Date.parse(window.startsAt), Date.parse(window.endsAt));
  setText(byId("window-span", HTMLElement), span);
  setText(byId("window-number", HTMLElement), `Window ${window.number}`);
  setText(
    byId("sources", HTMLElement),
    sources === 1n ? "1 shard has reported" : `${formatCount(sources)} shards have reported`,
  );
  byId("nothing-yet", HTMLElement).hidden = sources > 0n || total.ops > 0n;
  showNotices(usage);
}

/**
 * Called every second.
 * @param {import("./api.js").WindowSpan} window
 * @param {number} nowMs by the server's clock
 */
export function showTimeLeft({ startsAt, endsAt }, nowMs) {
  const endsAtMs = Date.parse(endsAt);
  const lengthMs = endsAtMs - Date.parse(startsAt);
  setText(timeLeft, formatCountdown(endsAtMs - nowMs));
  windowBar.style.inlineSize = `${Math.min(Math.max(1 - (endsAtMs - nowMs) / lengthMs, 0), 1) * 100}%`;
}

/**
 * @param {import("./api.js").Dimension} dimension
 * @param {bigint} used
 * @param {bigint | null} max
 * @param {bigint | null} left
 */
function showMeter(dimension, used, max, left) {
  const meter = byId(`${dimension}-meter`, HTMLElement);
  const bar = byId(`${dimension}-bar`, HTMLElement);
  const share = max === null ? 0 : max === 0n ? 1 : fraction(used, max);
  bar.style.inlineSize = `${share * 100}%`;
  meter.dataset["level"] = max === null ? "none" : share >= 1 ? "full" : share >= WARN_FRACTION ? "near" : "room";
  meter.setAttribute("aria-valuenow", String(Math.floor(share * 100)));
  const limitText = max === null ? "no limit" : `of ${formatShort(dimension, max)}`;
  meter.setAttribute("aria-valuetext", `${formatShort(dimension, used)} ${limitText}`);
  setText(byId(`${dimension}-limit`, HTMLElement), limitText);
  setText(byId(`${dimension}-left`, HTMLElement), left === null ? "Unlimited" : `${formatShort(dimension, left)} left`);
  setText(
    byId(`${dimension}-share`, HTMLElement),
    max === null ? "" : max === 0n ? "blocked" : `${formatShare(used, max)} used`,
  );
}

/** @param {import("./api.js").Usage} usage */
function showNotices(usage) {
  const all = explain(usage);
  const version = JSON.stringify(all);
  if (version === shownNotices) return;
  shownNotices = version;
  notices.replaceChildren(
    ...all.map(({ tone, title, text }) =>
      create("div", `notice ${tone}`, [create("strong", "", [title]), create("span", "", [text])]),
    ),
  );
}

export function clearNotices() {
  shownNotices = "";
  notices.replaceChildren();
}
