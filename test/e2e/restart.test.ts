// The service as a process: killed and started again on the same storage.
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { DEV_TOKENS, type ServiceProcess } from "../../scripts/service-process.ts";
import { startsServices } from "./services.ts";

const ROLLUP_MS = 3_000;
const POLL_MS = 50;

const startService = startsServices();

function start(): Promise<ServiceProcess> {
  return startService({ variables: { QUOTA_ROLLUP_MS: String(ROLLUP_MS) } });
}

async function request(service: ServiceProcess, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${DEV_TOKENS.write}` };
  const response = await fetch(`${service.url}/v1/namespaces/acme${path}`, { ...init, headers });
  return response.json();
}

it("an alarm that fell due while the server was down rolls up after the restart, untouched", async () => {
  const before = await start();
  const charged = await request(before, "/repos/web/refs/refs%2Fheads%2Fmain/charges", {
    method: "POST",
    body: '{"bytes":7}',
  });
  const dueAtMs = Date.now() + ROLLUP_MS;
  expect(charged).toMatchObject({ decision: "allowed", usage: { ops: 1, bytes: 7 } });
  await before.kill();
  await sleep(Math.max(dueAtMs + 200 - Date.now(), 0));

  const after = await start();
  const deadline = Date.now() + 2 * ROLLUP_MS;
  let usage: unknown;
  do {
    await sleep(POLL_MS);
    usage = await request(after, "/usage");
  } while (Date.now() < deadline && (usage as { sources: number }).sources === 0);
  expect(usage).toMatchObject({ total: { ops: 1, bytes: 7 }, sources: 1 });
});
