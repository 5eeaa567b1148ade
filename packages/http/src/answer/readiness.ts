import type { HttpApp } from "../http-app.ts";

const limitMs = 1000;
const cachedMs = 1000;

/**
 * Health is open to strangers, so the storage is asked at most once a second, however many callers
 * ask.
 */
export const createReadiness = ({ checkReady }: Pick<HttpApp, "checkReady">) => {
  let stopped = false;
  let latest: { readonly answer: Promise<boolean>; readonly askedMs: number } | undefined;

  const ask = async (): Promise<boolean> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs);
    });
    const ready = checkReady().then(
      () => true,
      () => false,
    );
    const answer = await Promise.race([ready, late]);
    clearTimeout(timer);
    return answer;
  };

  return {
    /** From now on the answer is no. */
    stop: (): void => {
      stopped = true;
    },
    /**
     * Whether the storage can be used, as found at most a second ago. Takes at most a second; never
     * throws.
     */
    check: async (): Promise<boolean> => {
      if (stopped) return false;
      const nowMs = performance.now();
      if (latest === undefined || nowMs - latest.askedMs >= cachedMs) latest = { answer: ask(), askedMs: nowMs };
      return latest.answer;
    },
  };
};
