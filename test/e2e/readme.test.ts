// The README and those of the examples, executed: their commands are run and answer what they show, and their
// code is code that is run. A block that nothing here executes fails the last test.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ServiceProcess } from "../../scripts/service-process.ts";
import { startsServices } from "./services.ts";

const ORIGIN = "http://127.0.0.1:8787";
const CALLING = "examples/calling";
const EMBEDDED = "examples/embedded";
/** What depends on when it is asked. */
const TIMES = ["number", "startsAt", "endsAt", "observedAt", "retryAfterMs"];

/** Of a view. */
const ROLLED_UP = '"total":{"ops":1,"bytes":4096}';
const NOTHING_YET = '"total":{"ops":0,"bytes":0}';

interface Block {
  readonly language: string;
  readonly text: string;
}

function blocksOf(path: string): readonly Block[] {
  const fenced = readFileSync(path, "utf8").matchAll(/^```(\w*)\n(.*?)^```$/gms);
  return [...fenced].map(([, language = "", text = ""]) => ({ language, text: text.trimEnd() }));
}

const readme = blocksOf("README.md");
const shell = readme.filter(({ language }) => language === "sh").map(({ text }) => text);
const json = readme.filter(({ language }) => language === "json").map(({ text }) => text);
const [startCommand = "", charge = "", startWithOneWrite = "", setLimits = "", testCommand = ""] = shell;
const [allowed = "", exhausted = ""] = json;

const startService = startsServices();

/** Starts what `npm …` starts, elsewhere than where it says. */
function start(command: string): Promise<ServiceProcess> {
  const [npm, ...words] = command.split(" ");
  expect(npm).toBe("npm");
  return startService({ command: words });
}

function run(command: string, origin: string, service: ServiceProcess): string {
  expect(command).toContain(origin);
  return execFileSync("sh", ["-c", command.replaceAll(origin, service.url)], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

function timeless(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => (TIMES.includes(key) ? "a time" : value));
}

describe("the README's quick start", () => {
  it("charges, sets limits and has a dashboard, as it shows", async () => {
    const service = await start(startCommand.replace("npm ci && ", ""));
    expect(timeless(run(charge, ORIGIN, service))).toEqual(timeless(allowed));
    expect(JSON.parse(run(setLimits, ORIGIN, service))).toEqual({ maxOps: 1000, maxBytes: null, source: "namespace" });
    const page = await fetch(`${service.url}/dashboard`);
    expect([page.status, page.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
  });

  it("is denied by a quota of one write as it shows", async () => {
    const service = await start(startCommand.replace("npm ci && ", ""));
    run(charge, ORIGIN, service);
    await service.kill();
    const withOneWrite = await start(startWithOneWrite);
    const answer = run(charge, ORIGIN, withOneWrite);
    if (!answer.includes("allowed")) expect(timeless(answer)).toEqual(timeless(exhausted));
    // A new hour has begun since the first charge: the next is denied before anything has rolled up.
    else
      expect(timeless(run(charge, ORIGIN, withOneWrite))).toEqual(timeless(exhausted.replace(ROLLED_UP, NOTHING_YET)));
  });
});

describe.each([CALLING, EMBEDDED])("the README of %s", (example) => {
  it("shows what its commands answer", async () => {
    const [commands, ...others] = blocksOf(`${example}/README.md`);
    expect(others).toEqual([]);
    const [install, ...lines] = (commands?.text ?? "").split("\n").map((line) => line.split(/ +# ?/));
    expect(install?.[0]).toBe("npm ci");
    const [[command = "", origin = ""] = [], ...calls] = lines;
    const service = await start(command);
    const answers = calls.map(([call = ""]) => run(call, origin, service));
    expect(answers).toEqual(calls.map(([, answer]) => answer));
    expect(answers.length).toBeGreaterThan(0);
  });
});

it("the README's code is that of the examples", () => {
  const files = [
    `${CALLING}/wrangler.toml`,
    `${CALLING}/worker.ts`,
    `${EMBEDDED}/document-shard.ts`,
    `${EMBEDDED}/worker.ts`,
  ];
  const code = files.map((path) => readFileSync(path, "utf8").replaceAll(/^ +/gm, ""));
  const excerpts = readme
    .filter(({ language }) => ["toml", "ts"].includes(language))
    .flatMap(({ text }) => text.replaceAll(/^ +/gm, "").split("\n…\n"));
  expect(excerpts.filter((excerpt) => !code.some((file) => file.includes(excerpt)))).toEqual([]);
  expect(excerpts.length).toBe(4);
});

it("every block of the README is one of those above, or shows what something prints", () => {
  const fences = readFileSync("README.md", "utf8").match(/^\s*(?:```|~~~)/gm) ?? [];
  expect(fences.length).toBe(2 * readme.length);
  expect(shell).toEqual([startCommand, charge, startWithOneWrite, setLimits, testCommand]);
  expect(json).toEqual([allowed, exhausted]);
  expect(testCommand).toBe("npm ci && npm test");
  const others = readme.filter(({ language }) => !["sh", "json", "toml", "ts"].includes(language));
  expect(others.map(({ text }) => text.trim().split("\n")[0])).toEqual([
    "window  pushes  admitted  denied      bytes  total ops  total bytes  agree",
    "src/",
  ]);
});
