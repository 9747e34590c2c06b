// What no contestant can exceed: the Worker answers without asking any object.
import { WorkerEntrypoint } from "cloudflare:workers";

export class ConstantWorker extends WorkerEntrypoint {
  override fetch(): Response {
    return Response.json({ decision: "allowed" });
  }
}
