/** The longest time in which a steady stream of requests keeps a stopping process. */
const mostMs = 8_000;
const lookEveryMs = 50;

/** Counts the requests under way, for a process that stops on a server that is not Postern's own. */
export const createLastRequests = () => {
  let underWay = 0;
  let latestMs: number | undefined;
  let isOver = false;

  return {
    begin: (): void => {
      underWay += 1;
      latestMs = performance.now();
    },
    end: (): void => {
      underWay -= 1;
      latestMs = performance.now();
    },
    /** Whether requests are refused now. */
    get isOver(): boolean {
      return isOver;
    },
    /**
     * Resolves when no request is under way and none has come for `quietMs`, and after 8 s in any case;
     * at once if there was never one. From then on `isOver`. Callers that keep connections open learn
     * with their next answer that these end, so a quiet moment means that the last has learned it.
     */
    wait: async (quietMs: number): Promise<void> => {
      const startedMs = performance.now();
      const isQuiet = (nowMs: number): boolean =>
        latestMs === undefined || (underWay === 0 && nowMs - Math.max(latestMs, startedMs) >= quietMs);
      for (let nowMs = startedMs; !isQuiet(nowMs) && nowMs - startedMs < mostMs; nowMs = performance.now())
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
      isOver = true;
    },
  };
};
