import assert from "node:assert/strict";
import type { JobEnd } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";
import { claim, claimOne, enqueueOne, newJob, now, policy, stateOf as stateOfJob } from "./job-fixtures.ts";
import { idNumber } from "./rows.ts";

const endAt = async (storage: Storage, end: JobEnd, at: number): Promise<number> => {
  const id = await enqueueOne(storage);
  const job = await claimOne(storage);
  await storage.jobs.finish([{ job, end }], at);
  return id;
};

const ids = async ({ jobRecords }: Storage): Promise<readonly number[]> =>
  (await jobRecords.list({ limit: 100 })).map(({ id }) => id).toReversed();

/** What every `Housekeeping` promises, and what `ScheduleSlots` promises, on a fresh storage. */
export const housekeepingContract: Contract<Storage> = {
  "deletes jobs that ended some way long enough ago, and no others": async (storage) => {
    const waiting = await enqueueOne(storage, { queue: "other" });
    const old = await endAt(storage, { to: "done" }, now - 10);
    const fresh = await endAt(storage, { to: "done" }, now);
    const cancelled = await endAt(storage, { to: "cancelled" }, now - 10);
    const dead = await endAt(storage, { to: "dead", error: "no use" }, now - 10);
    assert.equal(await storage.housekeeping.prune("done_jobs", now, 1000), 1);
    assert.deepEqual(await ids(storage), [waiting, fresh, cancelled, dead]);
    assert.equal(await storage.jobRecords.find(old), undefined);
    assert.equal(await storage.housekeeping.prune("cancelled_jobs", now, 1000), 1);
    assert.equal(await storage.housekeeping.prune("dead_jobs", now, 1000), 1);
    assert.deepEqual(await storage.jobRecords.failures(dead, 10), []);
    assert.equal(await storage.housekeeping.prune("done_jobs", now, 1000), 0);
    assert.deepEqual(await ids(storage), [waiting, fresh]);
  },
  "keeps what was cancelled or is dead of an event for as long as the event": async (storage) => {
    await storage.events.accept([newEvent("cancelled"), newEvent("dead")]);
    const [dead, cancelled] = (await storage.jobRecords.list({ limit: 5 })).map(({ id }) => id);
    await storage.jobRecords.cancel(cancelled ?? 0, now - 10);
    await storage.jobs.finish([{ job: await claimOne(storage), end: { to: "dead", error: "no use" } }], now - 10);
    assert.equal(await storage.housekeeping.prune("cancelled_jobs", now, 1000), 0);
    assert.equal(await storage.housekeeping.prune("dead_jobs", now, 1000), 0);
    assert.deepEqual(await ids(storage), [cancelled, dead]);
    assert.deepEqual(
      (await storage.events.list({ limit: 5 })).map(({ state }) => state),
      ["dead", "cancelled"],
    );
  },
  "deletes so many at a time": async (storage) => {
    for (let count = 0; count < 3; count += 1) await endAt(storage, { to: "done" }, now - 10);
    assert.equal(await storage.housekeeping.prune("done_jobs", now, 2), 2);
    assert.equal(await storage.housekeeping.prune("done_jobs", now, 2), 1);
  },
  "deletes an event with its jobs and its key, once none of them is to run": async (storage) => {
    const received = { receivedAt: now - 10 };
    await storage.events.accept([newEvent("done", received), newEvent("dead", received), newEvent("open", received)]);
    await storage.events.accept([
      newEvent("ignored", { ...received, disposition: "ignored", jobs: [] }),
      newEvent("new"),
    ]);
    const [done, dead] = await claim(storage, { limit: 2 });
    assert.ok(done && dead);
    await storage.jobs.finish(
      [
        { job: done, end: { to: "done" } },
        { job: dead, end: { to: "dead", error: "no use" } },
      ],
      now - 10,
    );
    const answer = {
      handler: "forward:a",
      attempt: 1,
      at: now,
      ms: 1,
      status: 200,
      headers: {},
      body: "",
      error: undefined,
    };
    await storage.forwards.keep([{ ...answer, eventId: done.eventId ?? 0 }]);
    await storage.notes.add({ id: idNumber(1), eventId: done.eventId ?? 0, at: 1, author: "ada", text: "odd" });
    assert.equal(await storage.housekeeping.prune("dead_jobs", now, 1000), 0);
    assert.equal(await storage.housekeeping.prune("events", now, 1000), 3);
    assert.deepEqual(
      (await storage.events.list({ limit: 10 })).map(({ eventId }) => eventId),
      ["new", "open"],
    );
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 2);
    assert.deepEqual(await storage.jobRecords.failures(dead.id, 5), []);
    assert.deepEqual(await storage.forwards.list(done.eventId ?? 0, 5), []);
    assert.deepEqual(await storage.notes.list(done.eventId ?? 0, 5), []);
    const [again] = await storage.events.accept([newEvent("done", received)]);
    assert.equal(again?.outcome, "accepted");
  },
  "deletes the bodies of events that nobody needs any more, and keeps the events": async (storage) => {
    const { events, jobs, housekeeping } = storage;
    const received = { receivedAt: now - 10 };
    const none = { ...received, reason: "x", jobs: [] };
    await events.accept([
      newEvent("processed", { ...received, query: "a=1" }),
      newEvent("dead", received),
      newEvent("cancelled", received),
    ]);
    await events.accept([
      newEvent("ignored", { ...none, disposition: "ignored" }),
      newEvent("quarantined", { ...none, disposition: "quarantined" }),
      newEvent("waiting", received),
      newEvent("new"),
    ]);
    const [processed, dead, cancelled] = await claim(storage, { limit: 3 });
    assert.ok(processed && dead && cancelled);
    await jobs.finish(
      [
        { job: processed, end: { to: "done" } },
        { job: dead, end: { to: "dead", error: "no use" } },
        { job: cancelled, end: { to: "cancelled" } },
      ],
      now,
    );
    assert.equal(await housekeeping.prune("bodies", now, 2), 2);
    assert.equal(await housekeeping.prune("bodies", now, 1000), 1);
    assert.equal(await housekeeping.prune("bodies", now, 1000), 0);
    const all = await events.list({ limit: 10 });
    assert.deepEqual(
      all.flatMap(({ eventId, bodyKept }) => (bodyKept ? [eventId] : [])),
      ["new", "waiting", "quarantined", "dead"],
    );
    const stored = await events.find(processed.eventId ?? 0);
    assert.deepEqual([stored?.state, stored?.body, stored?.headers], ["processed", undefined, {}]);
    assert.equal(stored?.query, undefined);
    const [repeat] = await events.accept([newEvent("processed", { ...received, bodySha256: "b".repeat(64) })]);
    assert.deepEqual(repeat, { outcome: "duplicate", id: processed.eventId, sameBody: false });

    const replay = all.map(({ id }) => ({ id, extraJobs: newEvent("").jobs }));
    assert.deepEqual(await events.replay(replay, { includeDone: true, now }), [0, 0, 1, 0, 0, 1, 0]);
    assert.equal(await storage.jobRecords.retry(cancelled.id, now), undefined);
    assert.equal(await housekeeping.prune("events", now, 1000), 3);
  },
  "takes no body from an event that is replayed at the same moment": async (storage) => {
    const { events, housekeeping } = storage;
    for (let round = 0; round < 10; round += 1) {
      const [accepted] = await events.accept([newEvent(`evt_${round}`, { receivedAt: now - 10 })]);
      const id = accepted?.id ?? 0;
      await storage.jobs.finish([{ job: await claimOne(storage), end: { to: "done" } }], now);
      const what = round % 2 === 0 ? "bodies" : "events";
      const [[made] = []] = await Promise.all([
        events.replay([{ id, extraJobs: [] }], { includeDone: true, now }),
        housekeeping.prune(what, now, 10),
      ]);
      assert.equal((await events.find(id))?.body !== undefined, made === 1, "one of the two");
      for (const job of await claim(storage)) await storage.jobs.finish([{ job, end: { to: "done" } }], now);
    }
  },
  "says how many are due, and since when, and deletes the same": async (storage) => {
    const { housekeeping } = storage;
    const none = { rows: 0, oldest: undefined };
    for (const what of ["bodies", "events", "done_jobs", "cancelled_jobs", "dead_jobs"] as const) {
      assert.deepEqual(await housekeeping.due(what, now, 10), none, what);
    }
    const ignored = { disposition: "ignored", reason: "x", jobs: [] } as const;
    await storage.events.accept([
      newEvent("first", { ...ignored, receivedAt: now - 30 }),
      newEvent("second", { ...ignored, receivedAt: now - 20 }),
      newEvent("quarantined", { ...ignored, disposition: "quarantined", receivedAt: now - 40 }),
      newEvent("waits", { receivedAt: now - 50, jobs: [{ kind: "log", queue: "other", maxAttempts: 3 }] }),
      newEvent("new", { ...ignored, receivedAt: now }),
    ]);
    assert.deepEqual(await housekeeping.due("bodies", now, 10), { rows: 2, oldest: now - 30 });
    assert.deepEqual(await housekeeping.due("events", now, 10), { rows: 3, oldest: now - 40 });
    assert.equal((await housekeeping.due("events", now, 2)).rows, 2);
    assert.equal(await housekeeping.prune("bodies", now, 10, now - 25), 1);
    assert.deepEqual(await housekeeping.due("bodies", now, 10), { rows: 1, oldest: now - 30 });
    assert.deepEqual(await housekeeping.due("events", now, 10), { rows: 3, oldest: now - 40 });
    const ended = await endAt(storage, { to: "done" }, now - 15);
    assert.deepEqual(await housekeeping.due("done_jobs", now, 10), { rows: 1, oldest: now - 15 });
    assert.equal(await storage.housekeeping.prune("done_jobs", now, 10), 1);
    assert.equal(await storage.jobRecords.find(ended), undefined);
    assert.equal(await housekeeping.prune("events", now, 10), 3);
    assert.deepEqual(await housekeeping.due("events", now, 10), none);
  },
  "passes once over what stays, and comes back to it": async (storage) => {
    const { housekeeping, events } = storage;
    const ignored = { disposition: "ignored", reason: "x", jobs: [] } as const;
    const stays = { ...ignored, disposition: "quarantined" } as const;
    await events.accept(
      Array.from({ length: 12 }, (_, at) =>
        newEvent(`evt_${at}`, { ...(at % 2 === 0 ? ignored : stays), receivedAt: now - 100 + at }),
      ),
    );
    const counts: number[] = [];
    for (let call = 0; call < 4; call += 1) counts.push(await housekeeping.prune("bodies", now, 2));
    assert.deepEqual(counts, [2, 2, 2, 0]);
    await events.accept([newEvent("late", { ...ignored, receivedAt: now - 200 })]);
    assert.equal(await housekeeping.prune("bodies", now, 2), 1);
  },
  "deletes runners that were declared dead, and leaves the others": async (storage) => {
    const dead = await storage.runners.register({ name: "dead", kinds: [] }, now - 10);
    const live = await storage.runners.register({ name: "live", kinds: [] }, now - 10);
    await storage.runners.recover(dead, policy);
    assert.equal(await storage.housekeeping.prune("runners", now, 1000), 1);
    assert.deepEqual(
      (await storage.runners.live()).map(({ id }) => id),
      [live],
    );
  },
  "gives each time of a schedule to one caller, with its job": async (storage) => {
    const fired = { name: "report", slot: now, job: newJob({ kind: "report", payload: { slot: now } }) };
    assert.equal(await storage.scheduleSlots.last("report"), undefined);
    const answers = await Promise.all([1, 2, 3, 4].map(() => storage.scheduleSlots.fire(fired, now)));
    assert.equal(answers.filter(Boolean).length, 1);
    assert.equal(await storage.scheduleSlots.fire({ ...fired, name: "other" }, now), true);
    assert.equal(await storage.scheduleSlots.fire({ ...fired, slot: now - 60_000 }, now), true);
    assert.equal(await storage.scheduleSlots.fire(fired, now), false);
    assert.equal(await storage.scheduleSlots.last("report"), now);
    assert.deepEqual(
      (await claim(storage)).map(({ kind }) => kind),
      ["report", "report", "report"],
    );
  },
  "takes no time of a schedule that is paused, and names its newest job": async (storage) => {
    const { scheduleSlots } = storage;
    const job = newJob({ kind: "report" });
    const stateOf = async () => (await scheduleSlots.states()).find(({ name }) => name === "report");
    assert.equal(await stateOf(), undefined);
    await scheduleSlots.resume("report", now);
    assert.equal(await scheduleSlots.fire({ name: "report", slot: now, job }, now), true);
    const [first] = await storage.jobRecords.list({ kind: "report", limit: 5 });
    const unpaused = { pausedAt: undefined, note: undefined, resumedAt: undefined };
    const idle = { name: "report", lastJob: first?.id, seenAt: undefined, ...unpaused };
    assert.deepEqual(await stateOf(), idle);
    await Promise.all([1, 2].map(() => scheduleSlots.pause("report", "the office is closed", now + 1)));
    await scheduleSlots.pause("report", undefined, now + 2);
    assert.deepEqual(await stateOf(), { ...idle, pausedAt: now + 1 });
    await scheduleSlots.pause("report", "the office is closed", now + 2);
    assert.deepEqual(await stateOf(), { ...idle, pausedAt: now + 1, note: "the office is closed" });
    assert.equal(await scheduleSlots.fire({ name: "report", slot: now + 60_000, job }, now + 60_000), false);
    assert.equal(await scheduleSlots.last("report"), now);
    assert.equal(await scheduleSlots.fire({ name: "other", slot: now, job }, now), true);
    const lastJob = await scheduleSlots.run("report", { ...job, payload: { slot: now } }, now + 61_000);
    assert.equal(await stateOfJob(storage, lastJob), "ready");
    await scheduleSlots.resume("report", now + 62_000);
    assert.deepEqual(await stateOf(), { ...idle, lastJob, resumedAt: now + 62_000 });
    assert.equal(await scheduleSlots.fire({ name: "report", slot: now + 120_000, job }, now + 120_000), true);
    assert.deepEqual(
      (await scheduleSlots.states()).map(({ name }) => name),
      ["other", "report"],
    );
  },
  "keeps when each schedule was first seen": async (storage) => {
    const { scheduleSlots } = storage;
    const seen = async () => (await scheduleSlots.states()).map(({ name, seenAt }) => [name, seenAt]);
    await scheduleSlots.see([], now);
    await scheduleSlots.pause("paused", undefined, now - 10);
    assert.deepEqual(await seen(), [["paused", undefined]]);
    await Promise.all([1, 2, 3].map(() => scheduleSlots.see(["b", "paused"], now)));
    await scheduleSlots.see(["paused", "b", "a"], now + 10);
    assert.deepEqual(await seen(), [
      ["a", now + 10],
      ["b", now],
      ["paused", now],
    ]);
    assert.equal(await scheduleSlots.last("a"), undefined);
    assert.equal(await scheduleSlots.fire({ name: "a", slot: now, job: newJob() }, now), true);
    assert.equal((await scheduleSlots.states())[0]?.seenAt, now + 10);
  },
  "pauses and runs a schedule with the transaction, or not at all": async (storage) => {
    const failing = storage.transaction(async ({ scheduleSlots }) => {
      await scheduleSlots.pause("report", undefined, now);
      await scheduleSlots.run("report", newJob(), now);
      throw new Error("rolled back");
    });
    await assert.rejects(failing, /rolled back/);
    assert.deepEqual(await storage.scheduleSlots.states(), []);
    assert.deepEqual(await claim(storage), []);
  },
  "deletes old times of a schedule, but never the newest": async (storage) => {
    for (const slot of [now - 30, now - 20, now - 10]) {
      await storage.scheduleSlots.fire({ name: "report", slot, job: newJob() }, now);
    }
    assert.equal(await storage.housekeeping.prune("slots", now, 1000), 2);
    assert.equal(await storage.scheduleSlots.last("report"), now - 10);
  },
  "moves what is written ahead without losing any": async (storage) => {
    const id = await enqueueOne(storage);
    await storage.housekeeping.checkpoint();
    assert.ok(await storage.jobRecords.find(id));
  },
};
