import { AppError } from "@postern/core";
import type { HttpApp } from "../http-app.ts";

const limitMs = 1000;
const cachedMs = 1000;

/** `storage_full`: nothing can be stored until there is room on the disk. Callers whose writes fail are told the same. */
export type Readiness = "ok" | "unavailable" | "storage_full";

const reasonOf = (thrown: unknown): Readiness =>
  thrown instanceof AppError && thrown.code === "storage_full" ? thrown.code : "unavailable";

/**
 * Health is open to strangers, so the storage is asked at most once a second, however many callers
 * ask.
 */
export const createReadiness = ({ checkReady }: Pick<HttpApp, "checkReady">) => {
  let stopped = false;
  let latest: { readonly answer: Promise<Readiness>; readonly askedMs: number } | undefined;

  const ask = async (): Promise<Readiness> => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Readiness>((resolve) => {
      timer = setTimeout(() => resolve("unavailable"), limitMs);
    });
    const ready = checkReady().then(() => "ok" as const, reasonOf);
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
    check: async (): Promise<Readiness> => {
      if (stopped) return "unavailable";
      const nowMs = performance.now();
      if (latest === undefined || nowMs - latest.askedMs >= cachedMs) latest = { answer: ask(), askedMs: nowMs };
      return latest.answer;
    },
  };
};
