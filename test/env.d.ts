// The bindings tests run with, for `import { env } from "cloudflare:workers"`.
import type { Env } from "../src/objects/env.ts";
import type { StoreHost } from "./runtime/worker.ts";

declare global {
  namespace Cloudflare {
    interface Env extends TestEnv {}
    interface GlobalProps {
      mainModule: typeof import("./runtime/worker.ts");
    }
  }
}

type TestEnv = Env & { readonly STORE_HOST: DurableObjectNamespace<StoreHost> };
