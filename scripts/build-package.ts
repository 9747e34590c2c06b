// Vitest's global setup for what imports the package by its name: builds it as it is now.
import { execFileSync } from "node:child_process";

export default function buildPackage(): void {
  execFileSync("npm", ["run", "--silent", "build"], { stdio: "inherit" });
}
