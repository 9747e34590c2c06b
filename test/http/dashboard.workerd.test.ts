// The dashboard's files as they are served; what they do in a browser is in test/browser.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";

const IMPORT = /from "\.\/([^"]+)"/g;
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'";

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`https://quota.test${path}`, init);
}

it("the page needs no token, may load from its origin alone, and is never framed", async () => {
  const response = await get("/dashboard");
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "cache-control": "no-cache",
    "content-security-policy": POLICY,
    "content-type": "text/html; charset=utf-8",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
  expect(await response.text()).not.toMatch(/style="|<style|<script>| on[a-z]+="/);
});

it.each([
  ["main.js", "text/javascript; charset=utf-8"],
  ["uPlot.iife.min.js", "text/javascript; charset=utf-8"],
  ["dashboard.css", "text/css; charset=utf-8"],
  ["parts.css", "text/css; charset=utf-8"],
  ["uPlot.min.css", "text/css; charset=utf-8"],
])("%s is served as %s", async (name, type) => {
  const response = await get(`/dashboard/${name}`);
  expect([response.status, response.headers.get("Content-Type")]).toEqual([200, type]);
  expect((await response.text()).length).toBeGreaterThan(100);
});

it("every module that the page comes to import is served", async () => {
  const names = new Set(["main.js"]);
  for (const name of names) {
    const response = await get(`/dashboard/${name}`);
    expect([name, response.status]).toEqual([name, 200]);
    for (const [, imported = ""] of (await response.text()).matchAll(IMPORT)) names.add(imported);
  }
  expect(names).toContain("exact-json.js");
});

it("a file that has not changed is not sent again", async () => {
  const first = await get("/dashboard/main.js");
  const again = await get("/dashboard/main.js", { headers: { "If-None-Match": first.headers.get("ETag") ?? "" } });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

it("nothing else is there, and nothing but GET is answered", async () => {
  for (const name of ["nothing.js", "__proto__", "constructor", "..%2Findex.ts", "tsconfig.json"]) {
    expect([name, (await get(`/dashboard/${name}`)).status]).toEqual([name, 404]);
  }
  const posted = await get("/dashboard", { method: "POST" });
  expect([posted.status, posted.headers.get("Allow")]).toEqual([405, "GET"]);
});
