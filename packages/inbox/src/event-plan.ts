import type { AbortSignalLike, NewJob } from "@postern/core";
import { endedStates, eventActions, givenUpStates, includesState, utf8Encode } from "@postern/core/internal";
import type {
  EventSummary,
  EventToReplay,
  PlanPreview,
  PlanProgress,
  SkippedEvents,
  StoredEvent,
  StoredPlan,
} from "@postern/core/ports";
import { judgeReplay, nothingMade, type ReplayParts, whyNotDiscarded } from "./replay-event.ts";

/** What a plan is about: which events, and what becomes of them. */
type PlanRequest = Pick<StoredPlan, "action" | "filter" | "text" | "force" | "reason">;

/** A preview looks at so many events at most, and for so long. */
export const mostEventsPreviewed = 10_000;
const previewMs = 2_000;

/** How many events with their bodies are in memory at once, and in one transaction. */
const batchSize = 50;

/** One statement that looks for a text looks at as many bytes of bodies, or at one body. */
const mostBytes = 16 * 1024 * 1024;

/** A plan goes on in steps of a second, and works at most this long in one. */
const stepMs = 1_000;

/** A plan that was late catches up on at most this long. */
const mostLateMs = 2_000;

const longestReason = 200;
const mostReasons = 20;
const mostHandlers = 100;

/** What one look at the next events found. */
interface Batch {
  /** The events that were looked at, oldest first; those that the text selects among them. */
  readonly looked: readonly EventSummary[];
  readonly selected: ReadonlySet<number>;
  /** Whether there are no further events. */
  readonly isLast: boolean;
}

/** The next events that fit the filter, and which of them contain the text. */
const nextBatch = async (
  { storage: { events } }: ReplayParts["ports"],
  { filter, text }: Pick<PlanRequest, "filter" | "text">,
  after: number,
): Promise<Batch> => {
  const listed = await events.list({ ...filter, after, limit: batchSize + 1 });
  const page = listed.slice(0, batchSize);
  const isLast = listed.length <= batchSize;
  if (text === undefined) return { looked: page, selected: new Set(page.map(({ id }) => id)), isLast };
  const kept = page.filter(({ bodyKept }) => bodyKept).map(({ id }) => id);
  if (kept.length === 0) return { looked: page, selected: new Set(), isLast };
  const { looked, holding } = await events.searchBodies(kept, { part: utf8Encode(text), mostBytes });
  const unseen = kept[looked];
  const seen =
    unseen === undefined
      ? page
      : page.slice(
          0,
          page.findIndex(({ id }) => id === unseen),
        );
  return { looked: seen, selected: new Set(holding), isLast: isLast && seen.length === page.length };
};

/** What is to become of one event. */
type Verdict =
  | ({ readonly kind: "do" } & Omit<EventToReplay, "id" | "dueAt">)
  | { readonly kind: "skip"; readonly reason: string }
  /** To decide it failed: its sender cannot be used, or a schema of the application threw. */
  | { readonly kind: "fail" };

const judge = async (
  parts: ReplayParts,
  { action, force, reason }: PlanRequest,
  event: StoredEvent,
): Promise<Verdict> => {
  if (action === "discard") {
    return includesState(eventActions.discard, event.state)
      ? { kind: "do", extraJobs: [] }
      : { kind: "skip", reason: whyNotDiscarded(event) };
  }
  try {
    const found = await judgeReplay(parts, event, force, reason === undefined ? undefined : { reason });
    return "refusal" in found ? { kind: "skip", reason: found.refusal } : { kind: "do", ...found };
  } catch (thrown) {
    // One event, or one sender whose keys cannot be opened, must not hold up the others. If it is the
    // storage that is away, the batch is not stored, and comes again.
    const fields = { event: event.id, provider: event.provider };
    parts.ports.telemetry.log("error", "a plan cannot tell what to do with an event", fields, thrown);
    return { kind: "fail" };
  }
};

