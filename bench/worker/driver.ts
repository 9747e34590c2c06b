// The bench's way in: a request names what is to be done inside workerd, and the answer is what was measured.
import { WorkerEntrypoint } from "cloudflare:workers";
import { countCharges, liveThroughWindow } from "./count-scenarios.ts";
import type { BenchEnv } from "./env.ts";
import { measureSpeed, type SpeedRequest } from "./speed-scenarios.ts";

export class Driver extends WorkerEntrypoint<BenchEnv> {
  override async fetch(request: Request): Promise<Response> {
    const scenario = new URL(request.url).pathname.slice(1);
    return Response.json(await this.#run(scenario, await request.json()));
  }

  #run(scenario: string, request: unknown): Promise<object> {
    switch (scenario) {
      case "speed":
        return measureSpeed(this.env, request as SpeedRequest);
      case "count-charges":
        return countCharges(this.env, request as Parameters<typeof countCharges>[1]);
      case "live-through-window":
        return liveThroughWindow(this.env, request as Parameters<typeof liveThroughWindow>[1]);
      case "namespace-report":
        return this.#report(request as { readonly ns: string });
      default:
        throw new RangeError(`there is no scenario ${scenario}`);
    }
  }

  async #report({ ns }: { readonly ns: string }): Promise<object> {
    const { NS_COORDINATOR } = this.env;
    const report = await NS_COORDINATOR.get(NS_COORDINATOR.idFromName(`c:${ns}`)).usage();
    return report.ok ? { sources: report.sources } : {};
  }
}
