import type { Ports } from "@postern/core";
import { AppError } from "@postern/core";
import { causeFacts, firstLineOf } from "@postern/core/internal";
import type { DeliverySum, FailureCause, QueueSummary } from "@postern/core/ports";
import { saysTargetIsAway } from "@postern/inbox/internal";
import type { JobSettings, Schedule } from "@postern/jobs";
import { ownPrefix, suspectAfter } from "@postern/jobs/internal";
import type { Retention } from "../../retention.ts";
import { settleMs } from "../audit/audit-digest.ts";
import { auditCheckOf, findingsOf } from "../audit/check-audit-log.ts";
import { readDueRows } from "../maintenance/due-rows.ts";
import { deletionsJob } from "../maintenance/maintenance.ts";
import { storedDeliveries } from "./delivery-facts.ts";
import { type Health, type HealthSnapshot, healthCountedAtMost, overMs, uncountedAtMost } from "./health.ts";
import { judgeHealth } from "./judge-health.ts";
import { isLate, lateMs } from "./queue-facts.ts";
import { isAboutKeys } from "./refusal-words.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Runners beat every few seconds. One that has not for so long was killed, and nobody has noticed yet. */
const silentMs = minuteMs;
/** The same for one that says it is idle. */
const idleMs = 2 * minuteMs;

/** A schedule is late this long after its time. Workers look once a minute. */
const scheduleLateMs = 2 * minuteMs;
/** Retention runs once an hour. What has been due for longer than two hours should be gone. */
const retentionLateMs = 2 * hourMs;
const deadLookedAt = 100;
const startedLookedAt = 100;
const plansLookedAt = 10;
/** Among more ready jobs, nobody looks for those that run alone. */
const readyLookedAt = 100;
const causesLookedAt = 100;
const forwardsLookedAt = 20;
/** One forward that fails may be a chance. */
const fewestOfTarget = 2;
const defaultTimeoutMs = 5 * minuteMs;
const mostSums = 1_000;
/** So many refused senders are asked for a change of their keys. */
const mostAskedForKeys = 10;
const entriesLookedAt = 20;

/** The audit log's names of changes of a sender's keys. */
const keyActions: ReadonlySet<string> = new Set([
  "admin.providers.create",
  "admin.providers.rotate",
  "admin.providers.deleteKey",
]);

/** What the health is read from. */
interface HealthParts {
  readonly ports: Pick<Ports, "storage" | "clock" | "cronPlan">;
  /** Whether the application takes webhooks. Without them, there are no events to count. */
  readonly inbox: boolean;
  /** The senders whose keys come from the configuration. */
  readonly configured: ReadonlySet<string>;
  readonly schedules: readonly Schedule[];
  readonly retention: Retention;
  /** The handlers of events, jobs and schedules. */
  readonly handlers: readonly Pick<JobSettings, "name" | "timeoutMs">[];
}

/** When the keys of senders that are refused were last changed. */
const keyChangesOf = async (
  { audit }: Pick<Ports["storage"], "audit">,
  deliveries: readonly DeliverySum[],
  now: number,
): Promise<ReadonlyMap<string, number>> => {
  const refused = deliveries.filter(({ result, reason }) => result === "refused" && isAboutKeys(reason));
  const providers = [...new Set(refused.map(({ provider }) => provider))].slice(0, mostAskedForKeys);
  const changes = new Map<string, number>();
  for (const resourceId of providers) {
    const about = { resource: "provider", resourceId, since: now - dayMs, limit: entriesLookedAt };
    const change = (await audit.list(about)).find(({ action, result }) => keyActions.has(action) && result === "done");
    if (change !== undefined) changes.set(resourceId, change.at);
  }
  return changes;
};

/**
 * Schedules of which a time has passed without a run. One that skips missed times has no such time
 * unless it is paused, or no worker runs; one that runs only when it is needed, unless it is paused.
 */
const lateSchedulesOf = async (
  { storage, cronPlan }: HealthParts["ports"],
  schedules: readonly Schedule[],
  { now, hasWorker }: { readonly now: number; readonly hasWorker: boolean },
): Promise<HealthSnapshot["lateSchedules"]> => {
  const states = new Map((await storage.scheduleSlots.states()).map((state) => [state.name, state]));
  const late: HealthSnapshot["lateSchedules"][number][] = [];
  for (const one of schedules) {
    const { name } = one;
    const { pausedAt, note, seenAt, resumedAt = 0 } = states.get(name) ?? {};
    const pause = pausedAt === undefined ? undefined : { at: pausedAt, note };
    if (pause === undefined && (one.isNeeded !== undefined || (one.missed === "skip" && hasWorker))) continue;
    const last = pause?.at ?? (await storage.scheduleSlots.last(name)) ?? seenAt;
    const dueAt = last === undefined ? undefined : cronPlan.next(one, Math.max(last, resumedAt));
    if (dueAt !== undefined && now - dueAt > scheduleLateMs) late.push({ name, dueAt, pause });
  }
  return late;
};

