import type { Ports } from "@postern/core";

const everyMs = 30_000;

/**
 * Finds order keys in which no job has the turn, and gives it to the first job in line. Call it
 * often; it looks only now and then.
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
