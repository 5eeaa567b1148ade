import type { QueueLimits, QueueSummary } from "@postern/core/ports";
import { kindsWithoutHandler } from "@postern/jobs/internal";
import type { HealthFact, HealthSnapshot } from "./health.ts";
import { pageOfJobs } from "./pages.ts";
import { countOf, inDigits, shortSpanOf, spanOf } from "./words.ts";

const minuteMs = 60_000;
/** A job that is ready for longer is late. */
export const lateMs = minuteMs;
const longestRunMs = 60 * minuteMs;

const waits = ({ oldestReadyAt }: QueueSummary, now: number): string =>
  `the oldest waits ${shortSpanOf(now - (oldestReadyAt ?? now))}`;

export const isLate = ({ ready, oldestReadyAt }: QueueSummary, now: number): boolean =>
  ready > 0 && oldestReadyAt !== undefined && now - oldestReadyAt > lateMs;

const readyIn = (queues: readonly QueueSummary[]): number => queues.reduce((sum, { ready }) => sum + ready, 0);

const runningIn = ({ running }: HealthSnapshot, queue: string): number =>
  running.find((one) => one.queue === queue)?.running ?? 0;

/** A queue that is held back, and still moves, needs a look. One that does not move has stopped. */
const held = (
  kind: string,
  text: string,
  mend: string,
  { page, hasMoved }: { page: string; hasMoved: boolean },
): HealthFact => ({
  kind,
  level: hasMoved ? "attention" : "stopped",
  text,
  mend,
  page,
});

/** Whether a job of this queue, or of any, began or ended in the last minute. */
const moves = ({ running, ended, now }: HealthSnapshot, queue?: string): boolean =>
  (queue === undefined ? ended.size > 0 : ended.has(queue)) ||
  running.some((one) => (queue === undefined || one.queue === queue) && now - one.newestStartedAt <= lateMs);

const stopped = (...[kind, text, mend, page]: readonly [string, string, string, string]): HealthFact => ({
  kind,
  level: "stopped",
  text,
  mend,
  page,
});

/** The limits that the runners have for a queue, and their slots; `undefined` if one did not tell. */
const limitsFor = ({ runners }: HealthSnapshot, queue: string) => {
  const limits: (QueueLimits & { readonly atOnce: number })[] = [];
  for (const { limits: told } of runners) {
    if (told === undefined) return undefined;
    const own = told.queues[queue];
    if (own !== undefined) limits.push({ ...own, atOnce: told.concurrency });
  }
  return limits;
};

const limitMend = (queue: string): string =>
  `raise its limit in the configuration (queues: { "${queue}": … }), or see what runs: postern jobs list --queue ${queue} --state running`;

/** The number that holds a queue back, if one of its limits does. */
const limitHit = (limits: readonly (QueueLimits & { readonly atOnce: number })[], running: number) => {
  const globals = limits.flatMap(({ globalConcurrency }) => globalConcurrency ?? []);
  const global = globals.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...globals);
  const isLimited = limits.some(({ concurrency }) => concurrency !== undefined);
  const local = limits.reduce((sum, { concurrency, atOnce }) => sum + Math.min(concurrency ?? atOnce, atOnce), 0);
  if (running >= global) return global;
  return isLimited && running >= local ? local : undefined;
};

/** Why the jobs of a queue are late. */
const lateFact = (queue: QueueSummary, snapshot: HealthSnapshot): HealthFact => {
  const { now, runners } = snapshot;
  const { name, ready } = queue;
  const running = runningIn(snapshot, name);
  const limits = limitsFor(snapshot, name);
  const page = "/queues";
  if (limits?.length === 0) {
    const text = `Jobs wait: no running worker works the queue \`${name}\`; ${waits(queue, now)}.`;
    return stopped("queue_unserved", text, "start a worker whose configuration names the queue: postern worker", page);
  }
  const limit = limits === undefined ? undefined : limitHit(limits, running);
  if (limit !== undefined) {
    const hasMoved = moves(snapshot, name);
    const text = `Jobs wait: the queue \`${name}\` is held by its limit of ${inDigits(limit)}${hasMoved ? ", and moves" : ""}; ${waits(queue, now)}.`;
    return held("queue_limited", text, limitMend(name), {
      page: pageOfJobs({ queue: name, state: "running" }),
      hasMoved,
    });
  }
  const suspects = snapshot.suspects.filter(({ queue: its }) => its === name);
  const [suspect] = suspects;
  if (suspect !== undefined && suspects.length >= ready) {
    const text = `Jobs wait: its worker ended ${inDigits(suspect.losses)} times while job ${suspect.id} of \`${suspect.kind}\` ran, so it runs alone, once nothing else runs; ${waits(queue, now)}.`;
    return held("suspect_waits", text, `postern jobs show ${suspect.id}`, {
      page: `/jobs/${suspect.id}`,
      hasMoved: true,
    });
  }
  const most = runners.reduce((sum, { limits: told }) => sum + (told?.concurrency ?? Number.POSITIVE_INFINITY), 0);
  const busy = snapshot.running.reduce((sum, one) => sum + one.running, 0);
  if (busy >= most) {
    const all = most === 1 ? "the only slot is busy" : `all ${inDigits(most)} slots are busy`;
    const text = `Jobs wait: ${all}, and ${inDigits(ready)} wait in the queue \`${name}\`; ${waits(queue, now)}.`;
    const mend = "start another worker with postern worker, or raise POSTERN_JOBS";
    return held("slots_busy", text, mend, { page: "/jobs?state=running", hasMoved: moves(snapshot) });
  }
  const rate = limits?.find(({ perSecond }) => perSecond !== undefined)?.perSecond;
  if (rate !== undefined) {
    const text = `Jobs wait: the queue \`${name}\` is held by its rate of ${rate} a second; ${waits(queue, now)}.`;
    return held("queue_rated", text, limitMend(name), { page, hasMoved: true });
  }
  if (moves(snapshot, name)) {
    // Jobs shorter than a look: between two of them a slot, or the limit, is free.
    const text = `Jobs wait: ${inDigits(ready)} in the queue \`${name}\`, which moves; ${waits(queue, now)}.`;
    return held("queue_behind", text, "start another worker with postern worker, or wait", { page, hasMoved: true });
  }
  const text = `Jobs wait: ${inDigits(ready)} in the queue \`${name}\` although slots are free; ${waits(queue, now)}.`;
  return stopped("queue_slow", text, "postern doctor", page);
};