/** Whether the last forward of the event of a failure has been answered since: then its target is back. */
const hasAnswered = async (
  { forwards }: Pick<Ports["storage"], "forwards">,
  { kind, eventId }: FailureCause["example"],
): Promise<boolean> => {
  const attempts = eventId === undefined ? [] : await forwards.list(eventId, forwardsLookedAt);
  const status = attempts.find(({ handler }) => handler === kind)?.status;
  return status !== undefined && status < 500;
};

/** Forwards whose targets are away. */
const targetsOf = async (
  storage: Pick<Ports["storage"], "forwards">,
  causes: readonly FailureCause[],
): Promise<HealthSnapshot["targets"]> => {
  const away = new Map<string, HealthSnapshot["targets"][number]>();
  for (const { failures, lastAt, example } of causes) {
    const { kind: handler, error } = example;
    if (!saysTargetIsAway(handler, firstLineOf(error)) || (await hasAnswered(storage, example))) continue;
    const known = away.get(handler);
    away.set(handler, {
      handler,
      failures: failures + (known?.failures ?? 0),
      lastAt: Math.max(lastAt, known?.lastAt ?? 0),
    });
  }
  return [...away.values()].filter(({ failures }) => failures >= fewestOfTarget);
};

/**
 * The attempts that failed in the last hour for a cause that goes on: the greatest of these causes,
 * targets that are away, and Postern's own work.
 */
const failingOf = async (
  storage: Pick<Ports["storage"], "jobRecords" | "forwards">,
  now: number,
): Promise<Pick<HealthSnapshot, "failing" | "ownFailing" | "targets">> => {
  const found = await storage.jobRecords.causes({ since: now - hourMs, limit: causesLookedAt });
  const over = found.causes.filter(({ lastAt }) => now - lastAt > overMs);
  const causes = found.causes.filter(({ lastAt }) => now - lastAt <= overMs);
  const failures = over.reduce((left, cause) => left - cause.failures, found.failures);
  const own = new Map<string, number>();
  for (const { failures: count, example } of causes) {
    if (example.kind.startsWith(ownPrefix)) own.set(example.kind, (own.get(example.kind) ?? 0) + count);
  }
  const ownFailing = [...own]
    .map(([handler, count]) => ({ handler, failures: count }))
    .toSorted((left, right) => right.failures - left.failures);
  const targets = await targetsOf(storage, causes);
  const [greatest] = causes;
  if (greatest === undefined) return { ownFailing, targets, failing: undefined };
  const { handler, error, frames } = causeFacts(greatest.example.kind, greatest.example.error);
  return {
    ownFailing,
    targets,
    failing: { failures, ofCause: greatest.failures, handler, error, place: frames[0] },
  };
};

/** The queues that have moved of late. Counting reads the jobs of a minute, so only late ones are a reason to. */
const endedOf = async (
  storage: Pick<Ports["storage"], "queues">,
  queues: readonly QueueSummary[],
  now: number,
): Promise<HealthSnapshot["ended"]> => {
  if (!queues.some((one) => isLate(one, now))) return new Set();
  return new Set((await storage.queues.ended(now - lateMs)).map(({ queue }) => queue));
};

/** Ready jobs that run alone, if there are few enough to look at. */
const suspectsOf = async (
  { jobRecords }: Pick<Ports["storage"], "jobRecords">,
  queues: readonly QueueSummary[],
): Promise<HealthSnapshot["suspects"]> => {
  const ready = queues.reduce((sum, queue) => sum + queue.ready, 0);
  if (ready === 0 || ready > readyLookedAt) return [];
  const jobs = await jobRecords.list({ state: "ready", after: 0, limit: readyLookedAt });
  return jobs.filter(({ losses }) => losses >= suspectAfter);
};

/** Thrown by a transaction that only tries whether the database takes a write. */
class TakenBack extends Error {
  override readonly name = "TakenBack";
}

/** Why the database takes no write although it answers. The write that is tried is taken back. */
const unwritableOf = async (
  { transaction }: Pick<Ports["storage"], "transaction">,
  now: number,
): Promise<string | undefined> => {
  try {
    return await transaction(async ({ queues }) => {
      await queues.pause(`${ownPrefix}tried`, undefined, now);
      throw new TakenBack();
    });
  } catch (thrown) {
    if (thrown instanceof TakenBack) return undefined;
    if (!(thrown instanceof AppError)) throw thrown;
    return thrown.cause instanceof Error ? firstLineOf(thrown.cause.message) : thrown.message;
  }
};

/** Deletions that were too large to be done at once. Their job has a schedule of its own. */
const deletionsOf = async ({ storage }: Pick<Ports, "storage">): Promise<HealthSnapshot["deletions"]> => {
  // Counting the rows below them would take long, and one is enough to know.
  const { deletions: unfinished } = await storage.housekeeping.unfinishedDeletions(1);
  const states = unfinished === 0 ? [] : await storage.scheduleSlots.states();
  const isPaused = states.some(({ name, pausedAt }) => name === deletionsJob && pausedAt !== undefined);
  return { unfinished, isPaused };
};

