// Requests no honest client sends, and some that one might: generators for the fuzz of the HTTP surface.
import fc from "fast-check";

export interface HostileRequest {
  readonly method: string;
  /** From the slash on, as it is sent. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array | null;
}

const TOKENS = { write: "test-write", admin: "test-admin" } as const;

/** Null for what cannot even be sent: the runtime's own checks stand before ours. */
export function requestOf({ method, path, headers, body }: HostileRequest): Request | null {
  try {
    const hasBody = body !== null && method !== "GET" && method !== "HEAD";
    return new Request(`https://quota.test${path}`, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(hasBody ? { body } : {}),
    });
  } catch {
    return null;
  }
}

const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS");

const anyName = fc.oneof(
  fc.constantFrom(
    "hostile", "coordinator", "global", "__proto__", "constructor", "toString", "..", ".", "%2e%2e", "%00", "%0a", "%0d%0aX:1",
    "%ff", "%c3%28", "%", "%zz", "%ED%A0%80", "%F0%9F%98%80", "a%2Fb", "*", ":ns", "{ns}", "a b", "a;b", "a?b=c", "a#b",
  ), // prettier-ignore
  fc.string({ unit: "binary", maxLength: 20 }).map(encode),
  fc.string({ maxLength: 20 }),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
  fc.integer({ min: 120, max: 12_000 }).map((length) => "n".repeat(length)),
);

const anyRef = fc.oneof(
  anyName,
  fc.constantFrom(
    "refs%2Fheads%2Fmain", "refs/heads/main", "refs%2F", "refs%2Fheads%2F", "refs%2Fheads%2F..", "refs%2Fheads%2Fa.lock",
    "refs%2Fheads%2Fa%0Ab", "refs%2Fheads%2F%E2%80%A8", "refs%2Fheads%2F%22%7B%7D", "REFS%2Fheads%2Fmain", "refs%252Fheads",
  ), // prettier-ignore
  fc.string({ unit: "binary", maxLength: 30 }).map((name) => `refs%2Fheads%2F${encode(name)}`),
  fc.integer({ min: 480, max: 11_000 }).map((length) => `refs%2Fheads%2F${"r".repeat(length)}`),
);

const anyQuery = fc.oneof(
  fc.constantFrom("", "?", "?limit=1", "?limit=0", "?limit=1&limit=2", "?window=-1", "?window=99999999999999999999", "?cursor=", "?__proto__=1"), // prettier-ignore
  fc
    .tuple(fc.constantFrom("limit", "window", "cursor", "x"), fc.string({ maxLength: 30 }))
    .map(([n, v]) => `?${n}=${encode(v)}`),
  fc.string({ maxLength: 30 }).map((text) => `?${text.replaceAll("#", "")}`),
);

