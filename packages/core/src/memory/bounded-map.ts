/** Adds an entry as the newest. Beyond `limit` entries, drops the oldest ones. */
export const setBounded = <Key, Value>(map: Map<Key, Value>, key: Key, value: Value, limit: number): void => {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
};
