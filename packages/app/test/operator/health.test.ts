import { newEvent } from "@postern/core/testing";
import { expect, test } from "vitest";
import { daily, hour, mebibyte, minute, Scene, second } from "./health-scene.ts";

/** What happened, what is said, and the command that is named first. */
const situations: readonly (readonly [string, (scene: Scene) => Promise<unknown>, string, string | null])[] = [
  [
    "nothing has happened",
    async () => undefined,
    "All is quiet: no webhook came in the last hour, and no job is late.",
    null,
  ],
  [
    "webhooks come and are stored",
    async (it) => {
      await it.deliveries(300);
      await it.pass(5 * minute);
      await it.deliveries(10, { result: "duplicate" });
      await it.deliveries(2, { result: "ignored", provider: "github" });
    },
    "Webhooks flow: 312 in the last hour, none late; 2 of them were ignored.",
    null,
  ],
  ["thousands come", (it) => it.deliveries(1_234_567), "Webhooks flow: 1,234,567 in the last hour, none late.", null],
  [
    "webhooks came, but longer ago",
    async (it) => {
      await it.deliveries(300);
      await it.pass(61 * minute);
    },
    "All is quiet: no webhook came in the last hour, and no job is late.",
    null,
  ],
  [
    "the first webhook was stored, and its process has not written its counts down yet",
    (it) => it.ports.storage.events.accept([newEvent("evt_1", { receivedAt: it.now - 1, jobs: [] })]),
    "Webhooks flow: 1 in the last hour, none late.",
    null,
  ],
  [
    "a key was changed, and everything has been refused since",
    async (it) => {
      await it.deliveries(40);
      await it.changedKey();
      for (let past = 0; past < 2; past += 1) {
        await it.pass(6 * minute);
        await it.refused(3, "signature_mismatch");
      }
      await it.pass(8 * minute);
    },
    "stripe has been refused for 14 minutes: the signature does not match; its key was changed 20 minutes ago.",
    "postern providers rotate stripe",
  ],
  [
    "everything is refused, and nobody changed the key",
    async (it) => {
      await it.deliveries(40);
      await it.pass(minute);
      await it.refused(3, "key_unknown");
      await it.pass(3 * minute);
    },
    "stripe has been refused for 3 minutes: the key that it names is not known here.",
    "postern providers rotate stripe",
  ],
  [
    "a sender of the configuration is refused",
    (it) => it.refused(5, "signature_mismatch", "github"),
    "github has been refused for less than a minute: the signature does not match.",
    "set WEBHOOK_GITHUB_SECRET or the provider's keys in the configuration, then restart with postern serve",
  ],
  [
    "the clock of the sender or of this machine is wrong",
    async (it) => {
      await it.refused(9, "timestamp_too_old");
      await it.pass(90 * second);
    },
    "stripe has been refused for 90 seconds: the signed time is too old.",
    "set this machine's clock by a time server; postern doctor compares clocks",
  ],
  [
    "a sender has been refused for longer than is counted",
    async (it) => {
      await it.refused(9, "signature_mismatch");
      await it.pass(40 * minute);
      await it.refused(9, "signature_mismatch");
      await it.pass(19 * minute + 50 * second);
    },
    "stripe has been refused for more than an hour: the signature does not match.",
    "postern providers rotate stripe",
  ],
  [
    "a sender was refused, and has not been for half an hour",
    async (it) => {
      await it.refused(9, "signature_mismatch");
      await it.pass(32 * minute);
    },
    "All is quiet: no webhook came in the last hour, and no job is late.",
    null,
  ],
  [
    "deliveries could not be stored in time, half an hour ago",
    async (it) => {
      await it.deliveries(9, { result: "busy" });
      await it.pass(32 * minute);
      await it.deliveries(4);
    },
    "Webhooks flow: 4 in the last hour, none late.",
    null,
  ],
  [
    "some of many are refused",
    async (it) => {
      await it.refused(12, "signature_mismatch");
      await it.pass(minute);
      await it.deliveries(28);
    },
    "12 of 40 deliveries from stripe were refused in the last hour: the signature does not match.",
    "postern providers rotate stripe",
  ],
  [
    "strangers try the address now and then",
    async (it) => {
      await it.deliveries(500);
      await it.refused(2, "signature_mismatch");
      await it.refused(30, "signature_missing");
    },
    "Webhooks flow: 500 in the last hour, none late.",
    null,
  ],
  [
    "nothing that comes is signed",
    (it) => it.refused(30, "signature_missing"),
    "30 deliveries from stripe came without a signature in the last hour, and none with one.",
    "give the sender a secret, if it was the sender; its scheme shows postern providers list",
  ],
  [
    "the storage was too slow for some",
    async (it) => {
      await it.deliveries(50);
      await it.deliveries(7, { result: "busy" });
    },
    "7 deliveries from stripe could not be stored in time in the last hour; the sender tries again.",
    "postern doctor",
  ],
  [
    "one was longer than the database takes",
    (it) => it.deliveries(1, { result: "too_large" }),
    "1 delivery from stripe in the last hour was longer than the database takes.",
    "postern doctor",
  ],
  [
    "jobs wait for a short time",
    async (it) => {
      await it.worker();
      await it.deliveries(3);
      await it.jobs(3);
      await it.pass(59 * second);
    },
    "Webhooks flow: 3 in the last hour, none late.",
    null,
  ],
  [
    "no worker was started",
    async (it) => {
      await it.jobs(12);
      await it.pass(4 * minute);
    },
    "Jobs wait: 12 jobs are ready, and no worker runs; the oldest waits 4 m.",
    "postern worker",
  ],
  [
    "the worker was killed",
    async (it) => {
      await it.worker();
      await it.jobs(1);
      it.kill();
      await it.pass(2 * minute);
    },
    "Jobs wait: 1 job is ready, and no worker runs; the oldest waits 2 m.",
    "postern worker",
  ],
  [
    "no worker has the handler",
    async (it) => {
      await it.worker();
      await it.jobs(4, "default", { kind: "mail" });
      await it.pass(5 * minute);
    },
    "Jobs wait: no running worker has the handler `mail`, and 4 jobs need it.",
    "start a worker that has it, or see the jobs: postern jobs list --handler mail --state ready",
  ],
  [
    "no worker works the queue",
    async (it) => {
      await it.worker();
      await it.jobs(4, "mail");
      await it.pass(5 * minute);
    },
    "Jobs wait: no running worker works the queue `mail`; the oldest waits 5 m.",
    "start a worker whose configuration names the queue: postern worker",
  ],
  [
    "a queue is held by its limit over all processes",
    async (it) => {
      const runner = await it.worker(10, { mail: { globalConcurrency: 2 } });
      await it.jobs(9, "mail");
      await it.claim(runner, 2, "mail");
      await it.pass(4 * minute);
    },
    "Jobs wait: the queue `mail` is held by its limit of 2; the oldest waits 4 m.",
    'raise its limit in the configuration (queues: { "mail": … }), or see what runs: postern jobs list --queue mail --state running',
  ],
  [
    "a queue is held by the limits of two processes",
    async (it) => {
      const runner = await it.worker(10, { mail: { concurrency: 2 } });
      await it.worker(10, { mail: { concurrency: 3 } });
      await it.jobs(9, "mail");
      await it.claim(runner, 5, "mail");
      await it.pass(3 * hour);
    },
    "Jobs wait: the queue `mail` is held by its limit of 5; the oldest waits 3 h.",
    'raise its limit in the configuration (queues: { "mail": … }), or see what runs: postern jobs list --queue mail --state running',
  ],
  [
    "all slots are busy",
    async (it) => {
      const runner = await it.worker(10);
      await it.jobs(2_000);
      await it.claim(runner, 10);
      await it.pass(90 * second);
    },
    "Jobs wait: all 10 slots are busy, and 1,990 wait in the queue `default`; the oldest waits 90 s.",
    "start another worker with postern worker, or raise POSTERN_JOBS",
  ],
  [
    "a queue is held by its rate",
    async (it) => {
      await it.worker(10, { mail: { perSecond: 5 } });
      await it.jobs(900, "mail");
      await it.pass(2 * minute);
    },
    "Jobs wait: the queue `mail` is held by its rate of 5 a second; the oldest waits 2 m.",
    'raise its limit in the configuration (queues: { "mail": … }), or see what runs: postern jobs list --queue mail --state running',
  ],
  [
    "jobs wait although slots are free",
    async (it) => {
      await it.worker();
      await it.jobs(9);
      await it.pass(49 * hour);
    },
    "Jobs wait: 9 in the queue `default` although slots are free; the oldest waits 2 d.",
    "postern doctor",
  ],
  [
    "somebody paused a queue with jobs, and said why",
    async (it) => {
      await it.worker();
      await it.jobs(3, "mail");
      await it.ports.storage.queues.pause("mail", "the mail server moves", it.now);
      await it.pass(20 * minute);
    },
    "Jobs wait: the queue `mail` is paused (“the mail server moves”); the oldest waits 20 m.",
    "postern queues resume mail",
  ],
  [
    "somebody paused a queue without jobs",
    (it) => it.ports.storage.queues.pause("mail", undefined, it.now),
    "The queue `mail` is paused.",
    "postern queues resume mail",
  ],
  [
    "a job runs and runs",
    async (it) => {
      const runner = await it.worker();
      await it.jobs(1);
      await it.claim(runner, 1);
      await it.pass(2 * hour);
    },
    "A job of the queue `default` has been running for 2 hours.",
    "postern jobs list --queue default --state running",
  ],
  [
    "jobs are dead, and other webhooks flow",
    async (it) => {
      await it.deliveries(70);
      await it.dead(3);
      await it.pass(5 * minute);
    },
    "3 jobs are dead: the last, of `log`, gave up 5 minutes ago.",
    "postern jobs list --state dead",
  ],
  [
    "so many jobs are dead that their causes say more than a list",
    (it) => it.dead(11),
    "11 jobs are dead: the last, of `log`, gave up 0 seconds ago.",
    "postern causes",
  ],
  [
    "most attempts fail for one cause",
    async (it) => {
      const stack = "    at charge (file:///srv/app/billing.ts:31:11)";
      await it.failing(97, { kind: "stripe:invoice.*", error: "TypeError: customer 17 is null", stack });
      await it.failing(3, { kind: "log", error: "Error: no answer" });
    },
    "100 attempts of jobs failed in the last hour, 97 % for one cause: TypeError at charge (billing.ts), in `stripe:invoice.*`.",
    "postern causes --since 1h",
  ],
  [
    "attempts fail for several causes, and nobody knows where",
    async (it) => {
      for (const [count, word] of [
        [10, "one"],
        [8, "two"],
        [7, "three"],
      ] as const)
        await it.failing(count, { kind: "log", error: `${word} is wrong` });
    },
    "25 attempts of jobs failed in the last hour, the greatest cause has 40 %: something thrown, in `log`.",
    "postern causes --since 1h",
  ],
  [
    "attempts failed, but longer ago",
    async (it) => {
      await it.failing(40, { kind: "log", error: "Error: no answer" });
      await it.pass(61 * minute);
    },
    "No webhook came in the last hour, and no job is late; 40 jobs wait for the next time.",
    null,
  ],
  [
    "a few attempts failed, and run again",
    (it) => it.failing(19, { kind: "log", error: "Error: no answer" }),
    "No webhook came in the last hour, and no job is late; 19 attempts of jobs failed in the last hour, and 19 jobs wait for the next time.",
    null,
  ],
  [
    "a body is not as its sender's scheme says",
    (it) => it.refused(5, "body_malformed"),
    "stripe has been refused for less than a minute: the signed fields are missing in the body.",
    "postern refusals list --provider stripe",
  ],
  [
    "a dead job was run again and did its work",
    async (it) => {
      await it.dead(1);
      const [dead] = await it.ports.storage.jobRecords.list({ limit: 1 });
      await it.ports.storage.jobRecords.retry(dead?.id ?? 0, it.now);
    },
    "No webhook came in the last hour, and no job is late; 1 attempt of jobs failed in the last hour.",
    null,
  ],
  [
    "a dead job holds its order key",
    (it) => it.dead(1, { orderKey: "cus_1", onDead: "hold" }),
    "Jobs wait: the dead job 1 of `log` holds its order key.",
    "postern jobs retry 1, or give it up with postern jobs cancel 1",
  ],
  [
    "events are in quarantine",
    async (it) => {
      const event = { ...newEvent("1"), disposition: "quarantined" as const, reason: "no id", jobs: [] };
      await it.ports.storage.events.accept([event, { ...event, dedupeKey: "2" }]);
    },
    "2 events are in quarantine: authentic, but malformed or not as a schema says.",
    "postern events list --state quarantined",
  ],
  [
    "a schedule's time has passed, and no worker runs",
    async (it) => {
      it.schedules.push(daily());
      const job = { kind: "report", maxAttempts: 1, dueAt: it.now + 900 * hour };
      await it.ports.storage.scheduleSlots.fire({ name: "report", slot: it.now - 18 * hour, job }, it.now);
      await it.pass(6 * hour + 14 * minute);
    },
    "The schedule `report` should have run 14 minutes ago, and no worker runs.",
    "postern worker",
  ],
  [
    "a schedule is paused, and a time of it has come",
    async (it) => {
      it.schedules.push(daily("skip"));
      await it.ports.storage.scheduleSlots.pause("report", "the office is closed", it.now);
      await it.pass(6 * hour + 14 * minute);
    },
    "The schedule `report` has been paused for 6 hours (the office is closed), and has left out a time.",
    "postern schedules resume report",
  ],
  [
    "a schedule goes on after a pause in which a time came",
    async (it) => {
      it.schedules.push(daily());
      const job = { kind: "report", maxAttempts: 1, dueAt: it.now + 900 * hour };
      await it.ports.storage.scheduleSlots.fire({ name: "report", slot: it.now - 18 * hour, job }, it.now);
      await it.ports.storage.scheduleSlots.pause("report", undefined, it.now);
      await it.pass(6 * hour + 14 * minute);
      await it.ports.storage.scheduleSlots.resume("report", it.now + 6 * hour + 14 * minute);
    },
    "No webhook came in the last hour, and no job is late; 1 job waits for the next time.",
    null,
  ],
  [
    "a schedule that skips missed times has missed one",
    async (it) => {
      it.schedules.push(daily("skip"));
      const job = { kind: "report", maxAttempts: 1, dueAt: it.now + 900 * hour };
      await it.ports.storage.scheduleSlots.fire({ name: "report", slot: it.now - 18 * hour, job }, it.now);
      await it.worker();
      await it.pass(8 * hour);
    },
    "No webhook came in the last hour, and no job is late; 1 job waits for the next time.",
    null,
  ],
  [
    "the disk is nearly full, and more is wrong",
    async (it) => {
      it.freeBytes = 120 * mebibyte + 5;
      await it.refused(9, "signature_mismatch");
      await it.dead(2);
    },
    "The disk of the database is nearly full: 120 MiB are free, and without room every webhook is refused.",
    "make room on that disk; postern doctor shows how much is free",
  ],
];

