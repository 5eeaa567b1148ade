import { type DueRows, dueCountedAtMost } from "../maintenance/due-rows.ts";
import { deletionsJob } from "../maintenance/maintenance.ts";
import { deliveryFacts, storedDeliveries } from "./delivery-facts.ts";
import {
  type Health,
  type HealthFact,
  type HealthLevel,
  type HealthSnapshot,
  healthCountedAtMost,
  leastFreeBytes,
  uncountedAtMost,
} from "./health.ts";
import { pageOfJobs } from "./pages.ts";
import { queueFacts } from "./queue-facts.ts";
import { standingFacts, stillToCome } from "./standing-facts.ts";
import { countOf, inDigits, spanOf } from "./words.ts";

/** What stands still while Postern's own work fails. */
const ownWork: Readonly<Partial<Record<string, string>>> = {
  "postern.alert": "Alerts do not arrive",
  "postern.account-mail": "Mails are not sent",
  [deletionsJob]: "Deletions do not go on",
  "postern.prune": "Retention does not go on",
  "postern.seal-audit-log": "The audit log is not sealed",
};
/** One failure may be a chance; then the next try mends it. */
const fewestOwnFailures = 2;

const attention = (kind: string, text: string, mend: string, page: string): HealthFact => ({
  kind,
  level: "attention",
  text,
  mend,
  page,
});

const counted = (count: number, what: string): string =>
  count >= healthCountedAtMost ? `${inDigits(healthCountedAtMost)} ${what}s or more` : countOf(count, what);

const diskFacts = ({ freeBytes }: HealthSnapshot): readonly HealthFact[] => {
  if (freeBytes === undefined || freeBytes >= leastFreeBytes) return [];
  const free = `${inDigits(Math.floor(freeBytes / 1024 / 1024))} MiB`;
  const text = `The disk of the database is nearly full: ${free} are free, and without room every webhook is refused.`;
  const mend = "make room on that disk; postern doctor shows how much is free";
  return [{ kind: "disk_full", level: "stopped", text, mend, page: "/settings" }];
};

/** More dead jobs than this are looked at by their causes. */
const fewDead = 10;

const deadFacts = ({ dead, deadCount, now }: HealthSnapshot): readonly HealthFact[] => {
  const facts: HealthFact[] = [];
  const [holding] = dead.filter(({ holdsTurn }) => holdsTurn);
  if (holding !== undefined) {
    const text = `Jobs wait: the dead job ${holding.id} of \`${holding.kind}\` holds its order key.`;
    const mend = `postern jobs retry ${holding.id}, or give it up with postern jobs cancel ${holding.id}`;
    facts.push({ kind: "order_key_held", level: "stopped", text, mend, page: `/jobs/${holding.id}` });
  }
  const [newest] = dead.toSorted((left, right) => (right.finishedAt ?? 0) - (left.finishedAt ?? 0));
  if (newest === undefined) return facts;
  const count = `${counted(deadCount, "job")} ${deadCount === 1 ? "is" : "are"} dead`;
  const text = `${count}: the last, of \`${newest.kind}\`, gave up ${spanOf(now - (newest.finishedAt ?? now))} ago.`;
  const listed = newest.eventId === undefined ? "jobs" : "events";
  const [mend, page] =
    deadCount > fewDead
      ? ["postern causes", "/causes"]
      : [
          `postern ${listed} list --state dead`,
          listed === "jobs" ? pageOfJobs({ state: "dead" }) : "/events?state=dead",
        ];
  return [...facts, attention("dead", text, mend, page)];
};

/** Fewer failures than this in an hour are told by their jobs, once these are given up. */
const manyFailures = 20;
/** From this share on, one cause is what fails. */
const mostOfAll = 0.5;

