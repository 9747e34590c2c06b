// Who may do what: the write token charges and reads, the admin token does everything. Tokens are
// compared in constant time and appear in no answer and no log.

export type Role = "write" | "admin";

/** Each as its bytes. */
export interface Tokens {
  readonly write: Uint8Array;
  readonly admin: Uint8Array;
}

export type Authentication =
  | { readonly kind: "authenticated"; readonly role: Role }
  | { readonly kind: "missing" }
  | { readonly kind: "rejected" };

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;
const TOKEN = /^[\x21-\x7e]+$/;
const encoder = new TextEncoder();

export type TokensResult =
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  | { readonly kind: "misconfigured"; readonly names: readonly string[] };

/** A token is visible ASCII. Equal tokens would make every writer an admin, so they count as a fault. */
export function readTokens(variables: Readonly<Record<string, unknown>>): TokensResult {
  const write = asToken(variables["QUOTA_WRITE_TOKEN"]);
  const admin = asToken(variables["QUOTA_ADMIN_TOKEN"]);
  if (write !== null && admin !== null && write !== admin) {
    return { kind: "tokens", tokens: { write: encoder.encode(write), admin: encoder.encode(admin) } };
  }
  const names: string[] = [];
  if (write === null) names.push("QUOTA_WRITE_TOKEN");
  if (admin === null || admin === write) names.push("QUOTA_ADMIN_TOKEN");
  return { kind: "misconfigured", names };
}

/** `authorization` is the header as it came, if it did. */
export function authenticate(authorization: string | undefined, tokens: Tokens): Authentication {
  if (authorization === undefined) return { kind: "missing" };
  const text = BEARER.exec(authorization)?.[1];
  if (text === undefined) return { kind: "rejected" };
  const given = encoder.encode(text);
  // Both comparisons are made whatever the first says.
  const isAdmin = sameToken(given, tokens.admin);
  const isWrite = sameToken(given, tokens.write);
  if (isAdmin) return { kind: "authenticated", role: "admin" };
  return isWrite ? { kind: "authenticated", role: "write" } : { kind: "rejected" };
}

/** Takes a time that depends on the length given alone, not on where the two differ. */
function sameToken(given: Uint8Array, expected: Uint8Array): boolean {
  const isSameLength = given.length === expected.length;
  const isSame = crypto.subtle.timingSafeEqual(given, isSameLength ? expected : given);
  return isSameLength && isSame;
}

function asToken(value: unknown): string | null {
  return typeof value === "string" && TOKEN.test(value) ? value : null;
}
