// The namespace's shards by what they used. The API lists them by name, so the largest are known only
// after all are read; past a bound the list says that it is not whole.

const PAGE_ROWS = 500;
const MAX_PAGES = 4;

/**
 * @typedef {object} Shards
 * @property {import("./api.js").Contribution[]} items
 * @property {boolean} isWhole false when there are more than were read
 */

/**
 * @param {import("./api.js").QuotaApi} api
 * @returns {Promise<{kind: "ok", value: Shards} | import("./api.js").Failure>}
 */
export async function readShards(api) {
  /** @type {import("./api.js").Contribution[]} */
  const items = [];
  /** @type {string | null} */
  let cursor = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    /** @type {import("./api.js").Answer<import("./api.js").ContributionsPage>} */
    const answer = await api.contributions({ limit: PAGE_ROWS, cursor });
    if (answer.kind !== "ok") return answer;
    items.push(...answer.value.items);
    cursor = answer.value.next;
    if (cursor === null) break;
  }
  return { kind: "ok", value: { items, isWhole: cursor === null } };
}

/**
 * The largest first; equals stay in the order of their names.
 * @param {readonly import("./api.js").Contribution[]} items
 * @param {import("./api.js").Dimension} dimension
 */
export function largestFirst(items, dimension) {
  return items.toSorted((a, b) => (a[dimension] === b[dimension] ? 0 : a[dimension] > b[dimension] ? -1 : 1));
}
