import type { NewJob, Ports } from "@postern/core";
import { countDays, countSteps } from "@postern/core/internal";
import type { Expiring } from "@postern/core/ports";
import { refusalsKeptMs } from "@postern/inbox/internal";
import { type HandlerContext, type Schedule, Snooze, schedule } from "@postern/jobs";
import { jobOf, jobSettings } from "@postern/jobs/internal";
import type { Retention } from "../../retention.ts";
import { settleMs } from "../audit/audit-digest.ts";
import { auditCheckOf, checkAuditLog, findingsOf } from "../audit/check-audit-log.ts";
import { eraseOrigins } from "../audit/erase-origins.ts";
import { pruneAuditLog, sealAuditLog } from "../audit/seal-audit-log.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What is deleted as soon as it has no use any more, and what is known of deliveries. */
const unlasting = ["rate_limits", "answers", "delivery_counts", "feed", "refusals", "counts"] as const;

/** For how long it is known how many webhooks came in each minute. */
const deliveryCountDays = 7;
/** For how long a reader of the feed can go on where it ended. */
const feedDays = 1;

const batch = 1000;
/** The same for rows that can hold megabytes, which some databases read to know their length. */
const largeBatch = 200;
/**
 * How many rows of a large deletion one transaction deletes. Other writers wait while the
 * transaction runs.
 */
const deletedAtOnce = 500;
/** The job that goes on with large deletions. */
export const deletionsJob = "postern.finish-deletions";
/** The job that begins at once with a large deletion of which somebody hears. */
export const continuedDeletion: NewJob = jobOf(jobSettings(deletionsJob, {}));

/** Pause between two batches of other upkeep, so that nothing waits long behind it. */
const pauseMs = 50;

/** Retention ends its run after this time, and goes on in the next one. */
const runMs = minuteMs;
/** If retention fails for so many minutes, its job is dead. The next hour has another one. */
const pruneRetries = Array.from({ length: 5 }, () => minuteMs);

type MaintenancePorts = Pick<
  Ports,
  "storage" | "clock" | "telemetry" | "secretBox" | "randomness" | "rateLimits" | "deprecatedUses" | "alerts"
>;

/**
 * Maintenance that every installation does by itself. It consists of ordinary jobs: they are
 * listed, retried, and run once over all processes. `deprecations` are those whose uses are counted.
 */
export const maintenanceSchedules = (
  ports: MaintenancePorts,
  retention: Retention,
  deprecations: readonly string[],
): readonly Schedule[] => {
  const { clock, deprecatedUses } = ports;
  for (const what of [...Object.keys(retention), ...unlasting]) ports.telemetry.count("pruned", { what }, 0);
  return [
    schedule(
      "postern.prune",
      "17 * * * *",
      async (_due, context) => {
        // A deprecation is watched from then on, also while nobody asks for its uses.
        await deprecatedUses.watch(deprecations, clock.now());
        await pruneAll(ports, retention, context);
      },
      pruneOptions,
    ),
    {
      ...schedule(deletionsJob, "*/5 * * * *", (_due, each) => finishDeletions(ports, each), skipMissed),
      isNeeded: async () => (await ports.storage.housekeeping.unfinishedDeletions(1)).deletions > 0,
    },
    {
      ...schedule("postern.seal-audit-log", "* * * * *", (_due, context) => sealAll(ports, context), skipMissed),
      isNeeded: async () => (await ports.storage.auditChain.oldestUnsealed(ports.clock.now() - settleMs)) !== undefined,
    },
    schedule("postern.erase-origins", "*/10 * * * *", (_due, context) => eraseAll(ports, context), skipMissed),
    schedule("postern.check-audit-log", "*/10 * * * *", (_due, context) => checkSeals(ports, context), skipMissed),
    schedule("postern.checkpoint", "43 3 * * *", () => ports.storage.housekeeping.checkpoint(), skipMissed),
  ];
};

/** The next run does what a missed one would have done. */
const skipMissed = { missed: "skip" } as const;

/** It ends its runs itself, after a minute: its time-out is for a database that never answers. */
const pruneOptions = { alone: true, timeoutMs: hourMs, retry: { delaysMs: pruneRetries } } as const;

const pause = ({ clock }: Pick<Ports, "clock">, ms = pauseMs): Promise<void> =>
  new Promise((resolve) => void clock.after(ms, resolve));

