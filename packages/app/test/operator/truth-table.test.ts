import { AppError } from "@postern/core";
import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { daily, hour, mebibyte, minute, Scene, second } from "./health-scene.ts";

const day = 24 * hour;
const policy = { maxLosses: 3, suspectLosses: 2, delayMs: () => 1_000 };

/** Ends a job that a runner has. */
const end = async (it: Scene, to: "snoozed" | "scheduled", at: number): Promise<void> => {
  const runner = await it.worker();
  await it.jobs(1);
  const [job] = await it.claim(runner, 1);
  if (job === undefined) throw new Error("there is a job");
  const how = to === "snoozed" ? ({ to, at } as const) : ({ to, at, error: "Error: no answer" } as const);
  await it.ports.storage.jobs.finish([{ job, end: how }], it.now);
};

/** Events that came so many days ago, without jobs. */
const old = async (it: Scene, count: number, days: number): Promise<void> => {
  const ignored = { disposition: "ignored", jobs: [], receivedAt: it.now - days * day } as const;
  await it.ports.storage.events.accept(Array.from({ length: count }, (_, n) => newEvent(`old_${n}`, ignored)));
};

/** A plan that began now, and was paused or not. */
const plan = (it: Scene, state: "running" | "paused"): Promise<void> =>
  it.ports.storage.plans.save({
    id: "0198c5d0-0000-7000-8000-000000000001",
    action: "replay",
    filter: {},
    text: undefined,
    force: false,
    perSecond: 1,
    reason: undefined,
    state,
    runs: 1,
    createdAt: it.now,
    startedAt: it.now,
    endedAt: undefined,
    preview: { looked: 0, isComplete: true, matched: 0, done: 0, handlers: [], waiting: 0, skipped: [] },
    progress: { after: 0, looked: 0, done: 0, jobs: 0, failed: 0, skipped: [], nextAt: undefined },
  });

/**
 * The ways in which work can fail to move, and the whole sentence that is said of each. All are made in
 * the storage, as the processes of a server make them.
 */
