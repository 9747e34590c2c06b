// Counters and times as text. Counters are written out in full; only a size's short form is rounded.

const UNITS = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const KIB = 1_024n;
const counter = new Intl.NumberFormat("en");
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium", hourCycle: "h23" });

/**
 * Every digit, in groups of three.
 * @param {bigint} count
 */
export function formatCount(count) {
  return counter.format(count);
}

/**
 * To three digits, in the largest binary unit that leaves at least one: 1.25 MiB.
 * @param {bigint} bytes
 */
export function formatSize(bytes) {
  if (bytes < KIB) return `${bytes} B`;
  let exponent = 0;
  while (exponent < UNITS.length - 1 && bytes >= KIB ** BigInt(exponent + 2)) exponent++;
  const unit = KIB ** BigInt(exponent + 1);
  const scaled = Number((bytes * 1_000n) / unit) / 1_000;
  const digits = bytes % unit === 0n ? 0 : scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
  return `${scaled.toFixed(digits)} ${UNITS[exponent]}`;
}

/**
 * @param {import("./api.js").Dimension} dimension
 * @param {bigint} count
 */
export function formatShort(dimension, count) {
  return dimension === "ops" ? formatCount(count) : formatSize(count);
}

/**
 * The part of the whole, 0 to 1; of nothing, 0.
 * @param {bigint} part
 * @param {bigint} whole
 */
export function fraction(part, whole) {
  if (whole === 0n) return 0;
  return part >= whole ? 1 : Number((part * 1_000_000n) / whole) / 1_000_000;
}

/**
 * Never 0 % of something nor 100 % of less than all.
 * @param {bigint} part
 * @param {bigint} whole
 */
export function formatShare(part, whole) {
  if (part === 0n || whole === 0n) return "0 %";
  if (part >= whole) return "100 %";
  const percent = fraction(part, whole) * 100;
  if (percent < 0.1) return "< 0.1 %";
  if (percent > 99.9) return "> 99.9 %";
  return `${percent < 10 ? percent.toFixed(1) : Math.floor(percent)} %`;
}

/**
 * 1:02:03, 02:03.
 * @param {number} ms
 */
export function formatCountdown(ms) {
  const seconds = Math.max(Math.ceil(ms / 1_000), 0);
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  const hours = Math.floor(seconds / 3_600);
  return (hours === 0 ? parts : [String(hours), ...parts]).join(":");
}

/** @param {number} ms */
export function formatAge(ms) {
  const seconds = Math.max(Math.floor(ms / 1_000), 0);
  if (seconds < 1) return "just now";
  if (seconds < 120) return `${seconds} s ago`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
}

/**
 * A time of day, in the reader's zone.
 * @param {number} ms since the epoch
 */
export function formatClock(ms) {
  return clock.format(ms);
}

/**
 * From one time to another; with their days where these differ.
 * @param {number} startMs
 * @param {number} endMs
 */
export function formatSpan(startMs, endMs) {
  return clock.formatRange(startMs, endMs);
}
