// Where things are.
import { dirname, join } from "node:path";

export const benchDirectory = import.meta.dirname;
export const rootDirectory = dirname(benchDirectory);

export function inBench(...parts: readonly string[]): string {
  return join(benchDirectory, ...parts);
}

export function inRoot(...parts: readonly string[]): string {
  return join(rootDirectory, ...parts);
}