/** What is to become of some events, by their ids. An event that is gone is skipped. */
const judgeAll = async (
  parts: ReplayParts,
  request: PlanRequest,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Verdict>> => {
  const loaded = await parts.ports.storage.events.load(ids);
  const found = new Map(loaded.map((event) => [event.id, event]));
  const verdicts = new Map<number, Verdict>();
  for (const id of ids) {
    const event = found.get(id);
    verdicts.set(id, event === undefined ? { kind: "skip", reason: "it is gone" } : await judge(parts, request, event));
  }
  return verdicts;
};

const cut = (reason: string): string =>
  reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason;

const otherReasons = "other reasons";

/** Adds one event to those that were skipped. Beyond so many reasons, the rest count as one. */
const skip = (skipped: Map<string, number>, reason: string): void => {
  const short = cut(reason);
  const isKept = skipped.has(short) || skipped.size < mostReasons - 1;
  const name = isKept ? short : otherReasons;
  skipped.set(name, (skipped.get(name) ?? 0) + 1);
};

const inOrder = (skipped: ReadonlyMap<string, number>): readonly SkippedEvents[] =>
  [...skipped].map(([reason, events]) => ({ reason, events })).toSorted((a, b) => b.events - a.events);

/** The jobs that a replay makes for an event. */
const jobsOfReplay = async (
  { storage: { jobRecords } }: ReplayParts["ports"],
  id: number,
  extraJobs: readonly NewJob[],
  force: boolean,
): Promise<readonly { readonly kind: string; readonly orderKey: string | undefined }[]> => {
  const current = await jobRecords.list({ eventId: id, current: true, limit: mostHandlers });
  const states = force ? endedStates : givenUpStates;
  const again = current.filter(({ state }) => states.includes(state));
  const added = extraJobs.filter(({ kind }) => !current.some((job) => job.kind === kind));
  return [...again, ...added].map(({ kind, orderKey }) => ({ kind, orderKey }));
};

/**
 * Says what a plan would do, and does nothing of it. It ends after 10,000 events or 2 seconds, and
 * says whether it came to the end.
 */
export const previewPlan = async (parts: ReplayParts, request: PlanRequest): Promise<PlanPreview> => {
  const { clock } = parts.ports;
  const end = clock.monotonic() + previewMs;
  const skipped = new Map<string, number>();
  const handlers = new Map<string, number>();
  const keys = new Set<string>();
  let [looked, matched, done, waiting, after] = [0, 0, 0, 0, 0];
  let isComplete = false;
  do {
    const batch = await nextBatch(parts.ports, request, after);
    const verdicts = await judgeAll(parts, request, [...batch.selected]);
    for (const [id, verdict] of verdicts) {
      if (verdict.kind === "skip") skip(skipped, verdict.reason);
      if (verdict.kind === "fail") skip(skipped, "an error, which is in the log");
      if (verdict.kind !== "do") continue;
      done += 1;
      if (request.action === "discard") continue;
      for (const { kind, orderKey } of await jobsOfReplay(parts.ports, id, verdict.extraJobs, request.force)) {
        handlers.set(kind, (handlers.get(kind) ?? 0) + 1);
        if (orderKey === undefined) continue;
        if (keys.has(orderKey)) waiting += 1;
        keys.add(orderKey);
      }
    }
    looked += batch.looked.length;
    matched += batch.selected.size;
    after = batch.looked.at(-1)?.id ?? after;
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

/** How many events may begin now, at the plan's rate. */
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
 * Events come oldest first, so the jobs of an order key are made, and run, in the order in which
 * the events came. Each batch of events and the place up to which the plan has come are one
 * transaction, which holds the plan. So each event has its turn once, however often this is called,
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
  const batch = await nextBatch(parts.ports, plan, plan.progress.after);
  const verdicts = await judgeAll(parts, plan, [...batch.selected]);
  const chosen: EventToReplay[] = [];
  const reasons: string[] = [];
  let failed = 0;
  let looked = 0;
  for (const { id } of batch.looked) {
    const verdict = verdicts.get(id);
    if (verdict?.kind === "do") {
      if (chosen.length === allowed) break;
      const { kind: _kind, ...found } = verdict;
      chosen.push({ id, ...found });
    }
    if (verdict?.kind === "skip") reasons.push(verdict.reason);
    if (verdict?.kind === "fail") failed += 1;
    looked += 1;
  }
  const isEnd = batch.isLast && looked === batch.looked.length;

  const changed = await storage.transaction(async ({ plans, events }) => {
    const held = ofRun(await plans.hold(plan.id), run);
    // Another process has done this batch.
    if (held === undefined || held.progress.after !== plan.progress.after)
      return { plan: held, done: 0, skipped: 0, failed: 0 };
    const made =
      plan.action === "replay"
        ? await events.replay(chosen, { includeDone: plan.force, now: clock.now() })
        : await discarding(events, chosen, plan, clock.now());
    const done = made.filter((jobs) => jobs > 0).length;
    const skipped = new Map(held.progress.skipped.map(({ reason, events: count }) => [reason, count]));
    for (const reason of reasons) skip(skipped, reason);
    const late = made.length - done;
    for (let n = 0; n < late; n += 1) skip(skipped, plan.action === "replay" ? nothingMade : changedMeanwhile);
    const progress: PlanProgress = {
      after: batch.looked[looked - 1]?.id ?? held.progress.after,
      looked: held.progress.looked + looked,
      done: held.progress.done + done,
      jobs: held.progress.jobs + (plan.action === "replay" ? made.reduce((sum, jobs) => sum + jobs, 0) : 0),
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

const changedMeanwhile = "it changed at the same moment";

/** Discards events. Returns 1 for each that was discarded, and 0 for each other. */
const discarding = async (
  events: Pick<ReplayParts["ports"]["storage"]["events"], "discard">,
  chosen: readonly { readonly id: number }[],
  { reason = "" }: StoredPlan,
  now: number,
): Promise<readonly number[]> => {
  const ids = chosen.map(({ id }) => id);
  return (await events.discard(ids, { reason, now })).map((isDone) => (isDone ? 1 : 0));
};
