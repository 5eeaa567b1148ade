import type { DeprecatedUse, Ports } from "@postern/core";
import { timestampOf } from "@postern/core/parts";
import type { Deprecation } from "./deprecation.ts";

/** Who used something deprecated, and with what. */
interface User {
  readonly client: string;
  readonly agent: string;
}

export interface UseCounter {
  /** Counts a use; never waits and never fails. */
  count(deprecation: Deprecation, user: User): void;
  /** Hands what was counted to the store. What cannot be stored is kept for the next time. */
  flush(): Promise<void>;
}

const flushMs = 10_000;
/** Kept in memory between two flushes; what comes beyond is counted for nobody in particular. */
const mostKeys = 2_000;
const retentionDays = 400;
const dayMs = 86_400_000;

const dayOf = (milliseconds: number): string => timestampOf(milliseconds).slice(0, 10);

/** Counts in memory and stores in batches: a request that uses something deprecated costs no write. */
export const createUseCounter = ({
  clock,
  deprecatedUses,
  telemetry,
}: Pick<Ports, "clock" | "deprecatedUses" | "telemetry">): UseCounter => {
  let counted = new Map<string, DeprecatedUse>();
  let scheduled = false;
  let forgotten = "";

  const note = (use: DeprecatedUse): void => {
    const key = JSON.stringify([use.deprecation, use.client, use.agent, use.day]);
    const before = counted.get(key);
    if (before === undefined && counted.size >= mostKeys && use.client !== "other") {
      note({ ...use, client: "other", agent: "" });
      return;
    }
    counted.set(
      key,
      before === undefined
        ? use
        : {
            ...before,
            calls: before.calls + use.calls,
            firstAt: Math.min(before.firstAt, use.firstAt),
            lastAt: Math.max(before.lastAt, use.lastAt),
          },
    );
  };

  const flush = async (): Promise<void> => {
    const batch = counted;
    counted = new Map();
    if (batch.size === 0) return;
    try {
      await deprecatedUses.add([...batch.values()]);
    } catch (thrown) {
      for (const use of batch.values()) note(use);
      telemetry.log("warn", "uses of what is deprecated could not be stored", { uses: batch.size }, thrown);
      return;
    }
    const today = dayOf(clock.now());
    if (forgotten === today) return;
    forgotten = today;
    await deprecatedUses.forget(dayOf(clock.now() - retentionDays * dayMs)).catch((thrown: unknown) => {
      telemetry.log("warn", "old uses of what was deprecated could not be forgotten", {}, thrown);
    });
  };

  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    clock.after(flushMs, () => {
      scheduled = false;
      void flush().then(() => {
        if (counted.size > 0) schedule();
      });
    });
  };

  return {
    count: ({ id }, { client, agent }) => {
      const now = clock.now();
      telemetry.count("api_deprecated_requests_total", { deprecation: id });
      note({ deprecation: id, client, agent, day: dayOf(now), calls: 1, firstAt: now, lastAt: now });
      schedule();
    },
    flush,
  };
};
