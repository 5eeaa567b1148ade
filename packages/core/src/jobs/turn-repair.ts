import type { Ports } from "../ports/index.ts";

const everyMs = 30_000;

/**
 * Gives the turn of order keys in which no job has it to the first in line: now and then, when
 * called often.
 */
export const createTurnRepair = ({
  storage,
  clock,
  telemetry,
  wakeup,
}: Pick<Ports, "storage" | "clock" | "telemetry" | "wakeup">): (() => Promise<void>) => {
  let from = 0;
  return async () => {
    if (clock.monotonic() < from) return;
    from = clock.monotonic() + everyMs;
    const repaired = await storage.jobs.repairTurns(clock.now());
    if (repaired === 0) return;
    telemetry.count("turns_repaired", {}, repaired);
    telemetry.log("error", "no job of an order key had the turn; the first in line has it now", { keys: repaired });
    wakeup.notify();
  };
};
