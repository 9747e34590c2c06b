// What the HTTP surface needs of its deployment: settings that can be read, and tokens. An isolate's
// variables do not change, so they are read once.
import { readSettings } from "../core/settings.ts";
import { readTokens, type TokensResult } from "./auth.ts";

const known = new WeakMap<object, TokensResult>();

/** The tokens, once everything is in order; else the names of what is missing or malformed. */
export function configurationOf(variables: Readonly<Record<string, unknown>>): TokensResult {
  const configuration = known.get(variables) ?? readConfiguration(variables);
  known.set(variables, configuration);
  return configuration;
}

function readConfiguration(variables: Readonly<Record<string, unknown>>): TokensResult {
  const settings = readSettings(variables);
  const tokens = readTokens(variables);
  if (settings.kind === "settings") return tokens;
  return { kind: "misconfigured", names: [...settings.names, ...(tokens.kind === "tokens" ? [] : tokens.names)] };
}