/** Jobs that run or wait without being ready. */
const standingOf = async (
  { jobRecords, jobs }: Pick<Ports["storage"], "jobRecords" | "jobs">,
  handlers: HealthParts["handlers"],
): Promise<Pick<HealthSnapshot, "started" | "waiting">> => {
  const [running, [firstBlocked], blocked, scheduled, dueAt] = await Promise.all([
    jobRecords.list({ state: "running", after: 0, limit: startedLookedAt }),
    jobRecords.list({ state: "blocked", after: 0, limit: 1 }),
    jobRecords.count({ state: "blocked" }, healthCountedAtMost),
    jobRecords.count({ state: "scheduled" }, healthCountedAtMost),
    jobs.nextDueAt(),
  ]);
  const timeouts = new Map(handlers.map(({ name, timeoutMs }) => [name, timeoutMs]));
  return {
    started: running.map(({ id, kind, startedAt, createdAt }) => ({
      id,
      kind,
      at: startedAt ?? createdAt,
      timeoutMs: timeouts.get(kind) ?? defaultTimeoutMs,
    })),
    waiting: { blocked, oldestBlockedAt: firstBlocked?.createdAt, scheduled, dueAt },
  };
};

const plansOf = async ({ plans }: Pick<Ports["storage"], "plans">, now: number): Promise<HealthSnapshot["plans"]> => {
  const told: HealthSnapshot["plans"][number][] = [];
  for (const state of ["paused", "running"] as const) {
    for (const { id, progress, startedAt = now } of await plans.list({ state, limit: plansLookedAt })) {
      told.push({ id, state, nextAt: progress.nextAt ?? startedAt });
    }
  }
  return told;
};

/** The time of the oldest entry of the audit log without a seal. */
const unsealedSinceOf = async (
  { auditChain }: Pick<Ports["storage"], "auditChain">,
  now: number,
): Promise<number | undefined> => (await auditChain.oldestUnsealed(now - settleMs))?.at;

/**
 * Reads what is known now. Each read is bounded: counts stop at `healthCountedAtMost`, and of the last
 * hour there are a few rows a minute.
 */
const readSnapshot = async (parts: HealthParts): Promise<HealthSnapshot> => {
  const { ports, inbox, configured, schedules, retention, handlers } = parts;
  const { storage, clock } = ports;
  const now = clock.now();
  const dead = { state: "dead", current: true } as const;
  const [deliveries, queues, running, runners, kinds, newestDead, deadCount, quarantined, audit, freeBytes] =
    await Promise.all([
      storage.deliveryCounts.sums({ since: now - hourMs, limit: mostSums }),
      storage.queues.list(),
      storage.queues.running(),
      storage.runners.live(),
      storage.queues.readyKinds(),
      storage.jobRecords.list({ ...dead, limit: deadLookedAt }),
      storage.jobRecords.count(dead, healthCountedAtMost),
      inbox ? storage.events.count({ state: "quarantined" }, healthCountedAtMost) : 0,
      auditCheckOf(storage),
      storage.freeBytes(),
    ]);
  const alive = runners.filter(({ beatAt, isIdle }) => now - beatAt <= (isIdle ? idleMs : silentMs));
  const databaseNow = await storage.runners.databaseTime();
  const isCounted = !inbox || storedDeliveries(deliveries) > 0;
  const newest = isCounted ? [] : await storage.events.list({ limit: uncountedAtMost });
  return {
    now,
    deliveries,
    uncounted: newest.filter(({ receivedAt }) => receivedAt >= now - hourMs).length,
    keyChanges: await keyChangesOf(storage, deliveries, now),
    configured,
    queues,
    running,
    ended: await endedOf(storage, queues, now),
    runners: alive,
    ...(await standingOf(storage, handlers)),
    plans: inbox ? await plansOf(storage, now) : [],
    unsealedSince: await unsealedSinceOf(storage, now),
    clockSkewMs: databaseNow === undefined ? 0 : clock.now() - databaseNow,
    kinds,
    dead: newestDead,
    deadCount,
    ...(await failingOf(storage, now)),
    suspects: await suspectsOf(storage, queues),
    unwritable: await unwritableOf(storage, now),
    deletions: await deletionsOf(ports),
    quarantined,
    lateSchedules: await lateSchedulesOf(ports, schedules, { now, hasWorker: alive.length > 0 }),
    overdue: (await readDueRows(ports, retention, retentionLateMs)).filter(({ rows }) => rows > 0),
    auditFindings: findingsOf(audit),
    freeBytes,
  };
};

/**
 * Says whether work flows, and what holds it.
 * @throws AppError `unavailable` while the storage cannot be read.
 */
export const readHealth = async (parts: HealthParts): Promise<Health> => judgeHealth(await readSnapshot(parts));
