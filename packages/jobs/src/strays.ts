import type { Ports } from "@postern/core";
import type { Lease } from "@postern/core/ports";
import type { Claiming } from "./claiming.ts";
import type { JobEnds } from "./job-ends.ts";
import type { Losses } from "./losses.ts";
import type { Registration } from "./registration.ts";
import type { Runs } from "./runs.ts";

/** A job is a stray only if two looks found it, this far apart. */
const apartMs = 10_000;

interface StrayParts {
  readonly registration: Pick<Registration, "runnerId">;
  readonly runs: Pick<Runs, "jobs" | "has" | "stop">;
  readonly ends: Pick<JobEnds, "owes">;
  readonly claiming: Pick<Claiming, "isStarting">;
  readonly losses: Losses;
}

/**
 * Looks for strays: jobs that are running as the storage knows, and that nobody runs. They are left by
 * a database that went back in time, by a claim whose answer was lost, or by an end that could not be
 * written. A stray goes back with one more loss, because it may have stopped its runner. And a run
 * whose lease is gone is told to stop.
 *
 * The returned function looks only now and then, unless it is called with `isUrgent`; call it often.
 */
export const createStrays = (
  { storage, clock, telemetry }: Pick<Ports, "storage" | "clock" | "telemetry">,
  { registration, runs, ends, claiming, losses }: StrayParts,
): ((isUrgent?: boolean) => Promise<void>) => {
  /** When each lease was first found without a run, by the monotonic clock. */
  let suspected = new Map<string, number>();
  let lookFrom = clock.monotonic() + storage.runners.strayLookMs;
  const keyOf = ({ id, lease }: Lease): string => `${id}/${lease}`;
  const isOurs = (lease: Lease): boolean => runs.has(lease) || ends.owes(lease) || claiming.isStarting(lease);

  const stopLost = async (held: ReadonlySet<string>): Promise<void> => {
    for (const job of runs.jobs) {
      // A handler may go on after its commit, which ends the job and spends the lease.
      if (held.has(keyOf(job)) || (await storage.jobs.leaseState(job)) !== "lost") continue;
      telemetry.log("warn", "a job runs here whose lease is gone; it is told to stop", { job: job.id });
      runs.stop(job, "lease-lost");
    }
  };

  return async (isUrgent = false) => {
    const now = clock.monotonic();
    if (!isUrgent && now < lookFrom) return;
    lookFrom = now + storage.runners.strayLookMs;
    const held = await storage.runners.heldOrOrphaned(registration.runnerId);
    const before = suspected;
    suspected = new Map();
    const strays: Lease[] = [];
    for (const lease of held) {
      if (isOurs(lease)) continue;
      const since = before.get(keyOf(lease)) ?? now;
      suspected.set(keyOf(lease), since);
      if (now - since >= apartMs) strays.push(lease);
    }
    if (strays.length < suspected.size) lookFrom = now + apartMs;
    await stopLost(new Set(held.map(keyOf)));
    if (strays.length === 0) return;
    const result = await storage.runners.takeBack(strays, losses.policy());
    telemetry.log("warn", "jobs were running that nobody ran; they run again", {
      jobs: result.recovered,
      dead: result.dead.length,
    });
    losses.report("nobody", result);
  };
};
