import type { AbortSignalLike } from "@postern/core";
import type { PlanPreview, PlanProgress, SkippedEvents, StoredPlan } from "@postern/core/ports";
import { eventSubject } from "./event-subject.ts";
import { jobSubject } from "./job-subject.ts";
import type { PlanRequest, PlanSubject } from "./plan-subject.ts";
import type { ReplayParts } from "./replay-event.ts";

/** A preview looks at so many events at most, and for so long. */
export const mostEventsPreviewed = 10_000;
const previewMs = 2_000;

/** A plan goes on in steps of a second, and works at most this long in one. */
const stepMs = 1_000;

/** A plan that was late catches up on at most this long. */
const mostLateMs = 2_000;

const longestReason = 200;
const mostReasons = 20;
const mostHandlers = 100;

/** Methods take any of what they have chosen themselves. */
const subjectOf = (parts: ReplayParts, request: PlanRequest): PlanSubject<unknown> =>
  request.jobs === undefined ? eventSubject(parts, request) : jobSubject(parts.ports, request);

const cut = (reason: string): string =>
  reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason;

const otherReasons = "other reasons";

/** Adds one to those that were skipped. Beyond so many reasons, the rest count as one. */
const skip = (skipped: Map<string, number>, reason: string): void => {
  const short = cut(reason);
  const isKept = skipped.has(short) || skipped.size < mostReasons - 1;
  const name = isKept ? short : otherReasons;
  skipped.set(name, (skipped.get(name) ?? 0) + 1);
};

const inOrder = (skipped: ReadonlyMap<string, number>): readonly SkippedEvents[] =>
  [...skipped].map(([reason, events]) => ({ reason, events })).toSorted((a, b) => b.events - a.events);

/**
 * Says what a plan would do, and does nothing of it. It ends after 10,000 events or jobs, or 2 seconds,
 * and says whether it came to the end.
 */
export const previewPlan = async (parts: ReplayParts, request: PlanRequest): Promise<PlanPreview> => {
  const { clock } = parts.ports;
  const subject = subjectOf(parts, request);
  const end = clock.monotonic() + previewMs;
  const skipped = new Map<string, number>();
  const handlers = new Map<string, number>();
  const keys = new Set<string>();
  let [looked, matched, done, waiting, after] = [0, 0, 0, 0, 0];
  let isComplete = false;
  do {
    const batch = await subject.next(after);
    const verdicts = await subject.judge([...batch.selected]);
    for (const verdict of verdicts.values()) {
      if (verdict.kind === "skip") skip(skipped, verdict.reason);
      if (verdict.kind === "fail") skip(skipped, "an error, which is in the log");
      if (verdict.kind !== "do") continue;
      done += 1;
      for (const { kind, orderKey } of await verdict.made()) {
        handlers.set(kind, (handlers.get(kind) ?? 0) + 1);
        if (orderKey === undefined || !subject.makesJobs) continue;
        if (keys.has(orderKey)) waiting += 1;
        keys.add(orderKey);
      }
    }
    looked += batch.looked.length;
    matched += batch.selected.size;
    after = batch.looked.at(-1) ?? after;
    isComplete = batch.isLast;
  } while (!isComplete && looked < mostEventsPreviewed && clock.monotonic() < end);
  const byJobs = [...handlers].map(([handler, jobs]) => ({ handler, jobs })).toSorted((a, b) => b.jobs - a.jobs);
  return {
    looked,
    isComplete,
    matched,
    done,
    handlers: byJobs.slice(0, mostHandlers),
    waiting,
    skipped: inOrder(skipped),
  };
};

/** How many events or jobs may begin now, at the plan's rate. */
const allowedAt = ({ perSecond, progress: { nextAt } }: StoredPlan, now: number): number => {
  const late = Math.min(now - (nextAt ?? now), mostLateMs);
  return late < 0 ? 0 : Math.floor((late * perSecond) / 1000) + 1;
};

/** The place of a run: which plan, and which of its runs. */
export interface PlanRun {
  readonly planId: string;
  /** `StoredPlan.runs` when the run began. */
  readonly run: number;
}

/** The plan, if this is still its run. */
const ofRun = (plan: StoredPlan | undefined, { run }: PlanRun): StoredPlan | undefined =>
  plan?.state === "running" && plan.runs === run ? plan : undefined;

/**
 * Does what a running plan may do now at its rate, and returns in how many milliseconds to call
 * again; `undefined` when there is nothing more to do: it is done, or it was paused or cancelled.
 *
 * Events and jobs come oldest first, so the jobs of an order key are made, and run, in the order in
 * which the events came. Each batch and the place up to which the plan has come are one
 * transaction, which holds the plan. So each has its turn once, however often this is called,
 * by however many processes, wherever they are killed.
 * @throws AppError `unavailable`.
 */
