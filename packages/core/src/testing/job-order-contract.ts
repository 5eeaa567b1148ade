import assert from "node:assert/strict";
import type { JobEnd, NewJob } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";
import { claim, claimOne, end, enqueueOne, newJob, now, policy, stateOf } from "./job-fixtures.ts";

const inOrder = (changes: Partial<NewJob> = {}): NewJob => newJob({ orderKey: "customer:42", ...changes });
const done: JobEnd = { to: "done" };

const states = async (storage: Storage, ids: readonly number[]) => Promise.all(ids.map((id) => stateOf(storage, id)));

/** What the stores of jobs promise about order keys and unique keys. */
export const jobOrderContract: Contract<Storage> = {
  "runs jobs of one order key one at a time, in the order they were stored": async (storage) => {
    const ids = await storage.jobs.enqueue([inOrder(), inOrder(), newJob()], now);
    const later = await storage.jobs.enqueue([inOrder()], now);
    const line = [...ids.slice(0, 2), ...later];
    assert.deepEqual(await states(storage, line), ["ready", "blocked", "blocked"]);
    for (const id of line) {
      const claimed = (await claim(storage)).filter((job) => job.id !== ids[2]);
      assert.deepEqual(
        claimed.map((job) => job.id),
        [id],
      );
      for (const job of claimed) await end(storage, job, done);
    }
    assert.equal(await stateOf(storage, await enqueueOne(storage, { orderKey: "customer:42" })), "ready");
  },
  "leaves the turn with a job whose time comes together with that of one that let it go ahead": async (storage) => {
    const yielding = { orderKey: "o", onRetry: "yield" } as const;
    const first = await enqueueOne(storage, yielding);
    await end(storage, await claimOne(storage), { to: "scheduled", at: now + 10, error: "boom" });
    const second = await enqueueOne(storage, { ...yielding, dueAt: now + 5 });
    const third = await enqueueOne(storage, yielding);
    assert.deepEqual(await states(storage, [first, second, third]), ["scheduled", "scheduled", "blocked"]);
    await storage.jobs.promoteDue(now + 10);
    assert.deepEqual(await states(storage, [first, second, third]), ["blocked", "ready", "blocked"]);
    assert.equal(await storage.jobs.repairTurns(now + 10), 0);
    for (const id of [second, first, third]) {
      const job = await claimOne(storage);
      assert.equal(job.id, id);
      await end(storage, job, done);
    }
  },
  "tells order keys apart bytewise": async (storage) => {
    const keys = ["a", "A", "á", "a "];
    const ids = await storage.jobs.enqueue(
      keys.map((orderKey) => newJob({ orderKey })),
      now,
    );
    assert.equal((await claim(storage)).length, 4);
    assert.deepEqual(await Promise.all(ids.map(async (id) => (await storage.jobRecords.find(id))?.orderKey)), keys);
  },
  "keeps the turn of a job that will run again, and passes it on when it has ended": async (storage) => {
    const ends: readonly [JobEnd, "blocked" | "ready"][] = [
      [{ to: "scheduled", at: now, error: "boom" }, "blocked"],
      [{ to: "snoozed", at: now }, "blocked"],
      [{ to: "ready" }, "blocked"],
      [{ to: "dead", error: "no use" }, "ready"],
    ];
    const [first, second] = await storage.jobs.enqueue([inOrder({ maxAttempts: 9 }), inOrder()], now);
    for (const [how, next] of ends) {
      await storage.jobs.promoteDue(now);
      const job = await claimOne(storage);
      assert.equal(job.id, first);
      await end(storage, job, how);
      assert.equal(await stateOf(storage, second ?? 0), next, how.to);
    }
  },
  "passes the turn on when its holder is cancelled, waiting or running, or lost for good": async (storage) => {
    const [a, b, c, d] = await storage.jobs.enqueue([inOrder(), inOrder(), inOrder(), inOrder()], now);
    assert.equal(await storage.jobRecords.cancel(a ?? 0, now), "cancelled");
    assert.equal(await stateOf(storage, b ?? 0), "ready");
    await end(storage, await claimOne(storage), { to: "cancelled" });
    assert.equal(await stateOf(storage, c ?? 0), "ready");
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    await claimOne(storage, { runnerId });
    await storage.runners.recover(runnerId, { ...policy, maxLosses: 1 });
    assert.deepEqual(await states(storage, [c ?? 0, d ?? 0]), ["dead", "ready"]);
  },
  "leaves the turn where it is when a blocked job is cancelled, and skips it later": async (storage) => {
    const [a, b, c] = await storage.jobs.enqueue([inOrder(), inOrder(), inOrder()], now);
    assert.equal(await storage.jobRecords.cancel(b ?? 0, now), "cancelled");
    assert.deepEqual(await states(storage, [a ?? 0, b ?? 0, c ?? 0]), ["ready", "cancelled", "blocked"]);
    await end(storage, await claimOne(storage), done);
    assert.deepEqual(await states(storage, [b ?? 0, c ?? 0]), ["cancelled", "ready"]);
  },
  "keeps a job for later blocked while it is not its turn, and scheduled when it is": async (storage) => {
    const [, later] = await storage.jobs.enqueue([inOrder(), inOrder({ dueAt: now + 50 })], now);
    assert.equal(await storage.jobs.promoteDue(now + 50), 0);
    await end(storage, await claimOne(storage), done);
    assert.equal(await stateOf(storage, later ?? 0), "scheduled");
    assert.equal(await storage.jobs.promoteDue(now + 50), 1);
    await claimOne(storage);
  },
  "gives a replacement its place at the end of the line": async (storage) => {
    const [first, second] = await storage.jobs.enqueue([inOrder(), inOrder()], now);
    await end(storage, await claimOne(storage), { to: "dead", error: "no use" });
    const again = await storage.jobRecords.retry(first ?? 0, now);
    assert.deepEqual(await states(storage, [second ?? 0, again ?? 0]), ["ready", "blocked"]);
  },
  "lets others of its key go ahead while a job waits for its retry, where it says so": async (storage) => {
    const { jobs } = storage;
    const ids = await jobs.enqueue([inOrder({ onRetry: "yield" }), inOrder(), inOrder()], now);
    const [first = 0, second = 0] = ids;
    await end(storage, await claimOne(storage), { to: "scheduled", at: now + 5, error: "boom" });
    assert.deepEqual(await states(storage, ids), ["scheduled", "ready", "blocked"]);
    const other = await claimOne(storage);
    assert.equal(other.id, second);
    assert.equal(await jobs.promoteDue(now + 5), 1);
    assert.deepEqual(await states(storage, ids), ["blocked", "running", "blocked"]);
    assert.equal(await jobs.nextDueAt(), undefined);
    await end(storage, other, done);
    assert.deepEqual(await states(storage, ids), ["ready", "done", "blocked"]);
    await end(storage, await claimOne(storage), { to: "snoozed", at: now + 9 });
    assert.deepEqual(await states(storage, ids), ["scheduled", "done", "ready"]);
    await end(storage, await claimOne(storage), done);
    assert.equal(await storage.jobRecords.retry(first, now), first);
    assert.deepEqual(await states(storage, ids), ["ready", "done", "done"]);
    assert.equal(await stateOf(storage, await enqueueOne(storage, { orderKey: "customer:42" })), "blocked");
  },
  "gives the turn to one of several that went back in line, and to nobody else when such a one is cancelled": async (
    storage,
  ) => {
    const { jobs } = storage;
    const ids = await jobs.enqueue(
      [1, 2, 3].map(() => inOrder({ onRetry: "yield" })),
      now,
    );
    for (let run = 0; run < 2; run += 1) {
      await end(storage, await claimOne(storage), { to: "scheduled", at: now + 5, error: "boom" });
    }
    const running = await claimOne(storage);
    assert.deepEqual(await states(storage, ids), ["scheduled", "scheduled", "running"]);
    await storage.jobRecords.cancel(ids[0] ?? 0, now);
    const fresh = await enqueueOne(storage, { orderKey: "customer:42" });
    assert.equal(await stateOf(storage, fresh), "blocked");
    await end(storage, running, { to: "scheduled", at: now + 5, error: "boom" });
    assert.equal(await stateOf(storage, fresh), "ready");
    await storage.jobRecords.cancel(fresh, now);
    assert.equal(await jobs.promoteDue(now + 5), 2);
    assert.deepEqual(await states(storage, ids), ["cancelled", "ready", "blocked"]);
  },
  "keeps the turn of a job that was asked for again at once while another of its key runs": async (storage) => {
    const unique = { key: "sync", whenTaken: "reschedule" } as const;
    const first = await enqueueOne(storage, { orderKey: "o", onRetry: "yield", unique });
    await enqueueOne(storage, { orderKey: "o" });
    await end(storage, await claimOne(storage), { to: "scheduled", at: now + 60_000, error: "boom" });
    await claimOne(storage);
    assert.equal(await enqueueOne(storage, { unique }), first);
    assert.deepEqual([await stateOf(storage, first), await claim(storage)], ["blocked", []]);
  },
  "holds the key of a dead job until somebody runs it again, in its place": async (storage) => {
    const { jobs } = storage;
    const ids = await jobs.enqueue([inOrder({ onDead: "hold" }), inOrder()], now);
    const [first = 0] = ids;
    await end(storage, await claimOne(storage), { to: "dead", error: "no use" });
    assert.deepEqual(await states(storage, ids), ["dead", "blocked"]);
    assert.equal((await storage.jobRecords.find(first))?.holdsTurn, true);
    assert.equal(await jobs.repairTurns(now), 0);
    assert.equal(await storage.housekeeping.prune("dead_jobs", now + 1, 10), 0);
    const again = await storage.jobRecords.retry(first, now);
    assert.equal((await storage.jobRecords.find(first))?.holdsTurn, false);
    const replacement = await claimOne(storage);
    assert.equal(replacement.id, again);
    assert.deepEqual(await claim(storage), []);
    await end(storage, replacement, { to: "dead", error: "still no use" });
    assert.deepEqual(await states(storage, [again ?? 0, ...ids]), ["dead", "dead", "blocked"]);
    assert.equal(await storage.jobRecords.cancel(first, now), undefined);
    assert.equal(await storage.jobRecords.cancel(again ?? 0, now), "cancelled");
    assert.deepEqual(await states(storage, [again ?? 0, ...ids]), ["cancelled", "dead", "ready"]);
    assert.equal(await storage.jobRecords.cancel(again ?? 0, now), undefined);
  },
  "holds a key for a job that lost its runners, and keeps its event with it": async (storage) => {
    const received = { receivedAt: now - 10 };
    const held = [inOrder({ onDead: "hold" })];
    await storage.events.accept([newEvent("evt_1", { ...received, jobs: held }), newEvent("evt_2", { jobs: held })]);
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    const job = await claimOne(storage, { runnerId });
    await storage.runners.recover(runnerId, { ...policy, maxLosses: 1 });
    assert.equal((await storage.jobRecords.find(job.id))?.holdsTurn, true);
    assert.equal(await storage.housekeeping.prune("events", now, 10), 0);
    assert.deepEqual(
      await storage.events.replay([{ id: job.eventId ?? 0, extraJobs: [] }], { includeDone: false, now }),
      [1],
    );
    assert.equal((await claimOne(storage)).eventId, job.eventId);
  },
  "lines up the jobs of events as any others": async (storage) => {
    const jobs = [inOrder()];
    await storage.events.accept([newEvent("evt_1", { jobs }), newEvent("evt_2", { jobs })]);
    const [blocked, ready] = await storage.jobRecords.list({ limit: 10 });
    assert.deepEqual([ready?.state, blocked?.state], ["ready", "blocked"]);
  },
  "loses no turn and gives none twice when many enqueue, end and cancel at once": async (storage) => {
    const keys = ["a", "b", "c"];
    const rounds = 5;
    /** The rounds that ran, by key and by who enqueued them. */
    const seen = new Map<string, number[]>();
    const runningKeys = new Set<unknown>();
    const enqueuers = Array.from({ length: 6 }, async (_, from) => {
      for (let round = 0; round < rounds; round += 1) {
        const ids = await storage.jobs.enqueue(
          keys.map((orderKey) => newJob({ orderKey, payload: [orderKey, from, round] })),
          now,
        );
        if (from === 0) await storage.jobRecords.cancel(ids[round % 3] ?? 0, now);
      }
    });
    let open = true;
    const claimer = async (runnerId: number): Promise<void> => {
      for (;;) {
        const wasOpen = open;
        const claimed = await claim(storage, { runnerId, limit: 2 });
        for (const { payload } of claimed) {
          const [key, from, round] = payload as [string, number, number];
          assert.ok(!runningKeys.has(key), "one at a time");
          runningKeys.add(key);
          seen.set(`${key}${from}`, [...(seen.get(`${key}${from}`) ?? []), round]);
        }
        for (const job of claimed) {
          runningKeys.delete((job.payload as [string])[0]);
          await storage.jobs.finish([{ job, end: done }], now);
        }
        const { ready, blocked, running } = await storage.jobRecords.countByState();
        if (!wasOpen && ready + blocked + running === 0) return;
      }
    };
    const claimers = [1_000_001, 1_000_002, 1_000_003].map(claimer);
    await Promise.all(enqueuers);
    open = false;
    await Promise.all(claimers);
    const { done: ended, cancelled } = await storage.jobRecords.countByState();
    assert.equal(ended + cancelled, 6 * rounds * keys.length);
    for (const ran of seen.values()) {
      assert.deepEqual(
        ran,
        ran.toSorted((left, right) => left - right),
      );
    }
  },
  "stores one job of a unique key until it has ended": async (storage) => {
    const unique = { key: "sync" };
    const first = await enqueueOne(storage, { unique, payload: 1 });
    const other = await storage.jobs.enqueue([newJob({ unique, payload: 2 }), newJob(), newJob({ unique })], now);
    assert.deepEqual([other[0], other[2]], [first, first]);
    assert.notEqual(other[1], first);
    const claimed = await claimOne(storage);
    assert.equal(claimed.payload, 1);
    assert.equal(await enqueueOne(storage, { unique }), first);
    await end(storage, claimed, { to: "scheduled", at: now, error: "boom" });
    assert.equal(await enqueueOne(storage, { unique }), first);
    await storage.jobs.promoteDue(now);
    await storage.jobRecords.cancel(other[1] ?? 0, now);
    await end(storage, await claimOne(storage), done);
    assert.notEqual(await enqueueOne(storage, { unique }), first);
  },
  "frees the unique key of a job that is dead or cancelled": async (storage) => {
    const unique = { key: "sync" };
    const first = await enqueueOne(storage, { unique });
    await storage.jobRecords.cancel(first, now);
    const second = await enqueueOne(storage, { unique });
    assert.notEqual(second, first);
    await end(storage, await claimOne(storage), { to: "dead", error: "no use" });
    assert.notEqual(await enqueueOne(storage, { unique }), second);
  },
  "stores one of several with a unique key in a batch": async (storage) => {
    const ids = await storage.jobs.enqueue([newJob({ unique: { key: "x" } }), newJob({ unique: { key: "x" } })], now);
    assert.equal(ids[0], ids[1]);
    assert.equal((await storage.jobRecords.list({ limit: 5 })).length, 1);
  },
  "stores one of several with a unique key that are enqueued at once": async (storage) => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => enqueueOne(storage, { unique: { key: "x" }, orderKey: "o" })),
    );
    assert.equal(new Set(answers).size, 1);
    assert.equal((await storage.jobRecords.list({ limit: 50 })).length, 1);
    await end(storage, await claimOne(storage), done);
    assert.equal(await stateOf(storage, await enqueueOne(storage, { orderKey: "o" })), "ready");
  },
  "gives the waiting job of a unique key the new payload or the new time, where asked": async (storage) => {
    const first = await enqueueOne(storage, { unique: { key: "x" }, payload: 1 });
    await enqueueOne(storage, { unique: { key: "x", whenTaken: "replace" }, payload: 2 });
    await enqueueOne(storage, { unique: { key: "x", whenTaken: "reschedule" }, payload: 3, dueAt: now + 9 });
    assert.equal((await storage.jobRecords.find(first))?.dueAt, now + 9);
    assert.equal(await stateOf(storage, first), "scheduled");
    await enqueueOne(storage, { unique: { key: "x", whenTaken: "reschedule" } });
    const claimed = await claimOne(storage);
    assert.equal(claimed.payload, 2);
    await enqueueOne(storage, { unique: { key: "x", whenTaken: "reschedule" }, dueAt: now + 9 });
    assert.equal(await stateOf(storage, first), "running");
  },
  "keeps the unique key of a job that runs again by hand, unless another job has it by now": async (storage) => {
    const unique = { key: "sync" };
    const first = await enqueueOne(storage, { unique });
    await end(storage, await claimOne(storage), { to: "dead", error: "no use" });
    const again = await storage.jobRecords.retry(first, now);
    assert.ok(again !== undefined);
    assert.equal(await enqueueOne(storage, { unique }), again);
    await end(storage, await claimOne(storage), { to: "dead", error: "still no use" });
    const other = await enqueueOne(storage, { unique });
    assert.notEqual(other, again);
    assert.equal(await storage.jobRecords.retry(again, now), undefined);
    await end(storage, await claimOne(storage), done);
    assert.notEqual(await storage.jobRecords.retry(again, now), undefined);
  },
};

