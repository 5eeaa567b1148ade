import type { HealthFact, HealthSnapshot } from "./health.ts";
import { healthCountedAtMost } from "./health.ts";
import { pageOfJobs } from "./pages.ts";
import { countOf, inDigits, shortSpanOf, spanOf } from "./words.ts";

const minuteMs = 60_000;
/** Work that should have gone on for longer than this stands still. */
const lateMs = minuteMs;
/** A handler that was told to stop keeps its slot for ten seconds, and its end may be tried again. */
const overTimeMs = minuteMs;
/** Entries of the audit log are sealed once a minute. */
const sealedWithinMs = 10 * minuteMs;
const planStepMs = 10 * minuteMs;
/** A clock that is wrong by more than this is told. */
const largestSkewMs = 5_000;

type Told = readonly [kind: string, text: string, mend: string, page: string];

const stopped = (...[kind, text, mend, page]: Told): HealthFact => ({ kind, level: "stopped", text, mend, page });
const attention = (...[kind, text, mend, page]: Told): HealthFact => ({ kind, level: "attention", text, mend, page });

const counted = (count: number, what: string): string =>
  count >= healthCountedAtMost ? `${inDigits(healthCountedAtMost)} ${what}s or more` : countOf(count, what);

/** Jobs that run by their rows, and that nobody can be running. */
const strandedFacts = ({ started, runners, running, now }: HealthSnapshot): readonly HealthFact[] => {
  const count = running.reduce((sum, one) => sum + one.running, 0);
  if (count > 0 && runners.length === 0) {
    const text = `Jobs wait: ${countOf(count, "job")} ran when the last worker ended, and no worker runs.`;
    return [stopped("no_worker", text, "postern worker", "/queues")];
  }
  const stranded = started.filter(({ at, timeoutMs }) => now - at > timeoutMs + overTimeMs);
  const [oldest] = stranded.toSorted((left, right) => left.at - right.at);
  if (oldest === undefined) return [];
  const many = stranded.length === 1 ? "" : ` It is one of ${inDigits(stranded.length)}.`;
  const text = `Job ${oldest.id} of \`${oldest.kind}\` began ${spanOf(now - oldest.at)} ago, and may take ${spanOf(oldest.timeoutMs)}: nobody runs it.${many}`;
  return [stopped("stranded", text, "restart the workers: postern worker", `/jobs/${oldest.id}`)];
};

/** Jobs that wait behind others of their order key, and jobs whose time has come. */
const waitingFacts = ({ waiting, runners, now }: HealthSnapshot): readonly HealthFact[] => {
  const { blocked, oldestBlockedAt = now, dueAt = now } = waiting;
  const why = runners.length === 0 ? ", and no worker runs" : "";
  const facts: HealthFact[] = [];
  if (now - dueAt > lateMs) {
    const text = `Jobs wait: the time of one came ${spanOf(now - dueAt)} ago${why || ", and no worker has taken it up"}.`;
    const mend = runners.length === 0 ? "postern worker" : "postern doctor";
    facts.push(stopped("due", text, mend, "/jobs?state=scheduled"));
  }
  if (blocked > 0 && now - oldestBlockedAt > lateMs) {
    const text = `Jobs wait: ${counted(blocked, "job")} ${blocked === 1 ? "stands" : "stand"} behind others of the same order key${why}; the oldest waits ${shortSpanOf(now - oldestBlockedAt)}.`;
    const fact = runners.length === 0 ? stopped : attention;
    facts.push(fact("order_key_waits", text, "postern jobs list --state blocked", "/jobs?state=blocked"));
  }
  return facts;
};

const planFacts = ({ plans, now }: HealthSnapshot): readonly HealthFact[] =>
  plans.flatMap(({ id, state, nextAt }) => {
    if (state === "paused")
      return [attention("plan_paused", `The plan ${id} is paused.`, `postern plans resume ${id}`, `/plans/${id}`)];
    if (now - nextAt <= planStepMs) return [];
    const text = `The plan ${id} should have gone on ${spanOf(now - nextAt)} ago.`;
    return [attention("plan_stands", text, "postern jobs list --handler postern.run-plan", `/plans/${id}`)];
  });

const sealFacts = ({ unsealedSince, now }: HealthSnapshot): readonly HealthFact[] => {
  if (unsealedSince === undefined || now - unsealedSince <= sealedWithinMs) return [];
  const text = `Entries of the audit log have not been sealed for ${spanOf(now - unsealedSince)}.`;
  const handler = "postern.seal-audit-log";
  return [attention("audit_unsealed", text, `postern jobs list --handler ${handler}`, pageOfJobs({ handler }))];
};

const clockFacts = ({ clockSkewMs }: HealthSnapshot): readonly HealthFact[] => {
  if (Math.abs(clockSkewMs) <= largestSkewMs) return [];
  const text = `The clock of this process is ${spanOf(Math.abs(clockSkewMs))} ${clockSkewMs > 0 ? "ahead of" : "behind"} that of the database.`;
  return [attention("clock_skew", text, "set both by the same time server", "/queues")];
};

/** Work that stands still without waiting in a queue. */
export const standingFacts = (snapshot: HealthSnapshot): readonly HealthFact[] => [
  ...strandedFacts(snapshot),
  ...waitingFacts(snapshot),
  ...planFacts(snapshot),
  ...sealFacts(snapshot),
  ...clockFacts(snapshot),
];

/** What waits or failed although all is well: the end of the sentence; empty if there is nothing. */
export const stillToCome = ({ waiting, failing, deliveries }: HealthSnapshot): string => {
  const { blocked, scheduled } = waiting;
  const ignored = deliveries.reduce((sum, { result, deliveries: n }) => sum + (result === "ignored" ? n : 0), 0);
  const parts = [
    ...(ignored === 0 ? [] : [`${inDigits(ignored)} of them ${ignored === 1 ? "was" : "were"} ignored`]),
    ...(failing === undefined ? [] : [`${countOf(failing.failures, "attempt")} of jobs failed in the last hour`]),
    ...(scheduled === 0
      ? []
      : [`${counted(scheduled, "job")} ${scheduled === 1 ? "waits" : "wait"} for the next time`]),
    ...(blocked === 0 ? [] : [`${counted(blocked, "job")} ${blocked === 1 ? "stands" : "stand"} behind others`]),
  ];
  return parts.join(", and ");
};
