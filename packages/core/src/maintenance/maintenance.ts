import { auditCheckOf, checkAuditLog, findingsOf } from "../audit/check-audit-log.ts";
import { eraseOrigins } from "../audit/erase-origins.ts";
import { pruneAuditLog, sealAuditLog } from "../audit/seal-audit-log.ts";
import { countDays, countSteps } from "../counts/counts.ts";
import { refusalsKeptMs } from "../inbox/refusal-recorder.ts";
import { type HandlerContext, Snooze } from "../jobs/handler-context.ts";
import { type Schedule, schedule } from "../jobs/schedule.ts";
import type { Expiring } from "../ports/housekeeping.ts";
import type { Ports } from "../ports/index.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long things are kept, in days. */
export type Retention = Readonly<Record<Expiring, number>>;

/**
 * Repeats are recognised as long as their event is kept; no sender repeats an event after 35 days.
 * Bodies, which hold personal data, are deleted earlier.
 */
export const defaultRetention: Retention = {
  done_jobs: 1,
  cancelled_jobs: 7,
  dead_jobs: 35,
  events: 35,
  bodies: 14,
  runners: 1,
  slots: 8,
  audit: 400,
};

/** What is deleted as soon as it has no use any more, and what is known of deliveries. */
const unlasting = ["rate_limits", "answers", "delivery_counts", "feed", "refusals", "counts"] as const;

/** For how long it is known how many webhooks came in each minute. */
const deliveryCountDays = 7;
/** For how long a reader of the feed can go on where it ended. */
const feedDays = 1;

const batch = 1000;
/** The same for rows that can hold megabytes, which some databases read to know their length. */
const largeBatch = 100;
/**
 * How many rows of a large deletion one transaction deletes. Other writers wait while the
 * transaction runs.
 */
const deletedAtOnce = 500;
/** Pause between two batches, so that nothing waits long behind the deletions. */
const pauseMs = 50;

/** Deletions pause while this many jobs wait in a queue: they would make the jobs wait longer. */
const manyWaiting = 1000;
/**
 * At this hour (UTC) deleting goes on even if jobs wait: a queue without workers must not fill the
 * disk.
 */
const regardlessHour = 3;

type MaintenancePorts = Pick<
  Ports,
  "storage" | "clock" | "telemetry" | "secretBox" | "randomness" | "rateLimits" | "deprecatedUses" | "alerts"
>;

/**
 * Maintenance that every installation does by itself. It consists of ordinary jobs: they are
 * listed, retried, and run once over all processes.
 */
export const maintenanceSchedules = (ports: MaintenancePorts, retention: Retention): readonly Schedule[] => {
  for (const what of [...Object.keys(retention), ...unlasting]) ports.telemetry.count("pruned", { what }, 0);
  return [
    schedule("postern.prune", "17 * * * *", ({ slot }, context) => pruneAll(ports, retention, slot, context)),
    schedule("postern.finish-deletions", "*/5 * * * *", (_due, context) => finishDeletions(ports, context), skipMissed),
    schedule("postern.seal-audit-log", "* * * * *", (_due, context) => sealAll(ports, context), skipMissed),
    schedule("postern.check-audit-log", "*/10 * * * *", (_due, context) => checkSeals(ports, context), skipMissed),
    schedule("postern.checkpoint", "43 3 * * *", () => ports.storage.housekeeping.checkpoint(), skipMissed),
  ];
};

/** The next run does what a missed one would have done. */
const skipMissed = { missed: "skip" } as const;

const pause = ({ clock }: Pick<Ports, "clock">): Promise<void> =>
  new Promise((resolve) => void clock.after(pauseMs, resolve));

/** Pauses, and says whether the job may go on. */
const goingOn =
  (ports: Pick<Ports, "clock">, { signal }: HandlerContext) =>
  async (): Promise<boolean> => {
    await pause(ports);
    return !signal.aborted;
  };