const path = fc.oneof(
  { weight: 6, arbitrary: routePath(anyName, anyRef) },
  { weight: 2, arbitrary: fc.string({ maxLength: 60 }).map((text) => `/${text}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("/", "//", "/v1", "/v1/", "/V1/namespaces/acme/usage", "/v1/namespaces//usage", "/healthz/", "/openapi.json", "/healthz", "/v1/namespaces/acme/usage/"), // prettier-ignore
  },
);

const anyNumber = fc.oneof(
  fc.constantFrom(
    "0", "-0", "-1", "1.5", "1e3", "1e309", "-1e309", "NaN", "Infinity", "9007199254740993", "18446744073709551615",
    "18446744073709551616", "01", "+1", "0x10", '"5"', "null", "true", "[]", "{}", `1${"0".repeat(5_000)}`,
  ), // prettier-ignore
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double().map((value) => JSON.stringify(value)),
);

const anyText = fc.oneof(
  fc.constantFrom(
    "", " ", "{", "{}", "[]", "null", "{}{}", '{"bytes":1}', '{"bytes":1,"bytes":2}', '{"__proto__":{"bytes":1}}', "\uFEFF{}", '{"bytes"',
    '{"constructor":1}', "undefined", "'{}'", "bytes=1", "<a/>", "\u0000",
  ), // prettier-ignore
  anyNumber.map((number) => `{"bytes":${number}}`),
  fc.tuple(anyNumber, anyNumber).map(([ops, bytes]) => `{"maxOps":${ops},"maxBytes":${bytes}}`),
  fc.tuple(anyNumber, fc.string({ maxLength: 70 })).map(([n, id]) => `{"target":${JSON.stringify(id)},"bytes":${n}}`),
  fc.json(),
  fc.integer({ min: 1, max: 32_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.integer({ min: 1, max: 9_000 }).map((depth) => '{"bytes":'.repeat(depth) + "1" + "}".repeat(depth)),
  fc.integer({ min: 65_000, max: 70_000 }).map((length) => `{"bytes":"${"x".repeat(length)}"}`),
);

const anyBody: fc.Arbitrary<string | Uint8Array | null> = fc.oneof(
  fc.constant(null),
  { weight: 4, arbitrary: anyText },
  fc.uint8Array({ maxLength: 64 }),
);

const anyAuthorization = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(`Bearer ${TOKENS.admin}`, `Bearer ${TOKENS.write}`) },
  fc.constantFrom(
    "", "Bearer", "Bearer ", "Basic dGVzdDp0ZXN0", TOKENS.admin, `bearer  ${TOKENS.write} `, `Bearer ${TOKENS.admin},`,
    `Bearer ${TOKENS.admin} x`, `Bearer ${TOKENS.write}${TOKENS.admin}`, "Bearer test-admi", "Bearer TEST-ADMIN",
  ), // prettier-ignore
  fc.string({ maxLength: 40 }).map((token) => `Bearer ${token}`),
  fc.integer({ min: 100, max: 5_000 }).map((length) => `Bearer ${"t".repeat(length)}`),
);

const anyHeader: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  anyAuthorization.map((value) => ["Authorization", value] as const),
  fc
    .oneof(fc.string({ maxLength: 140 }), fc.constantFrom("k", "k".repeat(128), "k".repeat(129), "", "a b"))
    .map((value) => ["Idempotency-Key", value] as const),
  fc
    .constantFrom("application/json", "text/plain", "multipart/form-data", "application/json; charset=utf-16", "")
    .map((value) => ["Content-Type", value] as const),
  fc.constantFrom("gzip", "br", "identity", "deflate").map((value) => ["Content-Encoding", value] as const),
  fc.constantFrom("0", "1", "65537", "-1", "1e9", "x").map((value) => ["Content-Length", value] as const),
  fc.constantFrom("DELETE", "PUT").map((value) => ["X-HTTP-Method-Override", value] as const),
  fc.constantFrom("evil.test", "quota.test:1").map((value) => ["X-Forwarded-Host", value] as const),
  fc.tuple(fc.string({ maxLength: 12 }), fc.string({ maxLength: 40 })),
);

/** Anything at all, near enough to the surface to reach every check. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc
  .record({
    method,
    path: fc.tuple(path, anyQuery).map(([place, query]) => place + query),
    authorization: anyAuthorization,
    headers: fc.array(anyHeader, { maxLength: 3 }),
    body: anyBody,
  })
  .map(({ authorization, headers, ...rest }) => ({ ...rest, headers: [["Authorization", authorization], ...headers] }));

/** Past every check but that of the body. */
export const hostileBodyRequest: fc.Arbitrary<HostileRequest> = fc
  .record({
    target: fc.constantFrom("POST /charges", "POST /repos/web/refs/refs%2Fheads%2Fa/charges", "PUT /limits", "PUT /repos/web/refs/refs%2Fheads%2Fa"), // prettier-ignore
    body: anyBody,
    header: anyHeader,
  })
  .map(({ target, body, header }) => ({
    method: target.split(" ")[0] ?? "",
    path: `/v1/namespaces/hostile-bodies${target.split(" ")[1] ?? ""}`,
    headers: [...(header[0] === "Authorization" ? [] : [header]), ["Authorization", `Bearer ${TOKENS.admin}`]],
    body,
  }));

const honestName = fc.constantFrom("fuzz-a", "__proto__x", "constructor", "coordinator", "n".repeat(128));
const honestRef = fc.constantFrom("refs/heads/main", "refs/heads/é", 'refs/heads/"{}', `refs/heads/${"r".repeat(501)}`);
const counter = fc.oneof(
  fc.constantFrom("0", "1", "134217728", "134217729", "9007199254740993", "18446744073709551615"),
  fc.nat().map(String),
);
const objectId = fc.constantFrom("null", `"${"a".repeat(40)}"`, `"${"0b".repeat(32)}"`);

const honestBody = fc.oneof(
  fc.constant(""),
  fc.constant("{}"),
  counter.map((bytes) => `{"bytes":${bytes}}`),
  fc.tuple(objectId, objectId, counter).map(([e, t, bytes]) => `{"expected":${e},"target":${t},"bytes":${bytes}}`),
  fc.tuple(counter, counter).map(([ops, bytes]) => `{"maxOps":${ops},"maxBytes":${bytes}}`),
);

/** By the schema in every part, though the parts need not belong together. */
export const schemaShapedRequest: fc.Arbitrary<HostileRequest> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
  path: routePath(honestName, honestRef.map(encodeURIComponent)),
  headers: fc.tuple(
    fc
      .constantFrom(`Bearer ${TOKENS.admin}`, `Bearer ${TOKENS.write}`)
      .map((value) => ["Authorization", value] as const),
    fc.constantFrom("k1", "k2", "k3", "!~").map((value) => ["Idempotency-Key", value] as const),
  ),
  body: honestBody,
});

function routePath(name: fc.Arbitrary<string>, ref: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const ofRef = fc.constantFrom("", "/charges", "/usage", "/rollup");
  const ofNamespace = fc.constantFrom("/charges", "/usage", "/contributions", "/limits", "/metrics");
  return fc.oneof(
    fc
      .tuple(name, name, ref, ofRef)
      .map(([ns, repo, of, rest]) => `/v1/namespaces/${ns}/repos/${repo}/refs/${of}${rest}`),
    fc.tuple(name, ofNamespace).map(([ns, rest]) => `/v1/namespaces/${ns}${rest}`),
  );
}

/** Percent-encodes also what is no text: a lone surrogate becomes the replacement character. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
