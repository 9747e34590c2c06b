/** Keeps a map within its bound: takes out the entry that was put in first. */
export function forgetOldest<Key>(map: Map<Key, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