export const stepPlan = async (
  parts: ReplayParts,
  run: PlanRun,
  signal: Pick<AbortSignalLike, "aborted">,
): Promise<number | undefined> => {
  const { storage, clock, wakeup } = parts.ports;
  const began = clock.monotonic();
  const elapsed = () => clock.monotonic() - began;
  let plan = ofRun(await storage.plans.find(run.planId), run);
  // The pace is a matter of times that other processes go on from, so they are the database's.
  const now = (await storage.runners.databaseTime()) ?? clock.now();
  let allowed = plan === undefined ? 0 : allowedAt(plan, now);
  while (plan !== undefined && allowed > 0 && elapsed() < stepMs && !signal.aborted) {
    const before: StoredPlan = plan;
    const after = await doBatch(parts, { run, plan: before, allowed, now });
    plan = after;
    if (after === undefined) break;
    allowed -= after.progress.done - before.progress.done;
    if (after.state === "done") {
      plan = undefined;
      parts.ports.telemetry.log("info", "a plan has come to its end", { plan: run.planId, ...totalsOf(after) });
    }
    wakeup.notify();
  }
  if (plan === undefined) return undefined;
  const { nextAt = now } = plan.progress;
  return Math.max(nextAt - now, stepMs) - Math.min(Math.round(elapsed()), stepMs);
};

const totalsOf = ({ progress: { done, jobs, failed, skipped } }: StoredPlan) => ({
  done,
  jobs,
  failed,
  skipped: skipped.reduce((sum, { events }) => sum + events, 0),
});

interface Step {
  readonly run: PlanRun;
  /** As it was when the batch was read. */
  readonly plan: StoredPlan;
  /** How many events may begin. */
  readonly allowed: number;
  readonly now: number;
}

/** Does one batch of a plan. Returns the plan afterwards; `undefined` if this run is over. */
const doBatch = async (parts: ReplayParts, { run, plan, allowed, now }: Step): Promise<StoredPlan | undefined> => {
  const { storage, clock, telemetry } = parts.ports;
  const subject = subjectOf(parts, plan);
  const batch = await subject.next(plan.progress.after);
  const verdicts = await subject.judge([...batch.selected]);
  const chosen: unknown[] = [];
  const reasons: string[] = [];
  let failed = 0;
  let looked = 0;
  for (const id of batch.looked) {
    const verdict = verdicts.get(id);
    if (verdict?.kind === "do") {
      if (chosen.length === allowed) break;
      chosen.push(verdict.chosen);
    }
    if (verdict?.kind === "skip") reasons.push(verdict.reason);
    if (verdict?.kind === "fail") failed += 1;
    looked += 1;
  }
  const isEnd = batch.isLast && looked === batch.looked.length;

  const changed = await storage.transaction(async (stores) => {
    const { plans } = stores;
    const held = ofRun(await plans.hold(plan.id), run);
    // Another process has done this batch.
    if (held === undefined || held.progress.after !== plan.progress.after)
      return { plan: held, done: 0, skipped: 0, failed: 0 };
    const made = await subject.act(stores, chosen, clock.now());
    const done = made.filter((jobs) => jobs > 0).length;
    const skipped = new Map(held.progress.skipped.map(({ reason, events: count }) => [reason, count]));
    for (const reason of reasons) skip(skipped, reason);
    const late = made.length - done;
    for (let n = 0; n < late; n += 1) skip(skipped, subject.whyLate);
    const progress: PlanProgress = {
      after: batch.looked[looked - 1] ?? held.progress.after,
      looked: held.progress.looked + looked,
      done: held.progress.done + done,
      jobs: held.progress.jobs + (subject.makesJobs ? made.reduce((sum, jobs) => sum + jobs, 0) : 0),
      failed: held.progress.failed + failed,
      skipped: inOrder(skipped),
      nextAt: Math.max(held.progress.nextAt ?? now, now - mostLateMs) + (done * 1000) / plan.perSecond,
    };
    const next: StoredPlan = isEnd ? { ...held, progress, state: "done", endedAt: clock.now() } : { ...held, progress };
    await plans.save(next);
    return { plan: next, done, skipped: reasons.length + late, failed };
  });
  const { action } = plan;
  if (changed.done > 0) telemetry.count("plan_events", { action, outcome: "done" }, changed.done);
  if (changed.skipped > 0) telemetry.count("plan_events", { action, outcome: "skipped" }, changed.skipped);
  if (changed.failed > 0) telemetry.count("plan_events", { action, outcome: "failed" }, changed.failed);
  return changed.plan;
};
