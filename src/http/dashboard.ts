// oxlint-disable-next-line typescript/triple-slash-reference -- whatever program imports this needs it
/// <reference path="../dashboard/text-modules.d.ts" />
// The operator's page at /dashboard: files that are part of this Worker, served as they are, under a
// policy by which they load from and talk to this origin alone. They need no token; what they show does.
/* oxlint-disable import/default, import/no-named-as-default -- wrangler.toml has these files imported as text */
import { Hono } from "hono";
import { etag } from "hono/etag";
import uPlotScript from "uplot/dist/uPlot.iife.min.js";
import uPlotStyle from "uplot/dist/uPlot.min.css";
import api from "../dashboard/api.js";
import chart from "../dashboard/chart.js";
import connectForm from "../dashboard/connect-form.js";
import style from "../dashboard/dashboard.css";
import elements from "../dashboard/elements.js";
import exactJson from "../dashboard/exact-json.js";
import format from "../dashboard/format.js";
import history from "../dashboard/history.js";
import page from "../dashboard/index.html";
import limitsForm from "../dashboard/limits-form.js";
import main from "../dashboard/main.js";
import meters from "../dashboard/meters.js";
import parts from "../dashboard/parts.css";
import poll from "../dashboard/poll.js";
import refusals from "../dashboard/refusals.js";
import shardReader from "../dashboard/shard-reader.js";
import shardsTable from "../dashboard/shards-table.js";
import status from "../dashboard/status.js";
import watch from "../dashboard/watch.js";
import { problem } from "./problems.ts";

const FILES: ReadonlyMap<string, string> = new Map([
  ["uPlot.iife.min.js", uPlotScript],
  ["uPlot.min.css", uPlotStyle],
  ["dashboard.css", style],
  ["parts.css", parts],
  ["api.js", api],
  ["chart.js", chart],
  ["connect-form.js", connectForm],
  ["elements.js", elements],
  ["exact-json.js", exactJson],
  ["format.js", format],
  ["history.js", history],
  ["limits-form.js", limitsForm],
  ["main.js", main],
  ["meters.js", meters],
  ["poll.js", poll],
  ["refusals.js", refusals],
  ["shard-reader.js", shardReader],
  ["shards-table.js", shardsTable],
  ["status.js", status],
  ["watch.js", watch],
]);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No string becomes markup or script, whatever a library may try.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "Cache-Control": "no-cache",
  "Content-Security-Policy": POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

export const dashboard = new Hono();

dashboard.use(etag());
dashboard.get("/", () => file("text/html", page));
dashboard.get("/:file", async (c, next) => {
  const name = c.req.param("file");
  const text = FILES.get(name);
  if (text === undefined) return next();
  return file(name.endsWith(".css") ? "text/css" : "text/javascript", text);
});
for (const path of ["/", "/:file"]) {
  dashboard.on(["POST", "PUT", "PATCH", "DELETE"], path, () =>
    problem("method_not_allowed", { detail: "Allowed here: GET.", headers: { Allow: "GET" } }),
  );
}

function file(type: string, text: string): Response {
  return new Response(text, { headers: { "Content-Type": `${type}; charset=utf-8`, ...HEADERS } });
}
