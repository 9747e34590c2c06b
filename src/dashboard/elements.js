// The page's elements. Whatever the service sends gets into the page through here or textContent:
// always as text, never as markup.

/**
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function byId(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`No ${type.name} has the id ${id}.`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} className
 * @param {readonly (Node | string)[]} children strings become text
 * @returns {HTMLElementTagNameMap[K]}
 */
export function create(tag, className, children = []) {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...children);
  return made;
}

/**
 * Leaves an unchanged text alone, so that nothing is read out again and no selection is lost.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
