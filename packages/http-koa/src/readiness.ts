import type { App } from "@postern/core";

export interface Readiness {
  /** Whether the storage can be used, as it was found at most a second ago. Takes at most a second; never throws. */
  check(): Promise<boolean>;
  /** From now on the answer is no. */
  stop(): void;
}

const limitMs = 1000;
const cachedMs = 1000;

/** However many ask, the storage is asked at most once a second: health is open to strangers. */
export const createReadiness = ({ checkReady }: Pick<App, "checkReady">): Readiness => {
  let stopped = false;
  let latest: { readonly answer: Promise<boolean>; readonly askedMs: number } | undefined;

  const ask = async (): Promise<boolean> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), limitMs).unref();
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
    stop: () => {
      stopped = true;
    },
    check: async () => {
      if (stopped) return false;
      const nowMs = performance.now();
      if (latest === undefined || nowMs - latest.askedMs >= cachedMs) latest = { answer: ask(), askedMs: nowMs };
      return latest.answer;
    },
  };
};
