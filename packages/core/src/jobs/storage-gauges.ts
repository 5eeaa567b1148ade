import type { Ports } from "../ports/index.ts";
import { jobStates } from "../ports/job.ts";
import { kindsWithoutHandler } from "./kinds-without-handler.ts";

/**
 * Says what stands in the storage now, as gauges: how many jobs are in each state, how many wait in each queue and since
 * when the oldest of them, how many runners live, how many jobs wait for a handler that none of them has. Counters
 * cannot tell that nothing moves any more; the age of the oldest waiting job can.
 */
export const createStorageGauges = ({
  storage,
  clock,
  telemetry,
}: Pick<Ports, "storage" | "clock" | "telemetry">): (() => Promise<void>) => {
  /** A queue that is empty now is not in the storage's answer, and would stay what it was. */
  const seen = new Set<string>();

  return async () => {
    const [counts, queues, runners, kinds] = await Promise.all([
      storage.jobRecords.countByState(),
      storage.queues.list(),
      storage.runners.live(),
      storage.queues.readyKinds(),
    ]);
    // The table's own keys, which Object.keys cannot know.
    for (const state of Object.keys(jobStates) as (keyof typeof jobStates)[]) {
      telemetry.gauge("jobs_in_state", counts[state], { state });
    }
    telemetry.gauge("runners_alive", runners.length);
    const waiting = kindsWithoutHandler(kinds, runners).reduce((sum, { ready }) => sum + ready, 0);
    telemetry.gauge("jobs_without_handler", waiting);
    for (const { name } of queues) seen.add(name);
    for (const name of seen) {
      const queue = queues.find((one) => one.name === name);
      const age = queue?.oldestReadyAt === undefined ? 0 : Math.max(0, clock.now() - queue.oldestReadyAt);
      telemetry.gauge("jobs_waiting", queue?.ready ?? 0, { queue: name });
      telemetry.gauge("jobs_oldest_waiting_seconds", age / 1000, { queue: name });
      telemetry.gauge("queue_paused", queue?.paused === true ? 1 : 0, { queue: name });
    }
  };
};
