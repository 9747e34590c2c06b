import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
it("healthz", async () => {
  const r = await exports.default.fetch("http://x/healthz");
  expect(await r.json()).toEqual({ status: "ok" });
});
