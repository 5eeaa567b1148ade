import assert from "node:assert/strict";
import type { GivenUpJob } from "../ports/runners.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { failureCauseContract } from "./failure-cause-contract.ts";
import { jobControlContract } from "./job-control-contract.ts";
import { claim, claimOne, enqueueOne, newJob as job, now, policy, stateOf } from "./job-fixtures.ts";
import { jobOrderContract } from "./job-order-contract.ts";

/**
 * What every `JobQueue`, `JobRecords`, `Queues`, `ScheduleSlots` and `Runners` promises, on a fresh
 * storage.
 */
export const jobStoreContract: Contract<Storage> = {
  ...jobOrderContract,
  ...jobControlContract,
  ...failureCauseContract,
  "hands out a job with all that a runner needs": async (storage) => {
    const [id] = await storage.jobs.enqueue([job({ payload: { a: [1, "ü"] }, priority: 3 })], now - 5);
    const claimed = await claimOne(storage);
    assert.ok(claimed.lease > 0);
    const { lease: _lease, ...rest } = claimed;
    assert.deepEqual(rest, {
      id,
      kind: "log",
      queue: "default",
      attempt: 1,
      maxAttempts: 3,
      losses: 0,
      eventId: undefined,
      isOrdered: false,
      payload: { a: [1, "ü"] },
      createdAt: now - 5,
    });
    const stored = await storage.jobRecords.find(claimed.id);
    assert.equal(stored?.state, "running");
    assert.equal(stored?.startedAt, now);
  },
  "hands out by priority, then by age, from the asked queue only": async (storage) => {
    await storage.jobs.enqueue(
      [
        job({ kind: "b" }),
        job({ kind: "elsewhere", queue: "slow" }),
        job({ kind: "a", priority: -1 }),
        job({ kind: "c" }),
      ],
      now,
    );
    assert.deepEqual(
      (await claim(storage, { limit: 2 })).map(({ kind }) => kind),
      ["a", "b"],
    );
    assert.deepEqual(
      (await claim(storage)).map(({ kind }) => kind),
      ["c"],
    );
    assert.deepEqual(
      (await claim(storage, { queue: "slow" })).map(({ kind }) => kind),
      ["elsewhere"],
    );
    assert.deepEqual(await claim(storage), []);
  },
  "never hands one job to two claimers": async (storage) => {
    await storage.jobs.enqueue(
      Array.from({ length: 200 }, () => job()),
      now,
    );
    const claimed: number[] = [];
    const claimer = async (runnerId: number): Promise<void> => {
      for (;;) {
        const jobs = await claim(storage, { runnerId, limit: 7 });
        if (jobs.length === 0) {
          if ((await storage.jobRecords.countByState()).ready === 0) return;
          continue;
        }
        claimed.push(...jobs.map(({ id }) => id));
      }
    };
    await Promise.all([1, 2, 3, 4].map(claimer));
    assert.equal(claimed.length, 200);
    assert.equal(new Set(claimed).size, 200);
  },
  "ends a job once, and only for the holder of its lease": async (storage) => {
    await storage.jobs.enqueue([job()], now);
    const claimed = await claimOne(storage);
    const stranger = { id: claimed.id, lease: claimed.lease + 1_000_000 };
    const done = { to: "done" } as const;
    assert.deepEqual(await storage.jobs.finish([{ job: stranger, end: done }], now), [false]);
    assert.deepEqual(await storage.jobs.finish([{ job: claimed, end: done }], now + 7), [true]);
    assert.deepEqual(await storage.jobs.finish([{ job: claimed, end: done }], now), [false]);
    const stored = await storage.jobRecords.find(claimed.id);
    assert.equal(stored?.state, "done");
    assert.equal(stored?.finishedAt, now + 7);
  },
  "answers a batch of endings in order": async (storage) => {
    await storage.jobs.enqueue([job(), job(), job(), job()], now);
    const [a, b, c, d] = await claim(storage);
    assert.ok(a && b && c && d);
    const ends = await storage.jobs.finish(
      [
        { job: a, end: { to: "done" } },
        { job: { ...b, lease: b.lease + 1_000_000 }, end: { to: "done" } },
        { job: c, end: { to: "dead", error: "no use" } },
        { job: d, end: { to: "scheduled", at: now + 50, error: "later" } },
      ],
      now,
    );
    assert.deepEqual(ends, [true, false, true, true]);
    const { done, dead, running, scheduled, ready } = await storage.jobRecords.countByState();
    assert.deepEqual(
      { done, dead, running, scheduled, ready },
      { done: 1, dead: 1, running: 1, scheduled: 1, ready: 0 },
    );
    assert.equal((await storage.jobRecords.find(c.id))?.lastError, "no use");
    assert.deepEqual(await storage.jobs.finish([], now), []);
  },
  "ends jobs that are done in one batch, whatever waits for them": async (storage) => {
    const unique = { key: "once" };
    const [plain, ordered, next, only, lost] = await storage.jobs.enqueue(
      [job(), job({ orderKey: "a" }), job({ orderKey: "a" }), job({ unique }), job()],
      now,
    );
    const claimed = (await claim(storage)).toSorted((one, other) => one.id - other.id);
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [plain, ordered, only, lost],
    );
    const done = claimed.map((one) => ({ job: one, end: { to: "done" } as const }));
    const stale = done.map((one) =>
      one.job.id === lost ? { ...one, job: { ...one.job, lease: one.job.lease + 1 } } : one,
    );
    const again = stale.map((one) => ({ ...one }));
    assert.deepEqual(await storage.jobs.finish([...stale, ...again], now + 7), [
      ...[true, true, true, false],
      ...[false, false, false, false],
    ]);
    assert.equal(await stateOf(storage, lost ?? 0), "running");
    for (const id of [plain, ordered, only]) {
      const ended = await storage.jobRecords.find(id ?? 0);
      assert.deepEqual([ended?.state, ended?.finishedAt, ended?.holdsTurn], ["done", now + 7, false]);
    }
    assert.deepEqual(
      (await claim(storage)).map(({ id }) => id),
      [next],
    );
    assert.notEqual(await enqueueOne(storage, { unique }), only);
  },
  "runs a failed job again when it is due, and counts the attempts": async (storage) => {
    await storage.jobs.enqueue([job()], now);
    const first = await claimOne(storage);
    await storage.jobs.finish([{ job: first, end: { to: "scheduled", at: now + 500, error: "boom" } }], now);
    assert.equal(await storage.jobs.nextDueAt(), now + 500);
    assert.equal(await storage.jobs.promoteDue(now + 499), 0);
    assert.deepEqual(await claim(storage), []);
    assert.equal(await storage.jobs.promoteDue(now + 500), 1);
    assert.equal(await storage.jobs.nextDueAt(), undefined);
    const second = await claimOne(storage);
    assert.equal(second.attempt, 2);
    assert.notEqual(second.lease, first.lease);
    assert.deepEqual(await storage.jobs.finish([{ job: first, end: { to: "done" } }], now), [false]);
    assert.equal((await storage.jobRecords.find(second.id))?.lastError, "boom");
  },
  "keeps a job for later until its time has come": async (storage) => {
    await storage.jobs.enqueue([job({ dueAt: now + 10 })], now);
    assert.deepEqual(await claim(storage), []);
    assert.equal((await storage.jobRecords.list({ state: "scheduled", limit: 5 }))[0]?.dueAt, now + 10);
    await storage.jobs.promoteDue(now + 10);
    assert.equal((await claimOne(storage)).attempt, 1);
  },
  "does not count the attempt of a job that is given back": async (storage) => {
    await storage.jobs.enqueue([job()], now);
    await storage.jobs.finish([{ job: await claimOne(storage), end: { to: "ready" } }], now);
    assert.equal((await claimOne(storage)).attempt, 1);
  },
  "cuts nothing off an error of 4,096 characters": async (storage) => {
    await storage.jobs.enqueue([job()], now);
    const error = "é".repeat(4096);
    const claimed = await claimOne(storage);
    await storage.jobs.finish([{ job: claimed, end: { to: "dead", error } }], now);
    assert.equal((await storage.jobRecords.find(claimed.id))?.lastError, error);
  },
  "lists oldest first behind an id, and counts what a list has up to a bound": async (storage) => {
    const { jobs, jobRecords } = storage;
    const ids = await jobs.enqueue([job({ kind: "a" }), job({ kind: "b" }), job({ kind: "a" })], now);
    const listed = await jobRecords.list({ after: ids[0] ?? 0, limit: 10 });
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids.slice(1),
    );
    assert.equal(await jobRecords.count({ kind: "a", state: "ready" }, 10), 2);
    assert.equal(await jobRecords.count({}, 2), 2);
    assert.equal(await jobRecords.count({ state: "dead" }, 10), 0);
  },
  "lists newest first, by state and kind, page by page": async (storage) => {
    const [a, b, c] = await storage.jobs.enqueue([job({ kind: "x" }), job({ kind: "y" }), job({ kind: "x" })], now);
    assert.ok(a && b && c);
    const ids = async (query: object): Promise<number[]> =>
      (await storage.jobRecords.list({ limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), [c, b, a]);
    assert.deepEqual(await ids({ kind: "x" }), [c, a]);
    assert.deepEqual(await ids({ kind: "x", before: c }), [a]);
    assert.deepEqual(await ids({ limit: 1 }), [c]);
    await claim(storage, { limit: 1 });
    assert.deepEqual(await ids({ state: "running" }), [a]);
    assert.equal(await storage.jobRecords.find(987_654_321), undefined);
  },
  "lists the jobs of some kinds, or of all others, page by page, and counts them": async (storage) => {
    const kinds = ["mail", "upkeep", "sweep", "mail", "upkeep"];
    const made = await storage.jobs.enqueue(
      kinds.map((kind) => job({ kind })),
      now,
    );
    const places = async (query: object): Promise<number[]> =>
      (await storage.jobRecords.list({ limit: 10, ...query })).map(({ id }) => made.indexOf(id));
    const others = { kinds: { notIn: ["upkeep", "sweep"] } };
    assert.deepEqual(await places(others), [3, 0]);
    assert.deepEqual(await places({ ...others, limit: 1 }), [3]);
    assert.deepEqual(await places({ ...others, before: made[3] }), [0]);
    assert.deepEqual(await places({ ...others, after: made[0] }), [3]);
    assert.deepEqual(await places({ ...others, state: "ready" }), [3, 0]);
    assert.deepEqual(await places({ ...others, state: "dead" }), []);
    assert.deepEqual(await places({ kinds: { in: ["upkeep", "sweep"] } }), [4, 2, 1]);
    assert.deepEqual(await places({ kind: "upkeep", ...others }), []);
    assert.equal(await storage.jobRecords.count(others, 10), 2);
  },
  "knows its live runners, and raises their beats": async (storage) => {
    const first = await storage.runners.register({ name: "one", kinds: [] }, now);
    const second = await storage.runners.register({ name: "two", kinds: [] }, now);
    assert.notEqual(first, second);
    assert.equal(await storage.runners.beat(first, now), true);
    const runners = await storage.runners.live();
    assert.deepEqual(
      runners.map(({ id, name }) => ({ id, name })).toSorted((x, y) => (x.name < y.name ? -1 : 1)),
      [
        { id: first, name: "one" },
        { id: second, name: "two" },
      ],
    );
    const beatOf = (id: number): number | undefined => runners.find((runner) => runner.id === id)?.beat;
    assert.notEqual(beatOf(first), beatOf(second));
    await storage.runners.retire(first);
    assert.deepEqual(
      (await storage.runners.live()).map(({ id }) => id),
      [second],
    );
  },
  "takes a dead runner's jobs back, once": async (storage) => {
    const dying = await storage.runners.register({ name: "dying", kinds: [] }, now);
    const living = await storage.runners.register({ name: "living", kinds: [] }, now);
    await storage.jobs.enqueue([job(), job(), job()], now);
    const lost = await claim(storage, { runnerId: dying, limit: 2 });
    const kept = await claimOne(storage, { runnerId: living });
    const results = await Promise.all([storage.runners.recover(dying, policy), storage.runners.recover(dying, policy)]);
    assert.deepEqual(
      results.filter((result) => result !== undefined),
      [{ recovered: 2, dead: [] }],
    );
    assert.equal(await storage.runners.beat(dying, now), false);
    assert.equal((await storage.jobRecords.find(kept.id))?.state, "running");
    for (const { id } of lost) {
      const stored = await storage.jobRecords.find(id);
      assert.equal(stored?.state, "scheduled");
      assert.equal(stored?.losses, 1);
      assert.equal(stored?.dueAt, now + 1000);
    }
    assert.deepEqual(
      await storage.jobs.finish(
        lost.map((claimed) => ({ job: claimed, end: { to: "done" } as const })),
        now,
      ),
      [false, false],
    );
  },
  "gives a job up that has lost its runner too often": async (storage) => {
    const [id] = await storage.jobs.enqueue([job({ maxAttempts: 100 })], now);
    assert.ok(id);
    for (let loss = 1; loss <= 3; loss += 1) {
      const runnerId = await storage.runners.register({ name: `runner ${loss}`, kinds: [] }, now);
      await storage.jobs.promoteDue(now + 100_000);
      await claimOne(storage, { runnerId, pick: loss === 3 ? "suspects" : "priority" });
      const given: GivenUpJob = { id, kind: "log", eventId: undefined, losses: 3 };
      const expected: { recovered: number; dead: readonly GivenUpJob[] } =
        loss === 3 ? { recovered: 0, dead: [given] } : { recovered: 1, dead: [] };
      assert.deepEqual(await storage.runners.recover(runnerId, policy), expected);
    }
    assert.equal((await storage.jobRecords.find(id))?.state, "dead");
  },
};
