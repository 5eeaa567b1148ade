import { AppError, type Ports } from "@postern/core";

/** An answer counts for as long as it is kept. */
const windowMs = 24 * 3600 * 1000;
/**
 * What a request reserves until its answer is known, as a part of the bound. Many people can sign in
 * from one network at the same moment, and their answers are short.
 */
const reserved = { user: 16, network: 4096 } as const;

/** For whom bytes are counted: for a user, or for all strangers of a network together. */
export interface Sharer {
  readonly who: string;
  readonly isNetwork?: true;
}

export type KeptBytes = ReturnType<typeof createKeptBytes>;

/**
 * Bounds the bytes of the answers that one caller has kept under idempotency keys. No quota covers
 * them: a small change of a large row keeps a large answer. `most` bytes in 24 hours, counted by
 * each process; `undefined` for no bound.
 */
export const createKeptBytes = (
  { rateLimits, clock, telemetry }: Pick<Ports, "rateLimits" | "clock" | "telemetry">,
  most: number | undefined,
) => {
  const noteFaults = (by: number): void => telemetry.count("rate_limit_faults_total", { policy: "kept-answers" }, by);
  if (most !== undefined) noteFaults(0);

  // A use that takes a share of the window stands for bytes: so many such uses fit into it.
  const useOf = (who: string, fitting: number) => ({
    key: `kept-answers:${who}`,
    limit: Math.max(1, Math.floor(fitting)),
    windowMs,
    now: clock.now(),
  });
  const safely = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work();
    } catch {
      noteFaults(1);
      return undefined;
    }
  };

  return {
    /** @throws AppError `rate_limited`, before anything was done. */
    reserve: async ({ who, isNetwork }: Sharer) => {
      const use = useOf(who, isNetwork === true ? reserved.network : reserved.user);
      const decision = most === undefined ? undefined : await safely(() => rateLimits.take(use));
      if (decision?.allowed === false) {
        const seconds = Math.ceil(decision.retryAfterMs / 1000);
        throw new AppError("rate_limited", {
          detail: `Too much is kept under your Idempotency-Keys; wait ${seconds} s, or send no key.`,
          headers: { "retry-after": String(seconds) },
        });
      }
      return {
        /** Gives back what the answer did not need; 0 if none is kept. Never rejects. */
        settle: async (bytes: number): Promise<void> => {
          if (most === undefined || decision === undefined) return;
          await safely(() => rateLimits.giveBack(use));
          if (bytes > 0) await safely(() => rateLimits.take(useOf(who, most / bytes)));
        },
      };
    },
  };
};
