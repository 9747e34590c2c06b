export type StoreFailure =
  /** The caller broke a rule of the contract; nothing was read. */
  | "invalid"
  | "unsupported"
  /** A row cannot be what its key says it is. */
  | "corrupt"
  /** No room; reads and deletes may still work. */
  | "full"
  | "unavailable";

/** A fault of the store, or of the call. The message is for logs, never for clients. */
export class StoreError extends Error {
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, detail: string, options?: ErrorOptions) {
    super(`${failure}: ${detail}`, options);
    this.name = "StoreError";
    this.failure = failure;
  }
}