/** Pauses, and says whether the job may go on. */
const goingOn =
  (ports: Pick<Ports, "clock">, { signal }: HandlerContext) =>
  async (): Promise<boolean> => {
    await pause(ports);
    return !signal.aborted;
  };

/** A kind of data that is deleted. */
interface Step {
  readonly what: Expiring | (typeof unlasting)[number];
  /** Deletes a batch, and returns how many rows. */
  readonly remove: () => Promise<number>;
  /** A batch of so many rows may not be the last. */
  readonly most: number;
}

/** What is deleted, in the order in which it takes turns: first what holds personal data. */
const stepsOf = ({ storage, clock, rateLimits }: MaintenancePorts, retention: Retention): readonly Step[] => {
  const { housekeeping } = storage;
  const now = clock.now();
  const before = (days: number): number => now - days * dayMs;
  const step = (what: Step["what"], remove: Step["remove"], most = batch): Step => ({ what, remove, most });
  const expired = (what: Exclude<Expiring, "audit">, most = batch, from = 0): Step =>
    step(what, () => housekeeping.prune(what, before(retention[what]), most, from), most);
  // The steps of the table from which the type is made.
  const counts = Object.keys(countSteps) as (keyof typeof countSteps)[];
  return [
    // Older events are deleted whole, with their bodies: no row is changed first and deleted then.
    expired("bodies", largeBatch, before(retention.events)),
    expired("events", largeBatch),
    expired("done_jobs"),
    expired("cancelled_jobs"),
    expired("dead_jobs"),
    expired("runners"),
    expired("slots"),
    step("audit", () => pruneAuditLog(storage, before(retention.audit), batch)),
    // Limits name users and addresses, so they are deleted as soon as they no longer limit anyone.
    step("rate_limits", () => rateLimits.forgetFree(now)),
    step("delivery_counts", () => storage.deliveryCounts.prune(before(deliveryCountDays), batch)),
    step("feed", () => storage.feed.prune(before(feedDays), batch)),
    ...counts.map((each) => step("counts", () => storage.counts.prune(each, before(countDays[each]), batch))),
    step("refusals", () => storage.refusals.prune(now - refusalsKeptMs, batch)),
    step("answers", () => storage.answers.purge(now, largeBatch), largeBatch),
  ];
};

/**
 * Deletes what was kept long enough, in batches. The steps take turns, so that none waits for the end
 * of another. If a write of this process waited while a batch ran, the next one waits as long as that
 * batch took: the deletions get half of the time, and everybody else the other half. One step that
 * fails does not keep the others from going on.
 * @throws Snooze when a minute is over and something is still due.
 */
const pruneAll = async (ports: MaintenancePorts, retention: Retention, context: HandlerContext): Promise<void> => {
  const { clock, telemetry, storage } = ports;
  const began = clock.monotonic();
  const removed = new Map<string, number>();
  const failures: unknown[] = [];

  /** Whether the step has more to delete. */
  const removeBatch = async ({ what, remove, most }: Step): Promise<boolean> => {
    const [from, waits] = [clock.monotonic(), storage.housekeeping.waits()];
    let count: number;
    try {
      count = await remove();
    } catch (thrown) {
      failures.push(thrown);
      return false;
    }
    removed.set(what, (removed.get(what) ?? 0) + count);
    telemetry.count("pruned", { what }, count);
    const took = clock.monotonic() - from;
    if (count >= most && storage.housekeeping.waits() > waits) await pause(ports, took);
    return count >= most;
  };

  let due = stepsOf(ports, retention);
  while (due.length > 0 && !context.signal.aborted && clock.monotonic() - began < runMs) {
    const further: Step[] = [];
    for (const step of due) if (context.signal.aborted || (await removeBatch(step))) further.push(step);
    due = further;
  }
  for (const [what, rows] of removed)
    if (rows > 0) context.log("info", "deleted what was kept long enough", { what, rows });
  if (failures.length > 0) throw failures[0];
  if (due.length > 0) throw new Snooze(0, `still due: ${[...new Set(due.map(({ what }) => what))].join(", ")}`);
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
  const sealed = await sealAuditLog(ports, goingOn(ports, context));
  if (sealed > 0) context.log("debug", "sealed entries of the audit log", { entries: sealed });
};

const eraseAll = async (ports: MaintenancePorts, context: HandlerContext): Promise<void> => {
  const followed = await eraseOrigins(ports, goingOn(ports, context));
  if (followed > 0)
    context.log("info", "erased addresses of deleted accounts in the audit log", { accounts: followed });
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
