// The chart of the total over time. It draws rounded numbers; what is read off it in words is exact.
import { byId, setText } from "./elements.js";
import { formatClock, formatCount, formatShort, formatSize } from "./format.js";

const HEIGHT_PX = 240;
const MIN_SPAN_S = 60;
/** The limit is drawn once the total comes near enough to be seen beside it. */
const SHOW_LIMIT_FROM = 0.2;
const HEADROOM = 1.15;
const BYTE_STEPS = Array.from({ length: 64 }, (_, exponent) => 2 ** exponent);
const OPS_STEPS = Array.from({ length: 20 }, (_, exponent) => [1, 2, 5].map((step) => step * 10 ** exponent)).flat();

const figure = byId("chart", HTMLElement);
const readout = byId("chart-readout", HTMLElement);
const compact = new Intl.NumberFormat("en", { notation: "compact" });

export class TotalChart {
  /** @type {import("./api.js").Dimension} */
  #dimension = "ops";
  /** @type {bigint | null} */
  #max = null;
  /** @type {(import("./history.js").Sample | null)[]} */
  #samples = [];
  #plot;

  constructor() {
    this.#plot = new uPlot(this.#options(), [[], []], figure);
    new ResizeObserver(() => this.#plot.setSize({ width: figure.clientWidth, height: HEIGHT_PX })).observe(figure);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#plot.redraw());
  }

  /**
   * @param {import("./history.js").History} history
   * @param {import("./api.js").Dimension} dimension
   * @param {import("./api.js").Limits | null} limits
   */
  show(history, dimension, limits) {
    this.#dimension = dimension;
    this.#max = (dimension === "ops" ? limits?.maxOps : limits?.maxBytes) ?? null;
    this.#samples = history.withBreaks();
    const atS = this.#samples
      .map((sample, index) => (sample ?? this.#samples[index + 1])?.atMs ?? 0)
      .map((ms) => ms / 1_000);
    const totals = this.#samples.map((sample) => (sample === null ? null : Number(sample[dimension])));
    this.#plot.setData([atS, totals]);
    this.#describe();
  }

  #describe() {
    const samples = this.#samples.filter((sample) => sample !== null);
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined) {
      setText(readout, "");
      return;
    }
    const now = formatShort(this.#dimension, last[this.#dimension]);
    const what = this.#dimension === "ops" ? "ops" : "in bytes";
    figure.setAttribute(
      "aria-label",
      `Total ${what} since ${formatClock(first.atMs)}; at ${formatClock(last.atMs)}: ${now}`,
    );
    this.#readOff(null);
  }

  /** @param {number | null} index under the pointer */
  #readOff(index) {
    const sample = index === null ? this.#samples.findLast((each) => each !== null) : this.#samples[index];
    if (sample === undefined || sample === null) return;
    const { ops, bytes, atMs } = sample;
    const total = this.#dimension === "ops" ? `${formatCount(ops)} ops` : `${formatCount(bytes)} bytes`;
    setText(readout, `${formatClock(atMs)}  ${total}`);
  }

  /** @returns {uPlot.Options} */
  #options() {
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const axis = {
      stroke: colour("--muted"),
      font: `12px ${getComputedStyle(document.body).fontFamily}`,
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { show: false },
    };
    return {
      width: Math.max(figure.clientWidth, 100),
      height: HEIGHT_PX,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { setScale: false, x: false, y: false } },
      hooks: {
        draw: [(plot) => this.#drawLimit(plot)],
        setCursor: [({ cursor }) => this.#readOff(cursor.idx ?? null)],
      },
      scales: { x: { time: true, range: timeRange }, y: { range: () => [0, this.#top()] } },
      axes: [
        { ...axis, size: 28, space: 80, values: (_plot, splits) => splits.map((atS) => formatClock(atS * 1_000)) },
        {
          ...axis,
          size: 68,
          incrs: () => (this.#dimension === "ops" ? OPS_STEPS : BYTE_STEPS),
          values: (_plot, splits) => splits.map((total) => this.#tick(total)),
        },
      ],
      series: [
        {},
        {
          stroke: colour("--accent"),
          fill: colour("--accent-wash"),
          width: 2,
          points: { show: true, size: 6, fill: colour("--accent"), filter: () => this.#marked() },
          ...(stepped && { paths: stepped }),
        },
      ],
    };
  }

  /** The last sample, and each that no line reaches. */
  #marked() {
    const isKnown = (/** @type {number} */ index) => (this.#samples[index] ?? null) !== null;
    return this.#samples.flatMap((sample, index) => {
      const isAlone = !isKnown(index - 1) && !isKnown(index + 1);
      return sample !== null && (isAlone || index === this.#samples.length - 1) ? [index] : [];
    });
  }

  /** @param {uPlot} plot */
  #drawLimit(plot) {
    const { ctx, bbox, scales } = plot;
    if (this.#max === null || Number(this.#max) > (scales["y"]?.max ?? 0)) return;
    const y = plot.valToPos(Number(this.#max), "y", true);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("--bad")();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 5 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
    ctx.fillText(
      `Limit ${formatShort(this.#dimension, this.#max)}`,
      bbox.left + 6 * devicePixelRatio,
      y - 3 * devicePixelRatio,
    );
    ctx.restore();
  }

  /** Where the y axis ends. */
  #top() {
    const used = Math.max(...this.#samples.map((sample) => (sample === null ? 0 : Number(sample[this.#dimension]))), 0);
    const limit = this.#max === null ? 0 : Number(this.#max);
    return Math.max(used, used >= limit * SHOW_LIMIT_FROM ? limit : 0, 1) * HEADROOM;
  }

  /** @param {number} total */
  #tick(total) {
    return this.#dimension === "ops" ? compact.format(total) : formatSize(BigInt(Math.round(total)));
  }
}

/**
 * Everything there is, and a minute at least.
 * @param {uPlot} _plot
 * @param {number | null} min
 * @param {number | null} max
 * @returns {[number, number]}
 */
function timeRange(_plot, min, max) {
  const end = max ?? Date.now() / 1_000;
  return [Math.min(min ?? end, end - MIN_SPAN_S), end];
}

/**
 * Read at every drawing: it depends on the colour scheme.
 * @param {string} property
 */
function colour(property) {
  return () => getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}
