// The table of the shards that used most, by ops or by bytes.
import { byId, create, setText } from "./elements.js";
import { formatCount, formatShare, formatSize, fraction } from "./format.js";
import { largestFirst } from "./shard-reader.js";

const SHOWN_ROWS = 12;
const NO_SHARDS = { items: [], isWhole: true };

const body = byId("shards-body", HTMLTableSectionElement);
const note = byId("shards-note", HTMLElement);
const headings = {
  ops: byId("sort-ops", HTMLButtonElement),
  bytes: byId("sort-bytes", HTMLButtonElement),
};

/** @type {import("./api.js").Dimension} */
let sortedBy = "ops";
/** @type {import("./shard-reader.js").Shards} */
let shards = NO_SHARDS;

headings.ops.addEventListener("click", () => sortBy("ops"));
headings.bytes.addEventListener("click", () => sortBy("bytes"));

/** @param {import("./shard-reader.js").Shards} read */
export function showShards(read) {
  shards = read;
  render();
}

export function clearShards() {
  showShards(NO_SHARDS);
}

/** @param {import("./api.js").Dimension} dimension */
function sortBy(dimension) {
  sortedBy = dimension;
  for (const [name, button] of Object.entries(headings)) {
    const isSorted = name === dimension;
    button.closest("th")?.setAttribute("aria-sort", isSorted ? "descending" : "none");
  }
  render();
}

function render() {
  const { items, isWhole } = shards;
  const whole = items.reduce((sum, item) => sum + item[sortedBy], 0n);
  const shown = largestFirst(items, sortedBy).slice(0, SHOWN_ROWS);
  body.replaceChildren(...shown.map((item) => row(item, whole)));
  byId("shards-table", HTMLTableElement).hidden = items.length === 0;
  setText(note, noteText(items.length, shown.length, isWhole));
}

/**
 * @param {number} read
 * @param {number} shown
 * @param {boolean} isWhole
 */
function noteText(read, shown, isWhole) {
  if (read === 0) return "No shard has reported in this window.";
  if (!isWhole)
    return `The largest ${shown} of the first ${read} shards by name; there are more. Shares are of those read.`;
  return read > shown ? `The largest ${shown} of ${read} shards.` : "";
}

/**
 * @param {import("./api.js").Contribution} item
 * @param {bigint} whole what all shards used, in what the table is sorted by
 */
function row(item, whole) {
  const bar = create("span", "share-fill");
  bar.style.inlineSize = `${fraction(item[sortedBy], whole) * 100}%`;
  const name = create("th", "shard", [
    create("span", "repo", [item.repo]),
    create("span", "ref", [item.ref.replace(/^refs\//, "")]),
  ]);
  name.scope = "row";
  name.title = `${item.repo} ${item.ref}`;
  const bytes = create("td", "number", [formatSize(item.bytes)]);
  bytes.title = `${formatCount(item.bytes)} bytes`;
  return create("tr", "", [
    name,
    create("td", "number", [formatCount(item.ops)]),
    bytes,
    create("td", "share", [
      create("span", "share-text", [formatShare(item[sortedBy], whole)]),
      create("span", "share-bar", [bar]),
    ]),
  ]);
}
