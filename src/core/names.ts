// What a namespace, a repo and a ref may be called. Checked before any object is touched: a name
// becomes an object's identity, so what passes here must map to exactly one object.

const MAX_REF_BYTES = 512;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
const TARGET = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const REF_PREFIX = "refs/";
// Bytes git never allows in a ref: controls, DEL, space and ~ ^ : ? * [ \ (git-check-ref-format).
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const REF_FORBIDDEN = /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{/;

/** A namespace's or a repo's name: 1–128 of `A–Z a–z 0–9 . _ -`, beginning with a letter or digit. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/**
 * A full ref name: git-check-ref-format's rules, beginning with `refs/`, at most 512 bytes of UTF-8.
 * https://git-scm.com/docs/git-check-ref-format
 */
export function isRefName(ref: string): boolean {
  if (ref.length > MAX_REF_BYTES || !ref.startsWith(REF_PREFIX) || !ref.isWellFormed()) return false;
  if (REF_FORBIDDEN.test(ref) || ref.endsWith(".")) return false;
  const components = ref.split("/");
  if (components.some((part) => part === "" || part.startsWith(".") || part.endsWith(".lock"))) return false;
  return new TextEncoder().encode(ref).length <= MAX_REF_BYTES;
}

/** An Idempotency-Key: 1–128 characters of visible ASCII. */
export function isIdempotencyKey(key: string): boolean {
  return IDEMPOTENCY_KEY.test(key);
}

/** What a ref may point to: an object id of 40 or 64 lower-case hex digits. */
export function isTarget(target: string): boolean {
  return TARGET.test(target);
}