const failingFacts = ({ failing, targets }: HealthSnapshot): readonly HealthFact[] => {
  if (failing === undefined || failing.failures < manyFailures) return [];
  const { failures, ofCause, handler, error = "something thrown", place } = failing;
  // The fact of the target says more.
  if (targets.some((one) => one.handler === handler)) return [];
  const share = ofCause / failures;
  const percent = `${Math.round(share * 100)} %`;
  const cause = `${error}${place === undefined ? "" : ` at ${place}`}, in \`${handler}\``;
  const told =
    share >= mostOfAll ? `${percent} for one cause: ${cause}` : `the greatest cause has ${percent}: ${cause}`;
  const text = `${inDigits(failures)} attempts of jobs failed in the last hour, ${told}.`;
  return [attention("failing", text, "postern causes --since 1h", "/causes?hours=1")];
};

const targetFacts = ({ targets, now }: HealthSnapshot): readonly HealthFact[] =>
  targets.map(({ handler, failures, lastAt }) => {
    const text = `The target of \`${handler}\` is away: it did not answer, or said that it cannot, ${inDigits(failures)} times in the last hour, the last time ${spanOf(now - lastAt)} ago.`;
    const mend = `look at the target; see the answers: postern jobs list --handler ${handler}`;
    return attention("target_away", text, mend, pageOfJobs({ handler }));
  });

const ownFailingFacts = ({ ownFailing }: HealthSnapshot): readonly HealthFact[] =>
  ownFailing
    .filter(({ failures }) => failures >= fewestOwnFailures)
    .map(({ handler, failures }) => {
      const what = ownWork[handler] ?? "Postern's own work fails";
      const text = `${what}: ${inDigits(failures)} attempts of \`${handler}\` failed in the last hour.`;
      return attention("own_work_fails", text, `postern jobs list --handler ${handler}`, pageOfJobs({ handler }));
    });

const writeFacts = ({ unwritable }: HealthSnapshot): readonly HealthFact[] => {
  if (unwritable === undefined) return [];
  const text = `The database takes no write, so webhooks are refused and no job ends: ${unwritable}.`;
  return [{ kind: "read_only", level: "stopped", text, mend: "postern doctor", page: "/settings" }];
};

const deletionFacts = ({ deletions: { unfinished, isPaused }, runners }: HealthSnapshot): readonly HealthFact[] => {
  if (unfinished === 0 || (runners.length > 0 && !isPaused)) return [];
  const why = isPaused ? `the schedule \`${deletionsJob}\` is paused` : "no worker runs";
  const text = `Deletions stand still: ${countOf(unfinished, "deletion")} ${unfinished === 1 ? "is" : "are"} unfinished, and ${why}.`;
  const mend = isPaused ? `postern schedules resume ${deletionsJob}` : "postern worker";
  return [attention("deletions_stand", text, mend, pageOfJobs({ handler: deletionsJob }))];
};

const quarantineFacts = ({ quarantined }: HealthSnapshot): readonly HealthFact[] => {
  if (quarantined === 0) return [];
  const text = `${counted(quarantined, "event")} ${quarantined === 1 ? "is" : "are"} in quarantine: authentic, but malformed or not as a schema says.`;
  return [attention("quarantined", text, "postern events list --state quarantined", "/events?state=quarantined")];
};

const scheduleFacts = ({ lateSchedules, runners, now }: HealthSnapshot): readonly HealthFact[] =>
  lateSchedules.map(({ name, dueAt, pause }) => {
    if (pause !== undefined) {
      const why = pause.note === undefined ? "" : ` (${pause.note})`;
      const text = `The schedule \`${name}\` has been paused for ${spanOf(now - pause.at)}${why}, and has left out a time.`;
      return attention("schedule_paused", text, `postern schedules resume ${name}`, "/schedules");
    }
    const why = runners.length === 0 ? ", and no worker runs" : "";
    const text = `The schedule \`${name}\` should have run ${spanOf(now - dueAt)} ago${why}.`;
    return attention("schedule_late", text, runners.length === 0 ? "postern worker" : "postern doctor", "/schedules");
  });

