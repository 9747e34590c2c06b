import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";

const resultsFile = process.env["VITEST_JSON"];
const tokens = { QUOTA_WRITE_TOKEN: "test-write", QUOTA_ADMIN_TOKEN: "test-admin" };

/** Short enough to live through whole windows, long enough for what must happen within one. */
const shortWindows = {
  QUOTA_WINDOW_MS: "4000",
  QUOTA_MAX_OPS: "10",
  QUOTA_ROLLUP_MS: "400",
  QUOTA_CLOCK_GRACE_MS: "400",
};

/** No alarm comes by itself within a test, no window ends, and a silent coordinator is soon given up. */
const faultyObjects = {
  QUOTA_WINDOW_MS: "86400000",
  QUOTA_ROLLUP_MS: "60000",
  QUOTA_COORDINATOR_TIMEOUT_MS: "150",
};

/** Tests in workerd: the Worker itself, and beside it bare objects to open stores on. */
function inWorkerd(bindings: Record<string, string>, main = "./test/runtime/worker.ts") {
  return cloudflareTest({
    main,
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: { ...tokens, ...bindings },
      durableObjects: { STORE_HOST: { className: "StoreHost", useSQLite: true } },
    },
  });
}

/** How the test plugin names the Worker under test, by its project. */
const RPC_WORKER = "vitest-plugin-runner-rpc";

/** The Worker, and another that calls it over service bindings, on the oldest date on which RPC is there. */
const calledByAnother = cloudflareTest({
  main: "./test/rpc/worker.ts",
  wrangler: { configPath: "./wrangler.toml" },
  miniflare: {
    bindings: tokens,
    serviceBindings: { CALLER: "caller" },
    workers: [
      {
        name: "caller",
        modules: true,
        scriptPath: "./test/rpc/caller.js",
        compatibilityDate: "2024-04-03",
        serviceBindings: { QUOTA: RPC_WORKER, MISCONFIGURED: { name: RPC_WORKER, entrypoint: "Misconfigured" } },
      },
    ],
  },
});

/** The example that extends RefShard, on the package as it is built. */
const embedded = cloudflareTest({
  wrangler: { configPath: "./examples/embedded/wrangler.toml" },
  miniflare: { bindings: { ...shortWindows } },
});

export default defineConfig({
  test: {
    silent: "passed-only",
    // CI counts from a file; a terminal gets the default report alone.
    reporters: resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
    // Files of a project share their modules where none changes them: loading them costs more than the tests.
    projects: [
      {
        test: {
          name: "node",
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.workerd.test.ts", "test/lifecycle/**", "test/e2e/**", "test/browser/**"],
        },
      },
      {
        plugins: [inWorkerd({})],
        test: {
          name: "workerd",
          isolate: false,
          include: ["test/**/*.workerd.test.ts"],
          exclude: ["test/lifecycle/**", "test/faults/**", "test/rpc/**"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [inWorkerd(shortWindows)],
        test: { name: "lifecycle", include: ["test/lifecycle/**/*.workerd.test.ts"], testTimeout: 20_000 },
      },
      {
        plugins: [inWorkerd(faultyObjects, "./test/faults/worker.ts")],
        test: { name: "faults", isolate: false, include: ["test/faults/**/*.workerd.test.ts"], testTimeout: 30_000 },
      },
      {
        plugins: [calledByAnother],
        test: { name: "rpc", isolate: false, include: ["test/rpc/**/*.workerd.test.ts"], testTimeout: 20_000 },
      },
      {
        plugins: [embedded],
        test: {
          name: "embedded",
          include: ["examples/embedded/test/**/*.workerd.test.ts"],
          globalSetup: "./scripts/build-package.ts",
          testTimeout: 20_000,
        },
      },
      {
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        // Needs Debian's chromium, or another named by CHROMIUM_PATH.
        test: { name: "browser", include: ["test/browser/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});
