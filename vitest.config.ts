import { cloudflareTest } from "@cloudflare/vitest-pool-workers";
import { defineConfig } from "vitest/config";
export default defineConfig({ test: { projects: [ { plugins: [cloudflareTest({ main: "./test/probe/worker.ts", wrangler: { configPath: "./wrangler.toml" } })], test: { name: "probe", include: ["test/probe/*.test.ts"] } } ] } });
