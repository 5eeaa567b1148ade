import { setTimeout as sleep } from "node:timers/promises";
import type { Telemetry } from "@postern/core/ports";
import { mayPass } from "@postern/storage-knex";
import { reasonOf } from "./start-failure.ts";

const tryEveryMs = 500;
const tellEveryMs = 3_000;

/**
 * Runs `work` again while the database is not there yet: refused, without an address, starting, or without
 * a primary. A line each three seconds says what it waits for. What time cannot mend, such as a wrong
 * password, is thrown at once, and after `waitMs` the last failure is.
 */
export const waitingForDatabase = async <Result>(
  work: () => Promise<Result>,
  { waitMs, telemetry }: { readonly waitMs: number; readonly telemetry: Pick<Telemetry, "log"> },
): Promise<Result> => {
  const until = performance.now() + waitMs;
  let toldAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      const leftMs = until - performance.now();
      if (leftMs <= 0 || !mayPass(thrown)) throw thrown;
      if (performance.now() - toldAt >= tellEveryMs) {
        toldAt = performance.now();
        telemetry.log("warn", `waiting for the database: ${reasonOf(thrown)}`, {
          seconds_left: Math.ceil(leftMs / 1_000),
        });
      }
      await sleep(Math.min(tryEveryMs, leftMs));
    }
  }
};