const ways: readonly (readonly [way: string, make: (it: Scene) => Promise<unknown>, said: string])[] = [
  [
    "no worker was ever started",
    async (it) => [await it.jobs(3), await it.pass(2 * minute)],
    "Jobs wait: 3 jobs are ready, and no worker runs; the oldest waits 2 m.",
  ],
  [
    "the only worker was killed while jobs waited",
    async (it) => [await it.worker(), await it.jobs(3), it.kill(), await it.pass(2 * minute)],
    "Jobs wait: 3 jobs are ready, and no worker runs; the oldest waits 2 m.",
  ],
  [
    "the only worker was killed while a job ran, and nothing else waits",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(1);
      await it.claim(runner, 1);
      it.kill();
      await it.pass(2 * minute);
    },
    "Jobs wait: 1 job ran when the last worker ended, and no worker runs.",
  ],
  [
    "a retry is due, and no worker runs",
    async (it) => [await end(it, "scheduled", it.now + minute), it.kill(), await it.pass(10 * minute)],
    "Jobs wait: the time of one came 9 minutes ago, and no worker runs.",
  ],
  [
    "a worker beats, and takes up nothing that is due: its loop is blocked, or its statements fail",
    async (it) => [await end(it, "scheduled", it.now + minute), await it.pass(10 * minute)],
    "Jobs wait: the time of one came 9 minutes ago, and no worker has taken it up.",
  ],
  [
    "a worker beats, and claims nothing although slots are free: a claim fails",
    async (it) => [await it.worker(), await it.jobs(6), await it.pass(5 * minute)],
    "Jobs wait: 6 in the queue `default` although slots are free; the oldest waits 5 m.",
  ],
  [
    "a job was claimed and never began, or was left by a failover: nobody runs it",
    async (it) => {
      const runner = await it.worker(10, {}, ["mail", "log"]);
      await it.jobs(1, "default", { kind: "mail" });
      await it.claim(runner, 1);
      await it.pass(7 * minute);
    },
    "Job 1 of `mail` began 7 minutes ago, and may take 5 minutes: nobody runs it.",
  ],
  [
    "many were claimed and never began",
    async (it) => {
      const runner = await it.worker(10, {}, ["mail"]);
      await it.jobs(5, "default", { kind: "mail" });
      await it.claim(runner, 5);
      await it.pass(7 * minute);
    },
    "Job 1 of `mail` began 7 minutes ago, and may take 5 minutes: nobody runs it. It is one of 5.",
  ],
  [
    "jobs stand behind one of their order key that nobody runs",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(8, "default", { orderKey: "cus_1" });
      await it.claim(runner, 1);
      await it.pass(3 * minute);
    },
    "Jobs wait: 7 jobs stand behind others of the same order key; the oldest waits 3 m.",
  ],
  [
    "jobs stand behind a retry of their order key",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(2, "default", { orderKey: "cus_1" });
      const [job] = await it.claim(runner, 1);
      if (job === undefined) throw new Error("there is a job");
      const later = { to: "scheduled", at: it.now + hour, error: "Error: no answer" } as const;
      await it.ports.storage.jobs.finish([{ job, end: later }], it.now);
      await it.pass(4 * minute);
    },
    "Jobs wait: 1 job stands behind others of the same order key; the oldest waits 4 m.",
  ],
  [
    "jobs stand behind others, and no worker runs",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(2, "default", { orderKey: "cus_1" });
      const [job] = await it.claim(runner, 1);
      if (job === undefined) throw new Error("there is a job");
      const later = { to: "scheduled", at: it.now + hour, error: "Error: no answer" } as const;
      await it.ports.storage.jobs.finish([{ job, end: later }], it.now);
      it.kill();
      await it.pass(4 * minute);
    },
    "Jobs wait: 1 job stands behind others of the same order key, and no worker runs; the oldest waits 4 m.",
  ],
  [
    "no process has the handler",
    async (it) => [await it.worker(), await it.jobs(4, "default", { kind: "mail" }), await it.pass(5 * minute)],
    "Jobs wait: no running worker has the handler `mail`, and 4 jobs need it.",
  ],
  [
    "the workers of another version have other handlers",
    async (it) => {
      await it.worker(10, {}, ["log.v1"]);
      await it.worker(10, {}, ["log.v2"]);
      await it.jobs(1);
      await it.pass(5 * minute);
    },
    "Jobs wait: no running worker has the handler `log`, and 1 job needs it.",
  ],
  [
    "no process works the queue",
    async (it) => [await it.worker(), await it.jobs(4, "mail"), await it.pass(5 * minute)],
    "Jobs wait: no running worker works the queue `mail`; the oldest waits 5 m.",
  ],
  [
    "a queue has the limit 0",
    async (it) => [
      await it.worker(10, { mail: { concurrency: 0 } }),
      await it.jobs(4, "mail"),
      await it.pass(5 * minute),
    ],
    "Jobs wait: the queue `mail` is held by its limit of 0; the oldest waits 5 m.",
  ],
  [
    "a queue is held by its limit over all processes, and none of its jobs ends",
    async (it) => {
      const runner = await it.worker(10, { mail: { globalConcurrency: 2 } });
      await it.jobs(9, "mail");
      await it.claim(runner, 2, "mail");
      await it.pass(4 * minute);
    },
    "Jobs wait: the queue `mail` is held by its limit of 2; the oldest waits 4 m.",
  ],
  [
    "a queue is held by the limit of a process",
    async (it) => {
      const runner = await it.worker(10, { mail: { concurrency: 1 } });
      await it.jobs(9, "mail");
      await it.claim(runner, 1, "mail");
      await it.pass(4 * minute);
    },
    "Jobs wait: the queue `mail` is held by its limit of 1; the oldest waits 4 m.",
  ],
  [
    "a queue is held by its limit, and moves",
    async (it) => {
      const runner = await it.worker(10, { mail: { globalConcurrency: 1 } });
      await it.jobs(9, "mail");
      await it.pass(4 * minute);
      await it.claim(runner, 1, "mail");
      await it.pass(20 * second);
    },
    "Jobs wait: the queue `mail` is held by its limit of 1, and moves; the oldest waits 4 m.",
  ],
  [
    "a queue has the limit 1, its jobs are short, and none runs at this moment",
    async (it) => {
      const runner = await it.worker(10, { mail: { globalConcurrency: 1 } });
      await it.jobs(9, "mail");
      await it.pass(4 * minute);
      const [job] = await it.claim(runner, 1, "mail");
      if (job === undefined) throw new Error("there is a job");
      await it.ports.storage.jobs.finish([{ job, end: { to: "done" } }], it.now);
      await it.pass(20 * second);
    },
    "Jobs wait: 8 in the queue `mail`, which moves; the oldest waits 4 m.",
  ],
  [
    "a queue is held by its rate",
    async (it) => [
      await it.worker(10, { mail: { perSecond: 1 } }),
      await it.jobs(900, "mail"),
      await it.pass(2 * minute),
    ],
    "Jobs wait: the queue `mail` is held by its rate of 1 a second; the oldest waits 2 m.",
  ],
  [
    "all slots are busy",
    async (it) => {
      const runner = await it.worker(2);
      await it.jobs(9);
      await it.claim(runner, 2);
      await it.pass(3 * minute);
    },
    "Jobs wait: all 2 slots are busy, and 7 wait in the queue `default`; the oldest waits 3 m.",
  ],
  [
    "a queue with jobs is paused",
    async (it) => {
      await it.worker();
      await it.jobs(3, "mail");
      await it.ports.storage.queues.pause("mail", "the server moves", it.now);
    },
    "Jobs wait: the queue `mail` is paused (“the server moves”); the oldest waits 0 s.",
  ],
  [
    "a queue without jobs is paused",
    (it) => it.ports.storage.queues.pause("mail", undefined, it.now),
    "The queue `mail` is paused.",
  ],
  [
    "a queue is paused whose jobs all wait for their time",
    async (it) => {
      await it.worker();
      await it.jobs(3, "mail", { dueAt: it.now + hour });
      await it.ports.storage.queues.pause("mail", undefined, it.now);
    },
    "The queue `mail` is paused.",
  ],
  [
    "a dead job holds its order key",
    async (it) => [
      await it.dead(1, { orderKey: "cus_1", onDead: "hold" }),
      await it.jobs(2, "default", { orderKey: "cus_1" }),
    ],
    "Jobs wait: the dead job 1 of `log` holds its order key.",
  ],
  ["a job is dead", (it) => it.dead(1), "1 job is dead: the last, of `log`, gave up 0 seconds ago."],
  ["many jobs are dead", (it) => it.dead(15), "15 jobs are dead: the last, of `log`, gave up 0 seconds ago."],
  [
    "a job killed its runner three times",
    async (it) => {
      await it.jobs(1);
      for (let loss = 0; loss < 3; loss += 1) {
        const runner = await it.worker();
        await it.ports.storage.jobs.promoteDue(it.now + hour);
        const pick = loss === 2 ? "suspects" : "priority";
        await it.ports.storage.jobs.claim({ runnerId: runner, queue: "default", limit: 1, now: it.now, pick });
        await it.ports.storage.runners.recover(runner, { ...policy, now: it.now });
      }
    },
    "1 job is dead: the last, of `log`, gave up 0 seconds ago.",
  ],
  [
    "a suspect waits to run alone",
    async (it) => {
      await it.jobs(1);
      for (let loss = 0; loss < 2; loss += 1) {
        const runner = await it.worker();
        await it.ports.storage.jobs.promoteDue(it.now + hour);
        await it.claim(runner, 1);
        await it.ports.storage.runners.recover(runner, { ...policy, now: it.now });
      }
      await it.worker();
      await it.pass(2 * second);
      await it.ports.storage.jobs.promoteDue(it.now);
      await it.pass(10 * minute);
    },
    "Jobs wait: its worker ended 2 times while job 1 of `log` ran, so it runs alone, once nothing else runs; the oldest waits 10 m.",
  ],
  [
    "a lease was lost, and its job waits for its next try",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(1);
      await it.claim(runner, 1);
      await it.ports.storage.runners.recover(runner, { ...policy, delayMs: () => hour, now: it.now });
      await it.worker();
    },
    "No webhook came in the last hour, and no job is late; 1 attempt of jobs failed in the last hour, and 1 job waits for the next time.",
  ],
  [
    "most attempts fail for one cause",
    (it) => it.failing(40, { kind: "stripe:*", error: "TypeError: customer 17 is null" }),
    "40 attempts of jobs failed in the last hour, 100 % for one cause: TypeError, in `stripe:*`.",
  ],
  [
    "a few attempts failed, and their retries wait",
    (it) => it.failing(3, { kind: "log", error: "Error: no answer" }),
    "No webhook came in the last hour, and no job is late; 3 attempts of jobs failed in the last hour, and 3 jobs wait for the next time.",
  ],
  [
    "the target of a forward is away",
    (it) => it.failing(25, { kind: "forward:crm", error: "Error: connect ECONNREFUSED" }),
    "The target of `forward:crm` is away: it did not answer, or said that it cannot, 25 times in the last hour, the last time 0 seconds ago.",
  ],
  [
    "the target of a forward is away, and few events were to go there",
    async (it) => {
      await it.failing(1, { kind: "forward:crm", error: "AppError: it did not answer in time" });
      await it.pass(minute);
      await it.failing(1, { kind: "forward:crm", error: "Error: the target answered 502" });
      await it.pass(3 * minute);
    },
    "The target of `forward:crm` is away: it did not answer, or said that it cannot, 2 times in the last hour, the last time 3 minutes ago.",
  ],
  [
    "a target refuses what it gets, and is not away",
    (it) => it.failing(25, { kind: "forward:crm", error: "Error: the target answered 404" }),
    "25 attempts of jobs failed in the last hour, 100 % for one cause: Error, in `forward:crm`.",
  ],
  [
    "the greatest cause is over, and another goes on",
    async (it) => {
      await it.failing(80, { kind: "stripe:*", error: "TypeError: customer 17 is null" });
      await it.pass(31 * minute);
      await it.failing(30, { kind: "github:*", error: "RangeError: no such repository" });
    },
    "30 attempts of jobs failed in the last hour, 100 % for one cause: RangeError, in `github:*`.",
  ],
  [
    "the mail server is away",
    (it) => it.failing(2, { kind: "postern.account-mail", error: "Error: connect ECONNREFUSED" }),
    "Mails are not sent: 2 attempts of `postern.account-mail` failed in the last hour.",
  ],
  [
    "the address for alerts takes none",
    (it) => it.failing(3, { kind: "postern.alert", error: "Error: the receiver answered 500" }),
    "Alerts do not arrive: 3 attempts of `postern.alert` failed in the last hour.",
  ],
  [
    "an alert was given up",
    (it) => it.dead(1, { kind: "postern.alert" }),
    "1 job is dead: the last, of `postern.alert`, gave up 0 seconds ago.",
  ],
  [
    "a circuit is open, and its jobs are snoozed",
    (it) => end(it, "snoozed", it.now + 30 * minute),
    "No webhook came in the last hour, and no job is late; 1 job waits for the next time.",
  ],
  [
    "a job was snoozed far ahead",
    (it) => end(it, "snoozed", it.now + 20 * day),
    "No webhook came in the last hour, and no job is late; 1 job waits for the next time.",
  ],
  [
    "a job is due in a year",
    async (it) => [await it.worker(), await it.jobs(1, "default", { dueAt: it.now + 365 * day })],
    "No webhook came in the last hour, and no job is late; 1 job waits for the next time.",
  ],
  [
    "a job runs for hours",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(1);
      await it.claim(runner, 1);
      await it.pass(3 * hour);
    },
    "A job of the queue `default` has been running for 3 hours.",
  ],
  [
    "an event is in quarantine",
    (it) => it.ports.storage.events.accept([newEvent("1", { disposition: "quarantined", reason: "no id", jobs: [] })]),
    "1 event is in quarantine: authentic, but malformed or not as a schema says.",
  ],
  [
    "webhooks are ignored, because no handler takes their type",
    (it) => it.deliveries(5, { result: "ignored" }),
    "Webhooks flow: 5 in the last hour, none late; 5 of them were ignored.",
  ],
  [
    "one webhook was refused, and none came beside it",
    (it) => it.refused(1, "signature_mismatch"),
    "stripe has been refused for less than a minute: the signature does not match.",
  ],
  [
    "a key was changed here, and not at the sender",
    async (it) => [await it.changedKey(), await it.pass(minute), await it.refused(9, "signature_mismatch")],
    "stripe has been refused for less than a minute: the signature does not match; its key was changed 60 seconds ago.",
  ],
  [
    "some of many are refused",
    async (it) => [await it.refused(9, "signature_mismatch"), await it.pass(minute), await it.deliveries(20)],
    "9 of 29 deliveries from stripe were refused in the last hour: the signature does not match.",
  ],
  [
    "a webhook came without a signature, and none with one",
    (it) => it.refused(1, "signature_missing"),
    "1 delivery from stripe came without a signature in the last hour, and none with one.",
  ],
  [
    "the clock of the sender is wrong",
    (it) => it.refused(4, "timestamp_too_old"),
    "stripe has been refused for less than a minute: the signed time is too old.",
  ],
  [
    "this machine's clock is behind",
    (it) => it.refused(4, "timestamp_too_new"),
    "stripe has been refused for less than a minute: the signed time is in the future.",
  ],
  [
    "the keys of an issuer cannot be read",
    (it) => it.refused(4, "key_unavailable"),
    "stripe has been refused for less than a minute: its keys cannot be fetched.",
  ],
  [
    "the key of a handshake is missing",
    (it) => it.refused(2, "key_unknown"),
    "stripe has been refused for less than a minute: the key that it names is not known here.",
  ],
  [
    "bodies do not fit their schema",
    (it) => it.refused(4, "payload_invalid"),
    "stripe has been refused for less than a minute: the payload does not fit its schema.",
  ],
  [
    "webhooks were answered 503, because the storage was too slow or the process too busy",
    async (it) => [await it.deliveries(50), await it.deliveries(2, { result: "busy" })],
    "2 deliveries from stripe could not be stored in time in the last hour; the sender tries again.",
  ],
  [
    "a webhook was longer than the database takes",
    (it) => it.deliveries(1, { result: "too_large" }),
    "1 delivery from stripe in the last hour was longer than the database takes.",
  ],
  [
    "a schedule is paused, and a time of it passed",
    async (it) => {
      it.schedules.push(daily());
      await it.ports.storage.scheduleSlots.pause("report", undefined, it.now);
      await it.pass(7 * hour);
    },
    "The schedule `report` has been paused for 7 hours, and has left out a time.",
  ],
  [
    "a schedule that never fired has missed its first time",
    async (it) => {
      it.schedules.push(daily());
      await it.worker();
      await it.ports.storage.scheduleSlots.see(["report"], it.now);
      await it.pass(7 * hour);
    },
    "The schedule `report` should have run 60 minutes ago.",
  ],
  [
    "a schedule that skips what it missed does not fire, because no worker runs",
    async (it) => {
      it.schedules.push(daily("skip"));
      await it.ports.storage.scheduleSlots.see(["report"], it.now);
      await it.pass(7 * hour);
    },
    "The schedule `report` should have run 60 minutes ago, and no worker runs.",
  ],
  [
    "retention leaves bodies",
    (it) => old(it, 12, 15),
    "Retention is behind: 12 bodies of events should be deleted, the oldest for 24 hours.",
  ],
  [
    "retention leaves events",
    async (it) => [await old(it, 12, 40), await it.ports.storage.housekeeping.prune("bodies", it.now, 100)],
    "Retention is behind: 12 events should be deleted, the oldest for 5 days.",
  ],
  [
    "retention fails",
    (it) => it.dead(1, { kind: "postern.prune" }),
    "1 job is dead: the last, of `postern.prune`, gave up 0 seconds ago.",
  ],
  [
    "retention fails, and tries again",
    (it) => it.failing(2, { kind: "postern.prune", error: "Error: no answer" }),
    "Retention does not go on: 2 attempts of `postern.prune` failed in the last hour.",
  ],
  [
    "deletions are marked, and no worker runs",
    async (it) => {
      it.deletions = 2;
    },
    "Deletions stand still: 2 deletions are unfinished, and no worker runs.",
  ],
  [
    "deletions are marked, and what goes on with them is paused",
    async (it) => {
      await it.worker();
      await it.ports.storage.scheduleSlots.pause("postern.finish-deletions", undefined, it.now);
      it.deletions = 1;
    },
    "Deletions stand still: 1 deletion is unfinished, and the schedule `postern.finish-deletions` is paused.",
  ],
  [
    "deletions are marked, and their job fails",
    (it) => it.failing(2, { kind: "postern.finish-deletions", error: "Error: no answer" }),
    "Deletions do not go on: 2 attempts of `postern.finish-deletions` failed in the last hour.",
  ],
  ["a plan is paused", (it) => plan(it, "paused"), "The plan 0198c5d0-0000-7000-8000-000000000001 is paused."],
  [
    "a plan stands still",
    async (it) => [await plan(it, "running"), await it.pass(20 * minute)],
    "The plan 0198c5d0-0000-7000-8000-000000000001 should have gone on 20 minutes ago.",
  ],
  [
    "the audit log is not sealed",
    async (it) => [await it.changedKey(), await it.pass(30 * minute)],
    "Entries of the audit log have not been sealed for 30 minutes.",
  ],
  [
    "the audit log was changed",
    (it) => it.ports.storage.auditChain.keepProgress("check", JSON.stringify({ current: { findings: 2 } })),
    "Entries of the audit log are missing or were changed (2 findings).",
  ],
  [
    "the database can be read, and takes no write",
    async (it) => {
      it.unwritable = "attempt to write a readonly database";
    },
    "The database takes no write, so webhooks are refused and no job ends: attempt to write a readonly database.",
  ],
  [
    "the disk is nearly full",
    async (it) => {
      it.freeBytes = 100 * mebibyte;
    },
    "The disk of the database is nearly full: 100 MiB are free, and without room every webhook is refused.",
  ],
  [
    "the clocks of this process and of the database differ",
    async (it) => {
      it.databaseAheadMs = 40 * second;
    },
    "The clock of this process is 40 seconds behind that of the database.",
  ],
];

