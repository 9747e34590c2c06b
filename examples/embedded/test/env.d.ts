// The bindings of the example, for `import { env } from "cloudflare:workers"`.
declare namespace Cloudflare {
  interface Env extends ExampleEnv {}
  interface GlobalProps {
    mainModule: typeof import("../worker.ts");
  }
}

type ExampleEnv = import("../worker.ts").Env;