const pausedFact = (queue: QueueSummary, now: number): HealthFact => {
  const { name, ready, note } = queue;
  const mend = `postern queues resume ${name}`;
  const page = "/queues";
  const why = note === undefined ? "" : ` (“${note}”)`;
  return ready === 0
    ? { kind: "queue_paused", level: "attention", text: `The queue \`${name}\` is paused${why}.`, mend, page }
    : stopped("queue_paused", `Jobs wait: the queue \`${name}\` is paused${why}; ${waits(queue, now)}.`, mend, page);
};

const unhandledFacts = (snapshot: HealthSnapshot): readonly HealthFact[] => {
  const { kinds, runners } = snapshot;
  const unhandled = runners.length === 0 ? [] : kindsWithoutHandler(kinds, runners);
  return unhandled.map(({ kind, ready }) =>
    stopped(
      "no_handler",
      `Jobs wait: no running worker has the handler \`${kind}\`, and ${countOf(ready, "job")} ${ready === 1 ? "needs" : "need"} it.`,
      `start a worker that has it, or see the jobs: postern jobs list --handler ${kind} --state ready`,
      pageOfJobs({ handler: kind, state: "ready" }),
    ),
  );
};

/** Whether jobs start, and what holds those that wait. */
export const queueFacts = (snapshot: HealthSnapshot): readonly HealthFact[] => {
  const { now, queues, runners, running, kinds } = snapshot;
  const open = queues.filter(({ paused }) => !paused);
  const late = open.filter((queue) => isLate(queue, now));
  const ready = readyIn(open);
  const facts: HealthFact[] = [];
  if (runners.length === 0) {
    const [oldest] = late.toSorted((left, right) => (left.oldestReadyAt ?? now) - (right.oldestReadyAt ?? now));
    if (oldest !== undefined) {
      const text = `Jobs wait: ${countOf(ready, "job")} ${ready === 1 ? "is" : "are"} ready, and no worker runs; ${waits(oldest, now)}.`;
      facts.push(stopped("no_worker", text, "postern worker", "/queues"));
    }
  } else {
    facts.push(...unhandledFacts(snapshot));
    const unhandled = kindsWithoutHandler(kinds, runners).reduce((sum, kind) => sum + kind.ready, 0);
    if (unhandled < readyIn(queues)) facts.push(...late.map((queue) => lateFact(queue, snapshot)));
  }
  facts.push(...queues.filter(({ paused }) => paused).map((queue) => pausedFact(queue, now)));
  for (const { queue, oldestStartedAt } of running) {
    if (now - oldestStartedAt <= longestRunMs) continue;
    facts.push({
      kind: "long_run",
      level: "attention",
      text: `A job of the queue \`${queue}\` has been running for ${spanOf(now - oldestStartedAt)}.`,
      mend: `postern jobs list --queue ${queue} --state running`,
      page: pageOfJobs({ queue, state: "running" }),
    });
  }
  const busy = running.reduce((sum, one) => sum + one.running, 0);
  const workers = runners.length === 0 ? "No worker runs." : `${countOf(runners.length, "worker")} alive`;
  const { blocked, scheduled } = snapshot.waiting;
  const waiting =
    readyIn(queues) + blocked + scheduled === 0
      ? "Nothing waits."
      : `${countOf(readyIn(queues), "job")} ready to run, ${inDigits(blocked)} behind others of their order keys, ${inDigits(scheduled)} for their time.`;
  return [
    ...facts,
    { kind: "waiting", level: "ok", text: waiting, page: "/queues" },
    {
      kind: "workers",
      level: "ok",
      text: runners.length === 0 ? workers : `${workers}, ${countOf(busy, "job")} running.`,
      page: "/queues",
    },
  ];
};
