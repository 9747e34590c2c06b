import type { ChargeCall } from "../../src/quota/charge.ts";

export const CHARGED_BYTES = 1_024n;

/** One more charge, as the Worker's edge would send it. */
export function newCharge(): ChargeCall {
  return { bytes: CHARGED_BYTES, idempotencyKey: null, callId: crypto.randomUUID() };
}
