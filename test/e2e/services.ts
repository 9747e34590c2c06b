// Services as processes, on a folder of each test's own: what a test has started is ended with it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type ServiceOptions, ServiceProcess } from "../../scripts/service-process.ts";

/** To be called once in a file; what it returns starts a service, always on the storage of the running test. */
export function startsServices(): (options: Omit<ServiceOptions, "persistTo">) => Promise<ServiceProcess> {
  let folder: string;
  const started: ServiceProcess[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "namespace-quota-e2e-"));
  });

  afterEach(async () => {
    await Promise.all(started.splice(0).map((service) => service.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  return async (options) => {
    const service = await ServiceProcess.start({ ...options, persistTo: folder });
    started.push(service);
    return service;
  };
}
