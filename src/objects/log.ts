// Which events are worth a line, and how it is written: one JSON object a line, names only as JSON
// strings, so that no name can forge a line.
import { toHex } from "../core/bytes.ts";
import type { Observe, QuotaEvent } from "../core/events.ts";
import { decodePartition, type Partition } from "../core/partition.ts";

/** An observer that logs what happens on this partition. */
export function observer(partition: Partition): Observe {
  return (event) => {
    if (isWorthALine(event)) console.warn(JSON.stringify({ ...event, partition }, asJson));
  };
}

function isWorthALine(event: QuotaEvent): boolean {
  switch (event.kind) {
    case "rollup":
    case "pruned":
      return false;
    case "chargeFailed":
    case "rollupFailed":
    case "rebase":
    case "viewUnavailable":
    case "timerFailed":
    case "tickFailed":
    case "timerUnknown":
      return true;
  }
}

function asJson(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return decodePartition(value) ?? toHex(value);
  return value;
}
