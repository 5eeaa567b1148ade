/**
 * Maps with changes that can be undone. While a transaction is open, each change notes how to undo
 * itself.
 */
export class Journal {
  #undo: (() => void)[] | undefined;

  begin(): void {
    this.#undo = [];
  }

  commit(): void {
    this.#undo = undefined;
  }

  rollBack(): void {
    for (const undo of (this.#undo ?? []).toReversed()) undo();
    this.#undo = undefined;
  }

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const before = map.get(key);
    const existed = map.has(key);
    map.set(key, value);
    this.#undo?.push(() => (existed ? map.set(key, before as Value) : map.delete(key)));
  }

  delete<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const before = map.get(key);
    if (!map.delete(key)) return;
    this.#undo?.push(() => map.set(key, before as Value));
  }
}
