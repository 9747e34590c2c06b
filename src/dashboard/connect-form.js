// The form that says what to watch. A namespace is checked here as the service would, so that what is
// no name is never sent; the token leaves the form for the one object that sends it.
import { byId, setText } from "./elements.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const TOKEN = /^[\x21-\x7e]+$/;

const form = byId("connect", HTMLFormElement);
const namespaceInput = byId("namespace", HTMLInputElement);
const tokenInput = byId("token", HTMLInputElement);
const errorText = byId("connect-error", HTMLElement);
const stopButton = byId("stop", HTMLButtonElement);

/**
 * @param {object} actions
 * @param {(target: {namespace: string, token: string}) => void} actions.watch
 * @param {() => void} actions.stop
 */
export function startConnectForm({ watch, stop }) {
  namespaceInput.value = namespaceOfAddress();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const target = readTarget();
    if (target === null) return;
    history.replaceState(null, "", `#${encodeURIComponent(target.namespace)}`);
    watch(target);
  });
  stopButton.addEventListener("click", () => {
    tokenInput.value = "";
    clearConnectError();
    stop();
    namespaceInput.focus();
  });
}

/** @param {boolean} isWatching */
export function showWatching(isWatching) {
  stopButton.hidden = !isWatching;
}

/**
 * @param {"namespace" | "token"} at
 * @param {string} text
 */
export function showConnectError(at, text) {
  clearConnectError();
  const input = at === "namespace" ? namespaceInput : tokenInput;
  input.setAttribute("aria-invalid", "true");
  setText(errorText, text);
  input.focus();
}

export function clearConnectError() {
  for (const input of [namespaceInput, tokenInput]) input.removeAttribute("aria-invalid");
  setText(errorText, "");
}

/** Null when a field is at fault, which is then said. */
function readTarget() {
  const namespace = namespaceInput.value.trim();
  const token = tokenInput.value.trim();
  clearConnectError();
  if (!NAME.test(namespace)) {
    showConnectError("namespace", nameFault(namespace));
    return null;
  }
  if (!TOKEN.test(token)) {
    showConnectError("token", token === "" ? "Enter a token." : "A token is visible ASCII without spaces.");
    return null;
  }
  return { namespace, token };
}

/** @param {string} namespace */
function nameFault(namespace) {
  if (namespace === "") return "Enter a namespace.";
  return `“${namespace}” is not a namespace: 1 to 128 of A-Z a-z 0-9 . _ -, beginning with a letter or digit.`;
}

/** A link may name the namespace after #, never the token. */
function namespaceOfAddress() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}
