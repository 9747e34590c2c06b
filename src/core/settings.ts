// The deployment's settings, read from the Worker's variables. Nothing falls back silently: a
// setting that is missing or malformed is named, its value is never repeated.
import { isU64, MAX_U64 } from "./u64.ts";
import type { Limits } from "./usage.ts";

export interface QuotaSettings {
  readonly windowMs: number;
  readonly rollupMs: number;
  readonly clockGraceMs: number;
  readonly coordinatorTimeoutMs: number;
  /** The caps of a namespace that has none of its own. */
  readonly limits: Limits;
}

export type SettingsResult =
  | { readonly kind: "settings"; readonly settings: QuotaSettings }
  | { readonly kind: "misconfigured"; readonly names: readonly string[] };

const WHOLE_NUMBER = /^(?:0|[1-9][0-9]{0,19})$/;
/** Longer spans than this are mistakes, and would leave the range of times that can be scheduled. */
const MAX_SPAN_MS = 366n * 24n * 3_600_000n;

/** `variables` are strings, as wrangler passes them, or numbers from an unquoted TOML value. */
export function readSettings(variables: Readonly<Record<string, unknown>>): SettingsResult {
  const wrong: string[] = [];
  const read = (name: string, min: bigint, max: bigint): bigint => {
    const value = wholeNumber(variables[name]);
    if (value !== null && value >= min && value <= max) return value;
    wrong.push(name);
    return min;
  };
  const readMs = (name: string, min: bigint): number => Number(read(name, min, MAX_SPAN_MS));
  const settings: QuotaSettings = {
    windowMs: readMs("QUOTA_WINDOW_MS", 1n),
    limits: {
      maxOps: read("QUOTA_MAX_OPS", 0n, MAX_U64),
      maxBytes: read("QUOTA_MAX_BYTES", 0n, MAX_U64),
    },
    rollupMs: readMs("QUOTA_ROLLUP_MS", 1n),
    clockGraceMs: readMs("QUOTA_CLOCK_GRACE_MS", 0n),
    coordinatorTimeoutMs: readMs("QUOTA_COORDINATOR_TIMEOUT_MS", 0n),
  };
  return wrong.length === 0 ? { kind: "settings", settings } : { kind: "misconfigured", names: wrong };
}

function wholeNumber(value: unknown): bigint | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || !WHOLE_NUMBER.test(text)) return null;
  const number = BigInt(text);
  return isU64(number) ? number : null;
}
