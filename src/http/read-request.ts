// From a request to checked values: parameters, query and body, each against its schema. A failure is
// the problem to answer with.
import type { Context } from "hono";
import type { z } from "zod";
import { parseJson } from "./json.ts";
import { problem } from "./problems.ts";
import { idempotencyKey } from "./schemas.ts";

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Response };

export function readParams<T>(c: Context, schema: z.ZodType<T>): Read<T> {
  return check(schema, c.req.param(), "");
}

/** A parameter given twice is refused: which one is meant cannot be known. */
export function readQuery<T>(c: Context, schema: z.ZodType<T>): Read<T> {
  const values = c.req.queries();
  for (const [name, given] of Object.entries(values)) {
    if (given.length > 1) return invalid(`${name}: given more than once`);
  }
  return check(schema, c.req.query(), "");
}

/** The Idempotency-Key; null without one. */
export function readIdempotencyKey(c: Context): Read<string | null> {
  return check(idempotencyKey, c.req.header("Idempotency-Key") ?? null, "Idempotency-Key");
}

/** An empty body is an empty object. */
export async function readBody<T>(c: Context, schema: z.ZodType<T>): Promise<Read<T>> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await c.req.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) return invalid("body: not UTF-8");
    throw error;
  }
  if (text === "") return check(schema, {}, "body");
  try {
    return check(schema, parseJson(text), "body");
  } catch (error) {
    if (error instanceof SyntaxError) return invalid("body: not JSON");
    throw error;
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, place: string): Read<T> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const path = [place, ...(issue?.path ?? [])].filter((part) => part !== "").join(".");
  return invalid(`${path === "" ? "request" : path}: ${issue?.message ?? "not valid"}`);
}

function invalid(detail: string): { readonly ok: false; readonly problem: Response } {
  return { ok: false, problem: problem("invalid_request", { detail }) };
}
