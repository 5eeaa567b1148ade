import assert from "node:assert/strict";
import type { ClaimedJob, Lease } from "../ports/job.ts";
import type { JobQuery } from "../ports/job-records.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";
import { claim, claimOne, end, enqueueOne, newJob, now, policy, stateOf } from "./job-fixtures.ts";

/** What the stores of jobs promise to operators, and to runners whose claims were lost. */
export const jobControlContract: Contract<Storage> = {
  "gives nothing to a runner that was declared dead": async (storage) => {
    const runnerId = await storage.runners.register({ name: "paused", kinds: [] }, now);
    await enqueueOne(storage);
    await storage.runners.recover(runnerId, policy);
    assert.deepEqual(await claim(storage, { runnerId }), []);
    assert.equal((await storage.jobRecords.countByState()).ready, 1);
  },
  "keeps a runner that still has jobs on the list when it retires, so that they are taken back": async (storage) => {
    const runnerId = await storage.runners.register({ name: "leaving", kinds: [] }, now);
    await enqueueOne(storage);
    const job = await claimOne(storage, { runnerId });
    await storage.runners.retire(runnerId);
    assert.deepEqual(
      (await storage.runners.live()).map(({ id }) => id),
      [runnerId],
    );
    await end(storage, job, { to: "done" });
    await storage.runners.retire(runnerId);
    assert.deepEqual(await storage.runners.live(), []);
  },
  "keeps the failure of a handler that had committed, once, and its job as long as dead jobs": async (storage) => {
    const { jobs, jobRecords, housekeeping } = storage;
    const failure = { error: "Error: no mail", stack: "    at send (mail.ts:1:1)", log: [] };
    const runnerId = await storage.runners.register({ name: "committing", kinds: [] }, now);
    const [failing, plain] = [await enqueueOne(storage), await enqueueOne(storage)];
    const job = await claimOne(storage, { runnerId });
    const other = await claimOne(storage, { runnerId });
    assert.equal(await jobs.failAfterCommit(job, failure, now), false);
    await end(storage, job, { to: "done" });
    await end(storage, other, { to: "done" });
    assert.equal(await jobs.failAfterCommit({ ...job, lease: job.lease + 1_000_000 }, failure, now), false);
    assert.equal(await jobs.failAfterCommit(job, failure, now + 1), true);
    assert.equal(await jobs.failAfterCommit(job, failure, now + 2), false);
    const kept = await jobRecords.find(failing);
    assert.deepEqual([kept?.state, kept?.attempt, kept?.lastError], ["done", 1, "Error: no mail"]);
    assert.deepEqual(await jobRecords.failures(failing, 5), [
      { attempt: 1, at: now + 1, error: `${failure.error}\n${failure.stack}`, afterCommit: true, log: [] },
    ]);
    const { causes } = await jobRecords.causes({ since: now, limit: 5 });
    assert.deepEqual(
      causes.map(({ failures, example }) => [failures, example.jobId]),
      [[1, failing]],
    );
    assert.equal(await housekeeping.prune("done_jobs", now + 10, 1000), 1);
    assert.deepEqual([await stateOf(storage, failing), await stateOf(storage, plain)], ["done", undefined]);
    assert.equal(await housekeeping.prune("dead_jobs", now + 10, 1000), 1);
    assert.equal(await stateOf(storage, failing), undefined);
    assert.deepEqual(await jobRecords.failures(failing, 5), []);
  },
  "hands fresh jobs to a runner with the call that stores them, as claims": async (storage) => {
    const offer = { runnerId: 900_001, queue: "default", limit: 2 };
    const { ids, claimed } = await storage.jobs.enqueueFor(
      offer,
      [
        newJob({ payload: "later", dueAt: now + 5 }),
        newJob({ payload: "mail", queue: "mail" }),
        newJob({ payload: "second" }),
        newJob({ payload: "first", priority: -1 }),
        newJob({ payload: "third" }),
        newJob({ orderKey: "o" }),
      ],
      now,
    );
    assert.deepEqual(
      claimed.map(({ payload, attempt, losses, queue, createdAt }) => ({ payload, attempt, losses, queue, createdAt })),
      ["first", "second"].map((payload) => ({ payload, attempt: 1, losses: 0, queue: "default", createdAt: now })),
    );
    assert.deepEqual(await Promise.all(ids.map((id) => stateOf(storage, id))), [
      "scheduled",
      "ready",
      "running",
      "running",
      "ready",
      "ready",
    ]);
    assert.deepEqual(
      (await storage.runners.running(900_001)).map(({ lease }) => lease).toSorted(),
      claimed.map(({ lease }) => lease).toSorted(),
    );
    for (const job of claimed) await end(storage, job, { to: "done" });
    assert.equal((await storage.jobRecords.find(claimed[0]?.id ?? 0))?.startedAt, now);
  },
  "hands no fresh job out where others wait, of a paused queue, or to a dead runner": async (storage) => {
    const fresh = async (runnerId = 900_001): Promise<number> =>
      (await storage.jobs.enqueueFor({ runnerId, queue: "default", limit: 9 }, [newJob()], now)).claimed.length;
    assert.equal(await fresh(), 1);
    await storage.queues.pause("default", undefined, now);
    assert.equal(await fresh(), 0);
    await storage.queues.resume("default");
    assert.equal(await fresh(), 0);
    await claimOne(storage);
    await claimOne(storage);
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    await storage.runners.recover(runnerId, policy);
    assert.equal(await fresh(runnerId), 0);
    assert.equal((await storage.jobRecords.countByState()).ready, 1);
  },
  "counts the first of two ends for one lease": async (storage) => {
    const id = await enqueueOne(storage);
    const job = await claimOne(storage);
    const ends = [
      { job: { ...job, lease: job.lease + 1_000_000 }, end: { to: "done" } as const },
      { job, end: { to: "dead", error: "first" } as const },
      { job, end: { to: "done" } as const },
    ];
    assert.deepEqual(await storage.jobs.finish(ends, now), [false, true, false]);
    assert.deepEqual([await stateOf(storage, id), (await storage.jobRecords.find(id))?.lastError], ["dead", "first"]);
  },
  "tells a lease that holds from one that was used and one that was taken away": async (storage) => {
    const runnerId = await storage.runners.register({ name: "one", kinds: [] }, now);
    await enqueueOne(storage);
    const first = await claimOne(storage, { runnerId });
    assert.equal(await storage.jobs.leaseState(first), "held");
    await end(storage, first, { to: "scheduled", at: now, error: "boom" });
    assert.equal(await storage.jobs.leaseState(first), "spent");
    await storage.jobs.promoteDue(now);
    const second = await claimOne(storage, { runnerId });
    assert.equal(await storage.jobs.leaseState(first), "lost");
    await storage.runners.recover(runnerId, policy);
    assert.equal(await storage.jobs.leaseState(second), "lost");
    assert.equal(await storage.jobs.leaseState({ id: 987_654_321, lease: 1 }), "lost");
  },
  "snoozes a job without counting the attempt or a failure": async (storage) => {
    const id = await enqueueOne(storage);
    await end(storage, await claimOne(storage), { to: "snoozed", at: now + 5 });
    const { state, dueAt, attempt } = (await storage.jobRecords.find(id)) ?? {};
    assert.deepEqual({ state, dueAt, attempt }, { state: "scheduled", dueAt: now + 5, attempt: 0 });
    assert.deepEqual(await storage.jobRecords.failures(id, 10), []);
  },
  "keeps each failure with its stack and what was logged, the losses of runners among them": async (storage) => {
    const id = await enqueueOne(storage);
    const log = [
      { at: now - 1, level: "info", message: "“it begins”\n", fields: { invoice: "in_1", cents: 5 } },
    ] as const;
    await end(storage, await claimOne(storage), { to: "scheduled", at: now, error: "first", log });
    await storage.jobs.promoteDue(now);
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    await claimOne(storage, { runnerId });
    await storage.runners.recover(runnerId, policy);
    await storage.jobs.promoteDue(now + 60_000);
    await end(storage, await claimOne(storage), { to: "dead", error: "third", stack: "    at pay (pay.ts:1:2)" });
    assert.deepEqual(await storage.jobRecords.failures(id, 10), [
      { attempt: 1, at: now, error: "first", afterCommit: false, log },
      { attempt: 2, at: now, error: "its runner died 1 time while it ran", afterCommit: false, log: [] },
      { attempt: 3, at: now, error: "third\n    at pay (pay.ts:1:2)", afterCommit: false, log: [] },
    ]);
    assert.equal((await storage.jobRecords.find(id))?.lastError, "third");
    assert.deepEqual(
      (await storage.jobRecords.failures(id, 1)).map(({ attempt }) => attempt),
      [3],
    );
  },
  "finds the jobs of the same order key before and after a job, the nearest first": async (storage) => {
    const keys = ["a", "b", "a", "a", "b", "a", "a", undefined];
    const ids = await storage.jobs.enqueue(
      keys.map((orderKey) => newJob(orderKey === undefined ? {} : { orderKey })),
      now,
    );
    const { jobRecords } = storage;
    const at = (places: readonly number[]): readonly (number | undefined)[] => places.map((place) => ids[place]);
    const near = async (place: number, limit: number) => {
      const { before, after } = await jobRecords.neighbours(ids[place] ?? 0, limit);
      return [before.map(({ id }) => id), after.map(({ id }) => id)];
    };
    assert.deepEqual(await near(3, 10), [at([2, 0]), at([5, 6])]);
    assert.deepEqual(await near(3, 1), [at([2]), at([5])]);
    assert.deepEqual(await near(4, 10), [at([1]), []]);
    assert.deepEqual(await near(7, 10), [[], []]);
    assert.deepEqual(await jobRecords.neighbours(987_654_321, 10), { before: [], after: [] });
  },
  "cancels what does not run at once": async (storage) => {
    const [ready, later] = await storage.jobs.enqueue([newJob(), newJob({ dueAt: now + 5 })], now);
    for (const id of [ready ?? 0, later ?? 0]) {
      assert.equal(await storage.jobRecords.cancel(id, now + 1), "cancelled");
      assert.deepEqual(
        [await stateOf(storage, id), (await storage.jobRecords.find(id))?.finishedAt],
        ["cancelled", now + 1],
      );
      assert.equal(await storage.jobRecords.cancel(id, now), undefined);
    }
    assert.equal(await storage.jobs.promoteDue(now + 5), 0);
    assert.equal(await storage.jobs.nextDueAt(), undefined);
    assert.deepEqual(await claim(storage), []);
    assert.equal(await storage.jobRecords.cancel(987_654_321, now), undefined);
  },
  "asks the runner of a running job for its end": async (storage) => {
    const [a, b, c] = await storage.jobs.enqueue([newJob(), newJob(), newJob()], now);
    const claimed = await claim(storage, { runnerId: 7 });
    assert.equal(await storage.jobRecords.cancel(b ?? 0, now + 1), "requested");
    assert.equal(await storage.jobRecords.cancel(b ?? 0, now + 2), "requested");
    assert.equal((await storage.jobRecords.find(b ?? 0))?.cancelAt, now + 1);
    const running = await storage.runners.running(7);
    assert.deepEqual(
      running.toSorted((one, other) => one.id - other.id),
      claimed.map(({ id, lease }) => ({ id, lease, cancelAt: id === b ? now + 1 : undefined })),
    );
    assert.deepEqual(await storage.runners.running(8), []);
    const some = await storage.runners.running(7, [b ?? 0, 987_654_321]);
    assert.deepEqual(
      some,
      running.filter(({ id }) => id === b),
    );
    assert.deepEqual(await storage.runners.running(8, [b ?? 0]), []);
    assert.deepEqual(await storage.runners.running(7, []), []);
    for (const job of claimed) {
      await end(storage, job, job.id === b ? { to: "cancelled" } : { to: "done" });
    }
    assert.deepEqual(await Promise.all([a, b, c].map((id) => stateOf(storage, id ?? 0))), [
      "done",
      "cancelled",
      "done",
    ]);
    assert.deepEqual(await storage.runners.running(7), []);
    assert.deepEqual(await storage.runners.running(7, [a ?? 0]), []);
  },
  "cancels a job that was asked to stop instead of running it again, and leaves one that has ended": async (
    storage,
  ) => {
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    const ids = await storage.jobs.enqueue(
      Array.from({ length: 6 }, () => newJob()),
      now,
    );
    const jobs = [...(await claim(storage, { limit: 5 })), await claimOne(storage, { runnerId })];
    for (const id of ids) await storage.jobRecords.cancel(id, now);
    const [failing, snoozing, returning, dying, ending] = jobs;
    assert.ok(failing && snoozing && returning && dying && ending);
    await end(storage, failing, { to: "scheduled", at: now, error: "boom" });
    await end(storage, snoozing, { to: "snoozed", at: now });
    await end(storage, returning, { to: "ready" });
    await end(storage, dying, { to: "dead", error: "no use" });
    await end(storage, ending, { to: "done" });
    assert.deepEqual(await storage.runners.recover(runnerId, policy), { recovered: 0, dead: [] });
    assert.deepEqual(await Promise.all(ids.map((id) => stateOf(storage, id))), [
      "cancelled",
      "cancelled",
      "cancelled",
      "dead",
      "done",
      "cancelled",
    ]);
    assert.equal((await storage.jobRecords.failures(failing.id, 5)).length, 1);
  },
  "runs a job that waits for its time at once when asked to": async (storage) => {
    const id = await enqueueOne(storage, { dueAt: now + 60_000 });
    assert.equal(await storage.jobRecords.retry(id, now), id);
    assert.equal((await claimOne(storage)).id, id);
    assert.equal(await storage.jobRecords.retry(id, now), undefined);
    assert.equal(await storage.jobRecords.retry(987_654_321, now), undefined);
  },
  "puts a new job in the place of a dead or cancelled one, once": async (storage) => {
    const payload = { a: 1 };
    const dead = await enqueueOne(storage, { payload, priority: 4, queue: "q" });
    await end(storage, await claimOne(storage, { queue: "q" }), { to: "dead", error: "no use" });
    const answers = await Promise.all([
      storage.jobRecords.retry(dead, now + 1),
      storage.jobRecords.retry(dead, now + 1),
    ]);
    const [again, ...more] = answers.filter((answer) => answer !== undefined);
    assert.ok(again !== undefined && more.length === 0);
    assert.equal((await storage.jobRecords.countByState()).dead, 0);
    const made = await claimOne(storage, { queue: "q" });
    assert.deepEqual([made.id, made.payload, made.attempt, made.maxAttempts], [again, payload, 1, 3]);
    assert.equal((await storage.jobRecords.find(again))?.replayOf, dead);
    assert.equal(await stateOf(storage, dead), "dead");
    const cancelled = await enqueueOne(storage);
    await storage.jobRecords.cancel(cancelled, now);
    assert.ok(await storage.jobRecords.retry(cancelled, now));
    assert.equal(await storage.jobRecords.retry(made.id, now), undefined);
  },
  "counts a retried job's replacement as its event's": async (storage) => {
    const [accepted] = await storage.events.accept([newEvent("evt_1")]);
    const job = await claimOne(storage);
    await end(storage, job, { to: "dead", error: "no use" });
    await storage.jobRecords.retry(job.id, now);
    assert.equal((await storage.events.find(accepted?.id ?? 0))?.state, "received");
  },
  "claims nothing of a paused queue, and goes on when it is resumed": async (storage) => {
    await storage.jobs.enqueue([newJob({ queue: "mail" }), newJob()], now);
    const running = await claimOne(storage);
    await storage.jobs.enqueue([newJob()], now + 5);
    // Several people may pause it at the same moment.
    await Promise.all(Array.from({ length: 8 }, () => storage.queues.pause("default", "the shop is closed", now)));
    await storage.queues.pause("default", "the shop is closed today", now);
    assert.deepEqual(await claim(storage), []);
    assert.equal((await claim(storage, { queue: "mail" })).length, 1);
    await end(storage, running, { to: "done" });
    assert.deepEqual(await storage.queues.list(), [
      { name: "default", paused: true, note: "the shop is closed today", ready: 1, oldestReadyAt: now + 5 },
    ]);
    await storage.queues.resume("default");
    await storage.queues.resume("default");
    assert.equal((await claim(storage)).length, 1);
    assert.deepEqual(await storage.queues.list(), []);
  },
  "counts what runs in each queue, and says since when": async (storage) => {
    assert.deepEqual(await storage.queues.running(), []);
    await storage.jobs.enqueue([newJob({ queue: "mail" }), newJob({ queue: "mail" }), newJob(), newJob()], now);
    await claim(storage, { queue: "mail", limit: 1, now: now + 5 });
    await claim(storage, { queue: "mail", limit: 1, now: now + 9 });
    const ended = await claimOne(storage, { now: now + 1 });
    await claimOne(storage, { now: now + 7 });
    await end(storage, ended, { to: "done" });
    assert.deepEqual(await storage.queues.running(), [
      { queue: "default", running: 1, oldestStartedAt: now + 7, newestStartedAt: now + 7 },
      { queue: "mail", running: 2, oldestStartedAt: now + 5, newestStartedAt: now + 9 },
    ]);
  },
  "counts what has ended in each queue from a time on": async (storage) => {
    const [early, late, mail] = [
      await enqueueOne(storage),
      await enqueueOne(storage),
      await enqueueOne(storage, { queue: "mail" }),
    ];
    const first = await claimOne(storage);
    const second = await claimOne(storage);
    const third = await claimOne(storage, { queue: "mail" });
    await storage.jobs.finish([{ job: first, end: { to: "done" } }], now + 5);
    await storage.jobs.finish([{ job: second, end: { to: "dead", error: "boom" } }], now + 8);
    await storage.jobs.finish([{ job: third, end: { to: "scheduled", at: now + 99, error: "boom" } }], now + 9);
    assert.deepEqual([first.id, second.id, third.id].toSorted(), [early, late, mail].toSorted());
    assert.deepEqual(await storage.queues.ended(now + 5), [{ queue: "default", ended: 2 }]);
    assert.deepEqual(await storage.queues.ended(now + 6), [{ queue: "default", ended: 1 }]);
    assert.deepEqual(await storage.queues.ended(now + 9), []);
  },
  "finds jobs by the sender of their event and by when they were stored": async (storage) => {
    await storage.events.accept([newEvent("evt_1"), newEvent("evt_2", { provider: "github", type: "push" })]);
    const [later] = await storage.jobs.enqueue([newJob({ kind: "report" })], now + 50);
    const all = await storage.jobRecords.list({ after: 0, limit: 10 });
    const found = async (filter: Omit<JobQuery, "limit">): Promise<readonly (string | number | undefined)[]> => {
      const { before: _before, ...counted } = filter;
      const listed = await storage.jobRecords.list({ ...filter, limit: 10 });
      assert.equal(await storage.jobRecords.count(counted, 10), listed.length);
      return listed.map(({ id }) => id);
    };
    const about = new Map((await storage.events.list({ limit: 10 })).map(({ id, provider }) => [id, provider]));
    const of = (provider: string) =>
      all.filter(({ eventId }) => about.get(eventId ?? 0) === provider).map(({ id }) => id);
    assert.deepEqual(await found({ provider: "github" }), of("github"));
    assert.deepEqual(await found({ provider: "github", state: "ready" }), of("github"));
    assert.deepEqual(await found({ provider: "stripe", after: 0 }), of("stripe"));
    assert.deepEqual(await found({ provider: "stripe", after: of("stripe")[0] ?? 0 }), of("stripe").slice(1));
    assert.deepEqual(await found({ provider: "nobody" }), []);
    assert.deepEqual(await found({ since: now + 50 }), [later]);
    assert.deepEqual(await found({ since: now + 50, until: now + 50 }), []);
    assert.equal((await found({ until: now + 50 })).length, all.length - 1);
  },
  "shows the limits of a runner, and when it was last heard of": async (storage) => {
    const limits = { concurrency: 10, queues: { default: {}, mail: { globalConcurrency: 2, perSecond: 0.5 } } };
    const first = await storage.runners.register({ name: "first", kinds: ["log"], limits }, now);
    const second = await storage.runners.register({ name: "second", kinds: [] }, now + 1);
    await storage.runners.beat(first, now + 7);
    const found = (await storage.runners.live()).map(({ beat: _beat, ...runner }) => runner);
    assert.deepEqual(found, [
      { id: first, name: "first", kinds: ["log"], limits, isIdle: false, beatAt: now + 7 },
      { id: second, name: "second", kinds: [], limits: undefined, isIdle: false, beatAt: now + 1 },
    ]);
  },
  "lets a runner say that it is idle only while no job is ready, running or blocked": async (storage) => {
    const runnerId = await storage.runners.register({ name: "resting", kinds: [] }, now);
    const rests = async (): Promise<boolean | undefined> => (await storage.runners.rest(runnerId, now + 5))?.isIdle;
    const isMarked = async (): Promise<boolean | undefined> => (await storage.runners.live())[0]?.isIdle;
    const before = (await storage.runners.live())[0]?.beat ?? 0;
    const found = await storage.runners.rest(runnerId, now + 5);
    assert.deepEqual([found?.isIdle, found?.dueAt], [true, undefined]);
    assert.deepEqual(
      found?.live.map(({ id, beat, beatAt, isIdle }) => ({ id, beats: beat - before, beatAt, isIdle })),
      [{ id: runnerId, beats: 1, beatAt: now + 5, isIdle: true }],
    );
    assert.equal(await storage.runners.beat(runnerId, now + 6), true);
    assert.equal(await isMarked(), false);
    assert.equal(await rests(), true);
    await storage.jobs.enqueue([newJob({ dueAt: now + 90_000 })], now);
    assert.deepEqual((await storage.runners.rest(runnerId, now + 5))?.dueAt, now + 90_000);
    const orderKey = "one";
    await storage.jobs.enqueue([newJob({ orderKey }), newJob({ orderKey })], now);
    assert.equal(await rests(), false);
    const first = await claimOne(storage);
    // One runs, and the other is blocked behind it.
    assert.equal(await rests(), false);
    await end(storage, first, { to: "scheduled", at: now + 60_000, error: "later" });
    assert.equal(await rests(), false);
  },
  "takes back that a runner is idle with the claim that ends it, and only with one that finds jobs": async (
    storage,
  ) => {
    const runnerId = await storage.runners.register({ name: "resting", kinds: [] }, now);
    await storage.runners.rest(runnerId, now);
    const state = async () => {
      const [runner] = await storage.runners.live();
      return [runner?.isIdle, runner?.beatAt];
    };
    assert.deepEqual(await claim(storage, { runnerId, endsIdle: true, now: now + 8 }), []);
    assert.deepEqual(await state(), [true, now]);
    await enqueueOne(storage);
    assert.equal((await claim(storage, { runnerId, endsIdle: true, now: now + 9 })).length, 1);
    assert.deepEqual(await state(), [false, now + 9]);
  },
  "tells a runner that was declared dead so when it wants to rest": async (storage) => {
    const runnerId = await storage.runners.register({ name: "gone", kinds: [] }, now);
    await storage.runners.recover(runnerId, policy);
    assert.equal(await storage.runners.rest(runnerId, now), undefined);
  },
  "leaves out replaced jobs when asked to": async (storage) => {
    const id = await enqueueOne(storage);
    await end(storage, await claimOne(storage), { to: "dead", error: "boom" });
    const dead = { state: "dead", current: true } as const;
    assert.equal(await storage.jobRecords.count(dead, 10), 1);
    await storage.jobRecords.retry(id, now);
    assert.equal(await storage.jobRecords.count(dead, 10), 0);
    assert.deepEqual(await storage.jobRecords.list({ ...dead, limit: 10 }), []);
    assert.equal(await storage.jobRecords.count({ state: "dead" }, 10), 1);
  },
  "hands out no more jobs of a queue than may run at once over all runners": async (storage) => {
    await storage.jobs.enqueue([...Array.from({ length: 9 }, () => newJob()), newJob({ queue: "mail" })], now);
    const globalLimit = 3;
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    const [own] = await claim(storage, { runnerId, limit: 1, globalLimit });
    assert.ok(own);
    const rest = await Promise.all(
      [1, 2, 3, 4].map((runner) => claim(storage, { runnerId: 900_000 + runner, limit: 2, globalLimit })),
    );
    const [next, last] = rest.flat();
    assert.equal(rest.flat().length, 2);
    assert.deepEqual(await claim(storage, { globalLimit, pick: "arrival" }), []);
    assert.equal((await claim(storage, { queue: "mail", globalLimit })).length, 1);
    assert.ok(next && last);
    await end(storage, next, { to: "done" });
    await end(storage, last, { to: "scheduled", at: now + 5, error: "boom" });
    assert.equal((await claim(storage, { globalLimit: 2 })).length, 1);
    await storage.runners.recover(runnerId, policy);
    assert.equal((await claim(storage, { globalLimit })).length, 2);
    assert.equal((await claim(storage, { globalLimit: 1 })).length, 0);
    assert.equal((await claim(storage, { limit: 1 })).length, 1);
  },
  "tells since when jobs have been ready, not since when they have been stored": async (storage) => {
    const { jobs } = storage;
    const since = async () => (await storage.queues.list()).map(({ oldestReadyAt }) => oldestReadyAt);
    await jobs.enqueue([newJob({ orderKey: "a", onRetry: "yield" }), newJob({ orderKey: "a" })], now);
    assert.deepEqual(await since(), [now]);
    const first = await claimOne(storage);
    await jobs.finish([{ job: first, end: { to: "scheduled", at: now + 50, error: "boom" } }], now + 10);
    assert.deepEqual(await since(), [now + 10]);
    const second = await claimOne(storage);
    await jobs.promoteDue(now + 60);
    assert.deepEqual(await since(), []);
    await jobs.finish([{ job: second, end: { to: "ready" } }], now + 70);
    assert.deepEqual(await since(), [now + 70]);
    await end(storage, await claimOne(storage), { to: "done" });
    const again = await claimOne(storage);
    await end(storage, again, { to: "snoozed", at: now + 90 });
    await jobs.promoteDue(now + 95);
    assert.deepEqual(await since(), [now + 95]);
    const later = await enqueueOne(storage, { queue: "mail", dueAt: now + 999 });
    await storage.jobRecords.retry(later, now + 5);
    assert.deepEqual(await since(), [now + 95, now + 5]);
  },
  "takes the oldest first when asked to go by arrival, whatever its priority": async (storage) => {
    const first = await enqueueOne(storage, { priority: 5 });
    const [urgent, second] = await storage.jobs.enqueue([newJob({ priority: -3 }), newJob({ priority: 5 })], now);
    assert.deepEqual(
      (await claim(storage, { pick: "arrival", limit: 2 })).map(({ id }) => id),
      [first, second],
    );
    assert.deepEqual(
      (await claim(storage, { pick: "arrival" })).map(({ id }) => id),
      [urgent],
    );
    assert.deepEqual(await claim(storage, { pick: "arrival" }), []);
  },
  "hands out a suspect only to a claim that asks for suspects": async (storage) => {
    const id = await enqueueOne(storage, { maxAttempts: 9 });
    for (let loss = 1; loss <= 2; loss += 1) {
      assert.equal(await storage.jobs.canClaim({ queue: "default", pick: "suspects" }), false);
      const runnerId = await storage.runners.register({ name: `runner ${loss}`, kinds: [] }, now);
      await claimOne(storage, { runnerId });
      await storage.runners.recover(runnerId, policy);
      await storage.jobs.promoteDue(now + 60_000);
    }
    assert.equal(await storage.jobs.canClaim({ queue: "default", pick: "suspects" }), true);
    assert.equal(await storage.jobs.canClaim({ queue: "mail", pick: "suspects" }), false);
    const other = await enqueueOne(storage);
    assert.deepEqual(
      (await claim(storage)).map((job) => job.id),
      [other],
    );
    assert.deepEqual(await claim(storage, { pick: "arrival" }), []);
    const [suspect] = await claim(storage, { pick: "suspects" });
    assert.deepEqual([suspect?.id, suspect?.losses], [id, 2]);
  },
  "says that a suspect can be claimed only where its queue is not paused and its limit leaves room": async (
    storage,
  ) => {
    const suspects = { queue: "default", pick: "suspects" } as const;
    await enqueueOne(storage, { maxAttempts: 9 });
    for (let loss = 1; loss <= 2; loss += 1) {
      const runnerId = await storage.runners.register({ name: `runner ${loss}`, kinds: [] }, now);
      await claimOne(storage, { runnerId });
      await storage.runners.recover(runnerId, policy);
      await storage.jobs.promoteDue(now + 60_000);
    }
    await storage.queues.pause("default", undefined, now);
    assert.equal(await storage.jobs.canClaim(suspects), false);
    await storage.queues.resume("default");
    assert.equal(await storage.jobs.canClaim(suspects), true);
    assert.equal(await storage.jobs.canClaim({ ...suspects, kinds: ["other"] }), false);
    assert.equal(await storage.jobs.canClaim({ ...suspects, globalLimit: 1 }), true);
    await enqueueOne(storage);
    await claimOne(storage);
    assert.equal(await storage.jobs.canClaim({ ...suspects, globalLimit: 1 }), false);
  },
  "hands out only jobs of the kinds that are asked for": async (storage) => {
    const { jobs } = storage;
    await jobs.enqueue([newJob({ kind: "new" }), newJob({ kind: "old" }), newJob({ kind: "older", priority: 7 })], now);
    const kinds = ["old", "older"];
    assert.deepEqual(await storage.queues.readyKinds(), [
      { kind: "new", ready: 1 },
      { kind: "old", ready: 1 },
      { kind: "older", ready: 1 },
    ]);
    assert.deepEqual(await claim(storage, { kinds: [] }), []);
    assert.equal(await jobs.canClaim({ queue: "default", kinds: ["none"] }), false);
    assert.equal((await claimOne(storage, { kinds, pick: "arrival" })).kind, "old");
    assert.equal((await claimOne(storage, { kinds })).kind, "older");
    assert.deepEqual(await claim(storage, { kinds }), []);
    const offer = { runnerId: 900_001, queue: "default", limit: 1, kinds };
    assert.equal((await jobs.enqueueFor(offer, [newJob({ kind: "old" })], now)).claimed.length, 1);
    assert.equal((await claimOne(storage)).kind, "new");
  },
  "does not blame a job for the end of a runner that was told to stop, unless it ran alone": async (storage) => {
    const id = await enqueueOne(storage, { maxAttempts: 99 });
    const lose = async (stopping: boolean, pick: "priority" | "suspects") => {
      const runnerId = await storage.runners.register({ name: "node", kinds: ["log"] }, now);
      await storage.jobs.promoteDue(now + 60_000);
      await claimOne(storage, { runnerId, pick });
      if (stopping) await storage.runners.stopping(runnerId);
      return storage.runners.recover(runnerId, policy);
    };
    for (let deploy = 0; deploy < 4; deploy += 1) {
      assert.deepEqual(await lose(true, "priority"), { recovered: 1, dead: [] });
      assert.equal((await storage.jobRecords.find(id))?.losses, 0);
    }
    await lose(false, "priority");
    await lose(false, "priority");
    assert.deepEqual(await lose(true, "suspects"), {
      recovered: 0,
      dead: [{ id, kind: "log", eventId: undefined, losses: 3 }],
    });
  },
  "keeps a job that has committed until its handler returns, and never runs it again": async (storage) => {
    const [first = 0, second = 0] = await storage.jobs.enqueue(
      [newJob({ orderKey: "o" }), newJob({ orderKey: "o" })],
      now,
    );
    const job = await claimOne(storage);
    assert.equal(job.isOrdered, true);
    await end(storage, job, { to: "committed" });
    assert.deepEqual([await stateOf(storage, first), await stateOf(storage, second)], ["running", "blocked"]);
    assert.equal(await storage.jobs.leaseState(job), "committed");
    assert.deepEqual(await storage.jobs.finish([{ job, end: { to: "committed" } }], now), [false]);
    assert.equal(await storage.jobs.leaseState(job), "committed");
    assert.equal(await storage.jobRecords.cancel(first, now), "requested");
    await end(storage, job, { to: "scheduled", at: now, error: "after the commit" });
    assert.deepEqual([await stateOf(storage, first), await stateOf(storage, second)], ["done", "ready"]);
    assert.deepEqual(await storage.jobRecords.failures(first, 9), []);
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    await end(storage, await claimOne(storage, { runnerId }), { to: "committed" });
    assert.deepEqual(await storage.runners.recover(runnerId, policy), { recovered: 0, dead: [] });
    assert.equal(await stateOf(storage, second), "done");
  },
  "shows the running jobs that a runner holds, and those whose runner is not on the list": async (storage) => {
    const [mine, other, dead] = await Promise.all(
      ["mine", "other", "dead"].map((name) => storage.runners.register({ name, kinds: [] }, now)),
    );
    const claims: ClaimedJob[] = [];
    for (const runnerId of [mine, other, 4711]) {
      await enqueueOne(storage);
      claims.push(await claimOne(storage, { runnerId: runnerId ?? 0 }));
    }
    await storage.runners.recover(dead ?? 0, policy);
    const held = (leases: readonly Lease[]) => leases.map(({ id, lease }) => `${id}/${lease}`).toSorted();
    const [one, , orphan] = claims;
    assert.ok(one !== undefined && orphan !== undefined);
    assert.deepEqual(held(await storage.runners.heldOrOrphaned(mine ?? 0)), held([one, orphan]));
    assert.deepEqual(held(await storage.runners.heldOrOrphaned(0)), held([orphan]));
    await end(storage, orphan, { to: "done" });
    assert.deepEqual(await storage.runners.heldOrOrphaned(0), []);
  },
  "takes a job back only from the lease that is named, with one more loss, and gives up at the third": async (
    storage,
  ) => {
    const id = await enqueueOne(storage, { maxAttempts: 9, orderKey: "o" });
    const second = await enqueueOne(storage, { orderKey: "o" });
    const lose = async (pick: "priority" | "suspects") => {
      await storage.jobs.promoteDue(now + 100_000);
      const job = await claimOne(storage, { pick });
      const stale = { id: job.id, lease: job.lease + 1 };
      assert.deepEqual(await storage.runners.takeBack([stale], policy), { recovered: 0, dead: [] });
      assert.equal(await storage.jobs.leaseState(job), "held");
      const result = await storage.runners.takeBack([job, stale], policy);
      assert.equal(await storage.jobs.leaseState(job), "lost");
      assert.deepEqual(await storage.jobs.finish([{ job, end: { to: "done" } }], now), [false]);
      return result;
    };
    assert.deepEqual(await lose("priority"), { recovered: 1, dead: [] });
    assert.equal((await storage.jobRecords.find(id))?.losses, 1);
    assert.deepEqual(await lose("priority"), { recovered: 1, dead: [] });
    const dead = [{ id, kind: "log", eventId: undefined, losses: 3 }];
    assert.deepEqual(await lose("suspects"), { recovered: 0, dead });
    assert.equal(await stateOf(storage, second), "ready");
    assert.deepEqual(await storage.runners.takeBack([], policy), { recovered: 0, dead: [] });
  },
};
