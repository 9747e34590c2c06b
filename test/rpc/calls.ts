// Calls of another Worker, over its service binding to the one under test.
import { env } from "cloudflare:workers";
import { expect } from "vitest";

type Binding = "QUOTA" | "MISCONFIGURED";

type Ending =
  | { readonly kind: "returned"; readonly value: Answer; readonly isPlain: boolean }
  | { readonly kind: "thrown"; readonly error: string };

/** Answers are compared as a whole or by path. */
type Answer = Readonly<Record<string, unknown>>;

/** The Worker of caller.js. */
interface Caller {
  call(binding: Binding, method: string, args: readonly unknown[]): Promise<Ending>;
}

/** What the call returned; that it returned, and plain data, is asserted. */
export async function rpc(method: string, ...args: readonly unknown[]): Promise<Answer> {
  return over("QUOTA", method, ...args);
}

export async function over(binding: Binding, method: string, ...args: readonly unknown[]): Promise<Answer> {
  const { CALLER } = env as unknown as { readonly CALLER: Caller };
  const ending = await CALLER.call(binding, method, args);
  expect(ending).toMatchObject({ kind: "returned", isPlain: true });
  return ending.kind === "returned" ? ending.value : {};
}

let lastNamespace = 0;

export function freshNamespace(): string {
  lastNamespace++;
  return `ns-${lastNamespace}`;
}

export function refOf(namespace: string): { namespace: string; repo: string; ref: string } {
  return { namespace, repo: "web", ref: "refs/heads/main" };
}
