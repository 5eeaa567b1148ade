/**
 * Runs work with the same key one at a time, first come, first served. Work with different keys
 * runs in parallel.
 */
export interface SerialByKey {
  <Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Whether work with this key runs or waits. */
  isBusy(key: string): boolean;
}

/** Makes queues by key, within this process. If one piece of work fails, the next still runs. */
export const createSerialByKey = (): SerialByKey => {
  const last = new Map<string, Promise<void>>();
  const serially = async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work);
    const over = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, over);
    try {
      return await mine;
    } finally {
      if (last.get(key) === over) last.delete(key);
    }
  };
  return Object.assign(serially, { isBusy: (key: string) => last.has(key) });
};