/** Those of the console that facts may lead to. */
const pages = ["audit", "causes", "events", "jobs", "plans", "queues", "schedules", "senders", "settings"];

test.each(situations)("%s", async (_name, happens, sentence, mend) => {
  const scene = new Scene();
  await happens(scene);
  const health = await scene.health();
  expect([health.sentence, health.facts[0]?.mend ?? null]).toEqual([sentence, mend]);
  expect(health.level === "ok").toBe(mend === null);
  for (const fact of health.facts) {
    expect(fact.mend === undefined, fact.text).toBe(fact.level === "ok");
    expect(pages, fact.text).toContain(/^\/([a-z]+)/.exec(fact.page)?.[1]);
  }
});

test("the facts behind the sentence are told, the worst first", async () => {
  const scene = new Scene();
  await scene.deliveries(1_200);
  await scene.deliveries(4, { result: "duplicate" });
  await scene.deliveries(9, { provider: "github" });
  await scene.dead(1);
  await scene.ports.storage.queues.pause("mail", undefined, scene.now);
  await scene.jobs(2, "mail");
  const { level, facts } = await scene.health();
  expect(level).toBe("stopped");
  expect(facts.map(({ kind, level: one, text }) => [kind, one, text])).toEqual([
    ["queue_paused", "stopped", "Jobs wait: the queue `mail` is paused; the oldest waits 0 s."],
    ["dead", "attention", "1 job is dead: the last, of `log`, gave up 0 seconds ago."],
    ["deliveries", "ok", "stripe in the last hour: 1,200 accepted, 4 duplicate."],
    ["deliveries", "ok", "github in the last hour: 9 accepted."],
    ["waiting", "ok", "2 jobs ready to run, 0 behind others of their order keys, 0 for their time."],
    ["workers", "ok", "1 worker alive, 0 jobs running."],
  ]);
});