const kept: Readonly<Record<DueRows["what"], string>> = {
  bodies: "bodies of events",
  events: "events",
  done_jobs: "jobs that are done",
  cancelled_jobs: "cancelled jobs",
  dead_jobs: "dead jobs",
};

/** The kind that is furthest behind: what keeps one from being deleted often keeps all. */
const retentionFacts = ({ overdue }: HealthSnapshot): readonly HealthFact[] => {
  const [worst] = overdue.toSorted((left, right) => right.behindMs - left.behindMs);
  if (worst === undefined) return [];
  const { what, rows, behindMs } = worst;
  const count = `${inDigits(rows)}${rows >= dueCountedAtMost ? " or more" : ""} ${kept[what]}`;
  const text = `Retention is behind: ${count} should be deleted, the oldest for ${spanOf(behindMs)}.`;
  const handler = "postern.prune";
  return [attention("retention_behind", text, `postern jobs list --handler ${handler}`, pageOfJobs({ handler }))];
};

const auditFacts = ({ auditFindings }: HealthSnapshot): readonly HealthFact[] =>
  auditFindings === 0
    ? []
    : [
        attention(
          "audit_broken",
          `Entries of the audit log are missing or were changed (${countOf(auditFindings, "finding")}).`,
          "postern audit verify",
          "/audit",
        ),
      ];

/** The order in which facts of one level are told. */
const order = [
  "disk_full",
  "read_only",
  "no_worker",
  "refused",
  "no_handler",
  "queue_unserved",
  "queue_limited",
  "slots_busy",
  "queue_rated",
  "queue_slow",
  "queue_behind",
  "suspect_waits",
  "stranded",
  "due",
  "order_key_waits",
  "queue_paused",
  "order_key_held",
  "own_work_fails",
  "target_away",
  "failing",
  "dead",
  "busy",
  "too_large",
  "quarantined",
  "partly_refused",
  "unsigned",
  "long_run",
  "plan_stands",
  "plan_paused",
  "clock_skew",
  "retention_behind",
  "deletions_stand",
  "schedule_late",
  "schedule_paused",
  "audit_broken",
  "audit_unsealed",
  "deliveries",
  "waiting",
  "workers",
];

const badness: Readonly<Record<HealthLevel, number>> = { ok: 0, attention: 1, stopped: 2 };

const flowing = (snapshot: HealthSnapshot): string => {
  const { deliveries, uncounted } = snapshot;
  const count = storedDeliveries(deliveries);
  const more = uncounted >= uncountedAtMost ? " or more" : "";
  const come = stillToCome(snapshot);
  if (count > 0 || uncounted > 0) {
    return `Webhooks flow: ${inDigits(count || uncounted)}${more} in the last hour, none late${come && `; ${come}`}.`;
  }
  const none = "no webhook came in the last hour, and no job is late";
  return come === "" ? `All is quiet: ${none}.` : `N${none.slice(1)}; ${come}.`;
};

/**
 * Says in a sentence whether work flows and what holds it, with the facts behind it. It is a
 * function of the snapshot alone.
 */
export const judgeHealth = (snapshot: HealthSnapshot): Health => {
  const facts = [
    ...diskFacts(snapshot),
    ...writeFacts(snapshot),
    ...deliveryFacts(snapshot),
    ...queueFacts(snapshot),
    ...standingFacts(snapshot),
    ...ownFailingFacts(snapshot),
    ...targetFacts(snapshot),
    ...failingFacts(snapshot),
    ...deadFacts(snapshot),
    ...quarantineFacts(snapshot),
    ...scheduleFacts(snapshot),
    ...retentionFacts(snapshot),
    ...deletionFacts(snapshot),
    ...auditFacts(snapshot),
  ].toSorted(
    (left, right) => badness[right.level] - badness[left.level] || order.indexOf(left.kind) - order.indexOf(right.kind),
  );
  const [worst] = facts;
  const level = worst?.level ?? "ok";
  return { level, sentence: worst === undefined || level === "ok" ? flowing(snapshot) : worst.text, facts };
};
