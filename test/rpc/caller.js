// A Worker that calls the one under test over its service bindings, and reports how each call ended.
import { WorkerEntrypoint } from "cloudflare:workers";

export default class Caller extends WorkerEntrypoint {
  async call(binding, method, args) {
    try {
      const value = await this.env[binding][method](...args);
      return { kind: "returned", value, isPlain: isPlain(value) };
    } catch (error) {
      return { kind: "thrown", error: String(error) };
    }
  }
}

/** Whether the value is data through and through: nothing to call, nothing to dispose of, no class. */
function isPlain(value) {
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object") return ["bigint", "boolean", "number", "string"].includes(typeof value);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}
