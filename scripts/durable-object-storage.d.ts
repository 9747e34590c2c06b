// The simulation runs the object's alarm on storage of its own, outside the Workers runtime: this is the
// part of the runtime's storage that it stands in for.
interface DurableObjectStorage {
  getAlarm(): Promise<number | null>;
  setAlarm(atMs: number): Promise<void>;
  deleteAlarm(): Promise<void>;
}
