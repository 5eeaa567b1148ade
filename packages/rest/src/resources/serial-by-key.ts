/** Runs work of one key one at a time, first come, first served; work of different keys runs side by side. */
export type SerialByKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

/** A queue for each key of one process. What fails does not keep the next from its turn. */
export const createSerialByKey = (): SerialByKey => {
  const last = new Map<string, Promise<void>>();
  return async (key, work) => {
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
};
