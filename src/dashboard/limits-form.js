// The form that edits the namespace's own limits. What is being typed is never overwritten by what is read.
import { byId, setText } from "./elements.js";
import { formatCount, formatSize } from "./format.js";

const U64_MAX = 2n ** 64n - 1n;
const DIGITS = /^[0-9]{1,20}$/;
/** As people write them in long numbers. */
const SEPARATORS = /[\s,_]/g;

const form = byId("limits-form", HTMLFormElement);
const dropButton = byId("limits-drop", HTMLButtonElement);
const sourceText = byId("limits-source", HTMLElement);
const message = byId("limits-message", HTMLElement);
const fields = {
  ops: field("ops", (max) => (max === 0n ? "0 blocks every write (422)." : `${formatCount(max)} writes a window.`)),
  bytes: field("bytes", (max) => (max === 0n ? "0 lets no byte through (422)." : `${formatSize(max)} a window.`)),
};
let isTouched = false;

/**
 * @param {"ops" | "bytes"} name
 * @param {(max: bigint) => string} describe
 */
function field(name, describe) {
  const input = byId(`max-${name}`, HTMLInputElement);
  const unlimited = byId(`unlimited-${name}`, HTMLInputElement);
  const hint = byId(`max-${name}-hint`, HTMLElement);
  return { input, unlimited, hint, describe };
}

/**
 * @param {object} actions
 * @param {(limits: import("./api.js").Limits) => Promise<import("./api.js").Answer<import("./api.js").LimitsReport>>} actions.set
 * @param {() => Promise<import("./api.js").Answer<import("./api.js").LimitsReport>>} actions.drop
 */
export function startLimitsForm({ set, drop }) {
  form.addEventListener("input", () => {
    isTouched = true;
    say("", "");
    renderHints();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const limits = readLimits();
    if (limits !== null) void change(() => set(limits), "Saved.");
  });
  dropButton.addEventListener("click", () => void change(drop, "Back to the default."));
}

/** @param {import("./api.js").LimitsReport} limits */
export function showLimits({ maxOps, maxBytes, source }) {
  setText(sourceText, source === "default" ? "The deployment's default" : "This namespace's own");
  dropButton.disabled = source === "default";
  if (isTouched) return;
  fill(fields.ops, maxOps);
  fill(fields.bytes, maxBytes);
  renderHints();
}

export function clearLimits() {
  isTouched = false;
  say("", "");
}

/** @returns {import("./api.js").Limits | null} null when a field is at fault, which then has the focus */
function readLimits() {
  const maxOps = readField(fields.ops);
  const maxBytes = readField(fields.bytes);
  const faulty = [fields.ops, fields.bytes].find(({ input }) => input.getAttribute("aria-invalid") === "true");
  if (maxOps !== undefined && maxBytes !== undefined) return { maxOps, maxBytes };
  say("bad", "A limit is a whole number from 0 to 18,446,744,073,709,551,615.");
  faulty?.input.focus();
  return null;
}

/**
 * Undefined is not a limit.
 * @param {ReturnType<typeof field>} field
 * @returns {bigint | null | undefined}
 */
function readField({ input, unlimited }) {
  const digits = input.value.replaceAll(SEPARATORS, "");
  const max = unlimited.checked ? null : DIGITS.test(digits) ? BigInt(digits) : undefined;
  const isFaulty = max === undefined || (max !== null && max > U64_MAX);
  input.setAttribute("aria-invalid", String(isFaulty));
  return isFaulty ? undefined : max;
}

/**
 * @param {ReturnType<typeof field>} field
 * @param {bigint | null} max
 */
function fill({ input, unlimited }, max) {
  unlimited.checked = max === null;
  input.value = max === null ? "" : String(max);
}

function renderHints() {
  for (const each of Object.values(fields)) {
    each.input.disabled = each.unlimited.checked;
    const max = readField(each);
    setText(
      each.hint,
      max === undefined ? "A whole number." : max === null ? "Nothing is refused for this." : each.describe(max),
    );
  }
}

/**
 * @param {() => Promise<import("./api.js").Answer<import("./api.js").LimitsReport>>} call
 * @param {string} done
 */
async function change(call, done) {
  say("", "Sending …");
  const answer = await call();
  if (answer.kind === "ok") {
    isTouched = false;
    showLimits(answer.value);
    say("good", `${done} In force on every shard within one rollup period.`);
  } else {
    say("bad", failureText(answer));
  }
}

/** @param {import("./api.js").Failure} failure */
function failureText(failure) {
  if (failure.kind === "unreachable") return "The service did not answer; whether the limits changed is not known.";
  if (failure.code === "forbidden") return "Not changed: limits take the admin token. Enter it above and watch again.";
  return `Not changed: ${failure.detail}`;
}

/**
 * @param {"" | "good" | "bad"} tone
 * @param {string} text
 */
function say(tone, text) {
  message.dataset["tone"] = tone;
  setText(message, text);
}