test("there are at least 40 ways, each with a name of its own", () => {
  expect(new Set(ways.map(([way]) => way)).size).toBe(ways.length);
  expect(ways.length).toBeGreaterThanOrEqual(40);
});

test.each(ways)("%s", async (_way, make, said) => {
  const scene = new Scene();
  await make(scene);
  const { sentence, facts } = await scene.health();
  expect(sentence).toBe(said);
  expect(said).not.toMatch(/All is quiet|none late\.$/);
  const waiting = facts.find(({ kind }) => kind === "waiting")?.text;
  const counts = await scene.ports.storage.jobRecords.countByState();
  if (counts.ready + counts.blocked + counts.scheduled > 0) expect(waiting).not.toBe("Nothing waits.");
});

/** Ways in which the storage cannot be read. Then the status is an error that says why. */
const aways: readonly (readonly [way: string, why: string])[] = [
  ["the database is away", "connect ECONNREFUSED"],
  ["the file of the database was replaced", "postern.db was replaced by another one"],
  ["only a standby answers", "the server takes no writes: let the URL lead to the primary"],
];

test.each(aways)("%s: an error with the reason, and never a sentence", async (_way, why) => {
  const scene = new Scene();
  scene.away = why;
  const thrown: unknown = await scene.health().catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(AppError);
  expect(thrown).toMatchObject({ code: "unavailable", cause: { message: why } });
});

test("a cause that stopped half an hour ago is over", async () => {
  const scene = new Scene();
  await scene.failing(40, { kind: "log", error: "Error: no answer" });
  await scene.pass(29 * minute);
  expect((await scene.health()).sentence).toMatch(/40 attempts of jobs failed/);
  await scene.pass(2 * minute);
  expect((await scene.health()).sentence).not.toMatch(/failed/);
});
