import type { Ports } from "@postern/core";
import type { IdleLook } from "@postern/core/ports";

/**
 * The database's time. Due times are compared with it, so that all processes mean the same moment,
 * however their own clocks are set. It is this process's clock, corrected by the difference that
 * was measured last. Where the database has no clock of its own (SQLite), all processes are on one
 * machine and share its clock.
 */
export interface DatabaseClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Measures the difference, at most every 30 seconds. */
  measure(): Promise<void>;
  /** Measures the difference with an answer that has the database's time. */
  measureBy<Answer extends Pick<IdleLook, "databaseTime">>(
    ask: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined>;
}

const everyMs = 30_000;
/** A smaller difference may come from the time that the query takes. */
const noiseMs = 250;
/** A larger difference is reported to the operator. */
const largeMs = 5_000;

export const createDatabaseClock = ({
  storage,
  clock,
  telemetry,
}: Pick<Ports, "storage" | "clock" | "telemetry">): DatabaseClock => {
  let aheadMs = 0;
  let measureFrom = 0;
  /** This process's clocks at the last measurement. */
  let measured: { readonly wall: number; readonly monotonic: number } | undefined;

  const warnOf = (foundMs: number): void => {
    if (Math.abs(foundMs) < largeMs || Math.abs(foundMs - aheadMs) < largeMs) return;
    telemetry.log("warn", "this process's clock differs from the database's; due times follow the database's", {
      database_ahead_ms: foundMs,
    });
  };

  const measureBy: DatabaseClock["measureBy"] = async (ask) => {
    measureFrom = clock.monotonic() + everyMs;
    const before = clock.monotonic();
    const answer = await ask();
    if (answer?.databaseTime === undefined) return answer;
    // The answer is about half as old as the query took, because it had to travel back.
    const monotonic = clock.monotonic();
    const wall = clock.now();
    const foundMs = Math.round(answer.databaseTime + (monotonic - before) / 2 - wall);
    warnOf(foundMs);
    aheadMs = Math.abs(foundMs) < noiseMs ? 0 : foundMs;
    measured = { wall, monotonic };
    return answer;
  };

  return {
    now: () => {
      const wall = clock.now();
      if (measured === undefined) return wall;
      const passed = clock.monotonic() - measured.monotonic;
      // This process's clock has been set since then. The monotonic clock still tells how much
      // time has passed.
      const wasSet = Math.abs(wall - measured.wall - passed) >= noiseMs;
      return (wasSet ? Math.floor(measured.wall + passed) : wall) + aheadMs;
    },
    measure: async () => {
      if (clock.monotonic() < measureFrom) return;
      await measureBy(async () => ({ databaseTime: await storage.runners.databaseTime() }));
    },
    measureBy,
  };
};