/**
 * What the stores of jobs promise to processes that share a database, each with ids from a block of
 * its own.
 */
export const twoWritersContract: Contract<readonly [Storage, Storage]> = {
  "runs jobs of one order key in the order of the commits": async ([one, other]) => {
    const stored: number[] = [];
    for (let step = 0; step < 10; step += 1) {
      stored.push(await enqueueOne(step % 2 === 0 ? one : other, { orderKey: "customer:42", payload: step }));
    }
    assert.notDeepEqual(
      stored,
      stored.toSorted((left, right) => left - right),
      "each has a block of its own",
    );
    const ran: unknown[] = [];
    for (let step = 0; step < 10; step += 1) {
      const job = await claimOne(step % 3 === 0 ? one : other);
      ran.push(job.payload);
      await end(one, job, done);
    }
    assert.deepEqual(ran, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  },
  "hands out jobs by when they became ready": async ([one, other]) => {
    const later = await enqueueOne(one, { payload: "due", dueAt: now + 3 });
    for (let step = 0; step < 6; step += 1) {
      await (step % 2 === 0 ? one : other).jobs.enqueue([newJob({ payload: step })], now + step);
      if (step === 3) assert.equal(await other.jobs.promoteDue(now + step), 1);
    }
    const ran = (await claim(one)).map(({ id, payload }) => (id === later ? "due" : payload));
    assert.deepEqual(
      ran.filter((payload) => payload !== "due"),
      [0, 1, 2, 3, 4, 5],
    );
    assert.ok([3, 4].includes(ran.indexOf("due")), "behind what was ready before it");
  },
  "hands out jobs in the order of the commits, however wrong the clock of a process is": async ([one, other]) => {
    const hour = 3_600_000;
    const clocks = [now + hour, now, now - hour];
    const stored: number[] = [];
    for (let step = 0; step < 9; step += 1) {
      const [id = 0] = await (step % 2 === 0 ? one : other).jobs.enqueue([newJob()], clocks[step % 3] ?? now);
      stored.push(id);
    }
    const first = await claimOne(other);
    assert.deepEqual(await one.jobs.finish([{ job: first, end: { to: "ready" } }], now - hour), [true]);
    assert.deepEqual(
      (await claim(one)).map(({ id }) => id),
      [...stored.slice(1), first.id],
    );
  },
  "hands out jobs that came due meanwhile in the order of their times": async ([one, other]) => {
    const times = [40, 10, 30, 20];
    for (const [index, ms] of times.entries()) {
      await enqueueOne(index % 2 === 0 ? one : other, { dueAt: now + ms, payload: ms });
    }
    assert.equal(await other.jobs.promoteDue(now + 50), 4);
    assert.deepEqual(
      (await claim(one)).map(({ payload }) => payload),
      [10, 20, 30, 40],
    );
  },
  "takes the priority of the job that has been ready for longest by arrival": async ([one, other]) => {
    await other.jobs.enqueue([newJob({ payload: "first", priority: 5 })], now);
    await one.jobs.enqueue([newJob({ payload: "second", priority: -5 })], now + 1);
    assert.equal((await claimOne(one, { pick: "arrival" })).payload, "first");
  },
  "lines up a retry by another process behind the jobs that were stored before it": async ([one, other]) => {
    // The block of the first writer is the earlier one.
    await enqueueOne(one, { queue: "elsewhere" });
    const failed = await enqueueOne(other, { orderKey: "o" });
    await end(other, await claimOne(other), { to: "dead", error: "no use" });
    const line = [];
    for (let step = 0; step < 4; step += 1) line.push(await enqueueOne(other, { orderKey: "o" }));
    line.push(await one.jobRecords.retry(failed, now));
    for (const id of line) {
      const job = await claimOne(one);
      assert.equal(job.id, id);
      await end(one, job, done);
    }
  },
  "gives a job that let others go ahead its old place, also when the line was empty meanwhile": async ([
    one,
    other,
  ]) => {
    const first = await enqueueOne(other, { orderKey: "o", onRetry: "yield" });
    await end(other, await claimOne(other), { to: "scheduled", at: now + 5, error: "boom" });
    const second = await enqueueOne(one, { orderKey: "o" });
    const third = await enqueueOne(one, { orderKey: "o" });
    await other.jobs.promoteDue(now + 5);
    for (const id of [second, first, third]) {
      const job = await claimOne(one);
      assert.equal(job.id, id);
      await end(one, job, done);
    }
    assert.equal(await stateOf(one, await enqueueOne(one, { orderKey: "o" })), "ready");
  },
};
