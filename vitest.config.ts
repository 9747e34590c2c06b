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

/** Tests in workerd: the Worker itself, and beside it bare objects to open stores on. */
function inWorkerd(bindings: Record<string, string>) {
  return cloudflareTest({
    main: "./test/runtime/worker.ts",
    wrangler: { configPath: "./wrangler.toml" },
    miniflare: {
      bindings: { ...tokens, ...bindings },
      durableObjects: { STORE_HOST: { className: "StoreHost", useSQLite: true } },
    },
  });
}

export default defineConfig({
  test: {
    // CI counts from a file; a terminal gets the default report alone.
    reporters: resultsFile === undefined ? ["default"] : ["default", ["json", { outputFile: resultsFile }]],
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/**/*.workerd.test.ts", "test/lifecycle/**", "test/e2e/**"],
        },
      },
      {
        plugins: [inWorkerd({})],
        test: {
          name: "workerd",
          include: ["test/**/*.workerd.test.ts"],
          exclude: ["test/lifecycle/**"],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [inWorkerd(shortWindows)],
        test: { name: "lifecycle", include: ["test/lifecycle/**/*.workerd.test.ts"], testTimeout: 20_000 },
      },
      {
        test: { name: "e2e", include: ["test/e2e/**/*.test.ts"], testTimeout: 60_000, hookTimeout: 60_000 },
      },
    ],
  },
});