/** Deletes what was kept long enough, in batches. */
const pruneAll = async (
  ports: MaintenancePorts,
  retention: Retention,
  slot: number,
  context: HandlerContext,
): Promise<void> => {
  const { storage, clock } = ports;
  const givesWay = givingWay(ports, slot, context);
  const until = async (
    what: Expiring | (typeof unlasting)[number],
    most: number,
    remove: () => Promise<number>,
  ): Promise<void> => {
    let removed = 0;
    for (let count = most; count >= most && !context.signal.aborted && !(await givesWay()); ) {
      count = await remove();
      removed += count;
      if (count >= most) await pause(ports);
    }
    if (removed === 0) return;
    ports.telemetry.count("pruned", { what }, removed);
    context.log("info", "deleted what was kept long enough", { what, rows: removed });
  };
  // The keys of the table from which the type is made.
  for (const [what, days] of Object.entries(retention) as [Expiring, number][]) {
    const before = clock.now() - days * dayMs;
    const most = what === "events" || what === "bodies" ? largeBatch : batch;
    await until(what, most, () =>
      what === "audit" ? pruneAuditLog(storage, before, most) : storage.housekeeping.prune(what, before, most),
    );
  }
  // Limits name users and addresses, so they are deleted as soon as they no longer limit anyone.
  await until("rate_limits", batch, () => ports.rateLimits.forgetFree(clock.now()));
  const counted = clock.now() - deliveryCountDays * dayMs;
  await until("delivery_counts", batch, () => storage.deliveryCounts.prune(counted, batch));
  const past = clock.now() - feedDays * dayMs;
  await until("feed", batch, () => storage.feed.prune(past, batch));
  // The steps of the table from which the type is made.
  for (const step of Object.keys(countSteps) as (keyof typeof countSteps)[]) {
    const before = clock.now() - countDays[step] * dayMs;
    await until("counts", batch, () => storage.counts.prune(step, before, batch));
  }
  await until("refusals", batch, () => storage.refusals.prune(clock.now() - refusalsKeptMs, batch));
  await until("answers", largeBatch, () => storage.answers.purge(clock.now(), largeBatch));
};

/**
 * Says whether deleting has given up for this hour. While a queue is behind, it ends the attempt
 * instead, and the job continues a minute later. The next hour has its own job.
 */
const givingWay = ({ storage, clock }: MaintenancePorts, slot: number, { log }: HandlerContext) => {
  const regardless = Math.floor(slot / hourMs) % 24 === regardlessHour;
  let gaveUp = false;
  return async (): Promise<boolean> => {
    if (regardless || gaveUp) return gaveUp;
    const behind = (await storage.queues.list()).find(({ paused, ready }) => !paused && ready > manyWaiting);
    if (behind === undefined) return false;
    if (clock.now() - slot < hourMs - minuteMs) throw new Snooze(minuteMs, `queue ${behind.name} is behind`);
    log("warn", "nothing was deleted for an hour because a queue is behind", {
      queue: behind.name,
      waiting: behind.ready,
    });
    gaveUp = true;
    return true;
  };
};

const finishDeletions = async (ports: MaintenancePorts, { signal, log }: HandlerContext): Promise<void> => {
  let removed = 0;
  for (let count = deletedAtOnce; count === deletedAtOnce && !signal.aborted; ) {
    count = await ports.storage.housekeeping.finishDeletions(deletedAtOnce);
    removed += count;
    if (count > 0) await pause(ports);
  }
  if (removed > 0) log("info", "deleted rows whose owner is gone", { rows: removed });
};

const sealAll = async (ports: MaintenancePorts, context: HandlerContext): Promise<void> => {
  const { signal, log } = context;
  const goOn = goingOn(ports, context);
  const sealed = await sealAuditLog(ports, goOn);
  if (sealed > 0) log("debug", "sealed entries of the audit log", { entries: sealed });
  const followed = signal.aborted ? 0 : await eraseOrigins(ports, goOn);
  if (followed > 0) log("info", "erased addresses of deleted accounts in the audit log", { accounts: followed });
};

/** Raises an alert when the check finds the first fault. */
const checkSeals = async (ports: MaintenancePorts, context: HandlerContext): Promise<void> => {
  const before = findingsOf(await auditCheckOf(ports.storage));
  const checked = await checkAuditLog(ports, goingOn(ports, context));
  const findings = findingsOf(checked);
  if (before > 0 || findings === 0) return;
  const text = "Entries of the audit log are missing or were changed. Run postern audit verify.";
  const place = (checked.current.first ?? checked.finished?.first)?.place;
  ports.alerts.raise({ kind: "audit.broken", text, details: { findings, place } });
};
