import type { Ports } from "@postern/core";
import { jobStates } from "@postern/core/ports";
import { kindsWithoutHandler } from "@postern/jobs/internal";
import type { Retention } from "../retention.ts";
import { auditCheckOf, findingsOf } from "./audit/check-audit-log.ts";
import { readDueRows } from "./maintenance/due-rows.ts";

/**
 * Reports the present state of the storage as gauges: the jobs in each state, the waiting jobs of
 * each queue and the age of the oldest one, the living runners, the jobs for which no runner has a
 * handler, what retention has still to delete, and the faults that were found in the audit log.
 * Counters cannot show that jobs no longer start; the age of the oldest waiting job can.
 */
export const createStorageGauges = (
  { storage, clock, telemetry }: Pick<Ports, "storage" | "clock" | "telemetry">,
  retention: Retention,
): (() => Promise<void>) => {
  /**
   * The storage's answer leaves out a queue that is empty now. Without this, its gauges would keep
   * their last values.
   */
  const seen = new Set<string>();

  return async () => {
    const [counts, queues, runners, kinds, audit] = await Promise.all([
      storage.jobRecords.countByState(),
      storage.queues.list(),
      storage.runners.live(),
      storage.queues.readyKinds(),
      auditCheckOf(storage),
    ]);
    telemetry.gauge("audit_findings", findingsOf(audit));
    for (const { what, rows, behindMs } of await readDueRows({ storage, clock }, retention, 0)) {
      telemetry.gauge("retention_due_rows", rows, { what });
      telemetry.gauge("retention_due_seconds", behindMs / 1000, { what });
    }
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
