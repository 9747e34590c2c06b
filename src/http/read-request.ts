// From a request to checked values: parameters, query, headers and body, each against its schema. A
// failure is the problem to answer with.
import type { Context } from "hono";
import type { z } from "zod";
import { parseJson } from "./json.ts";
import { problem } from "./problems.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Response };

export function readParams<Schema extends z.ZodType>(c: Context, schema: Schema): Read<z.output<Schema>> {
  return check(schema, c.req.param(), "");
}

/** A parameter given twice is refused: which one is meant cannot be known. */
export function readQuery<Schema extends z.ZodType>(c: Context, schema: Schema): Read<z.output<Schema>> {
  const values = c.req.queries();
  for (const [name, given] of Object.entries(values)) {
    if (given.length > 1) return invalid(`${name}: given more than once`);
  }
  return check(schema, c.req.query(), "");
}

/** The headers that the schema names; others are not its business. */
export function readHeaders<Schema extends z.ZodObject>(c: Context, schema: Schema): Read<z.output<Schema>> {
  const given = Object.keys(schema.shape).map((name) => [name, c.req.header(name)] as const);
  return check(schema, Object.fromEntries(given.filter(([, value]) => value !== undefined)), "");
}

/** An empty body is an empty object. */
export async function readBody<Schema extends z.ZodType>(c: Context, schema: Schema): Promise<Read<z.output<Schema>>> {
  let text: string;
  try {
    text = decoder.decode(await c.req.arrayBuffer());
  } catch (error) {
    if (error instanceof TypeError) return invalid("body: not UTF-8");
    throw error;
  }
  if (text === "") return check(schema, {}, "body");
  try {
    return check(schema, parseJson(text), "body");
  } catch (error) {
    if (error instanceof SyntaxError) return invalid("body: not JSON");
    // The parser's stack, spent on what nobody's client nests so deep.
    if (error instanceof RangeError) return invalid("body: nested too deep");
    throw error;
  }
}

function check<Schema extends z.ZodType>(schema: Schema, value: unknown, place: string): Read<z.output<Schema>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const [issue] = result.error.issues;
  const path = [place, ...(issue?.path ?? [])].filter((part) => part !== "").join(".");
  return invalid(`${path === "" ? "request" : path}: ${issue?.message ?? "not valid"}`);
}

function invalid(detail: string): { readonly ok: false; readonly problem: Response } {
  return { ok: false, problem: problem("invalid_request", { detail }) };
}
