import assert from "node:assert/strict";
import type { EventFilter } from "../ports/event-store.ts";
import type { JobEnd } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";
import { claimOne, end, enqueueOne, newJob, now, policy } from "./job-fixtures.ts";

const all = { since: 0, limit: 100 };

/** How an attempt fails: for good, unless it says when it is tried again. */
const failing = (error: string, at?: number): JobEnd =>
  at === undefined ? { to: "dead", error } : { to: "scheduled", at, error };

/** Stores an event with a job of this handler; their ids. */
const oneEvent = async ({ events, jobRecords }: Storage, kind: string, key: string) => {
  const [outcome] = await events.accept([newEvent(key, { jobs: [newJob({ kind })] })]);
  const eventId = outcome?.id ?? 0;
  const [job] = await jobRecords.list({ eventId, limit: 1 });
  return { eventId, jobId: job?.id ?? 0 };
};

/** Ends the next job of a handler at a time. */
const fail = async (storage: Storage, kind: string, error: string, at = now): Promise<void> => {
  const job = await claimOne(storage, { kinds: [kind], now: at });
  assert.deepEqual(await storage.jobs.finish([{ job, end: failing(error) }], at), [true]);
};

const idsOf = async ({ events }: Storage, filter: EventFilter): Promise<readonly number[]> =>
  (await events.list({ ...filter, limit: 10 })).map(({ id }) => id);

/** The id of the cause that has most failures. */
const firstCause = async ({ jobRecords }: Storage): Promise<string> => {
  const [cause] = (await jobRecords.causes(all)).causes;
  assert.ok(cause);
  return cause.id;
};

/** What the stores of jobs and events promise about the causes of failures. */
export const failureCauseContract: Contract<Storage> = {
  "knows of no cause at first": async ({ jobRecords }) => {
    assert.deepEqual(await jobRecords.causes(all), { failures: 0, causes: [] });
  },
  "counts failures that differ in ids and numbers alone as one cause, with the newest event's as its example": async (
    storage,
  ) => {
    await oneEvent(storage, "mail", "evt_1");
    await fail(storage, "mail", "Error: invoice in_1Pq7 is 12 days late", now + 1);
    const { eventId, jobId } = await oneEvent(storage, "mail", "evt_2");
    await fail(storage, "mail", "Error: invoice in_9Zx4 is 7 days late", now + 2);
    await oneEvent(storage, "pay", "evt_3");
    await fail(storage, "pay", "Error: invoice in_1Pq7 is 12 days late", now + 3);
    const { failures, causes } = await storage.jobRecords.causes(all);
    assert.equal(failures, 3);
    const [most, ...others] = causes;
    assert.ok(most);
    const { id, ...rest } = most;
    assert.match(id, /^[A-Za-z0-9]{12}$/);
    assert.deepEqual(rest, {
      failures: 2,
      firstAt: now + 1,
      lastAt: now + 2,
      example: { jobId, eventId, kind: "mail", at: now + 2, error: "Error: invoice in_9Zx4 is 7 days late" },
    });
    assert.deepEqual(
      others.map(({ failures: own, example: { kind } }) => ({ own, kind })),
      [{ own: 1, kind: "pay" }],
    );
  },
  "tells causes of jobs without an event, with the last failure as their example": async (storage) => {
    await enqueueOne(storage, { kind: "mail" });
    const jobId = await enqueueOne(storage, { kind: "mail" });
    await fail(storage, "mail", "Error: the server answered 451", now + 1);
    await fail(storage, "mail", "Error: the server answered 503", now + 2);
    const { causes } = await storage.jobRecords.causes(all);
    assert.deepEqual(
      causes.map(({ failures, example }) => ({ failures, example })),
      [
        {
          failures: 2,
          example: { jobId, eventId: undefined, kind: "mail", at: now + 2, error: "Error: the server answered 503" },
        },
      ],
    );
  },
  "tells causes by the place in the code as well, and keeps the stack of the example": async (storage) => {
    const stacks = [
      "    at charge (/app/pay.ts:1:2)",
      "    at refund (/app/pay.ts:9:2)",
      "    at charge (/app/pay.ts:3:4)",
    ];
    for (const stack of stacks) {
      await enqueueOne(storage);
      await end(storage, await claimOne(storage), { to: "dead", error: "Error: no", stack });
    }
    const { causes } = await storage.jobRecords.causes(all);
    assert.deepEqual(
      causes.map(({ failures }) => failures),
      [2, 1],
    );
    assert.equal(causes[1]?.example.error, `Error: no\n${stacks[1]}`);
  },
  "counts each failed attempt, and each death of a runner": async (storage) => {
    await enqueueOne(storage, { kind: "mail" });
    for (const attempt of [1, 2]) {
      await end(storage, await claimOne(storage), failing(`Error: attempt ${attempt}`, now));
      await storage.jobs.promoteDue(now);
    }
    const runnerId = await storage.runners.register({ name: "dying", kinds: [] }, now);
    await claimOne(storage, { runnerId });
    await storage.runners.recover(runnerId, policy);
    const { failures, causes } = await storage.jobRecords.causes(all);
    assert.deepEqual([failures, causes.map((cause) => cause.failures)], [3, [2, 1]]);
    assert.equal(causes[1]?.example.error, "its runner died 1 time while it ran");
  },
  "leaves out earlier failures, and all causes but the largest": async (storage) => {
    for (const [kind, at] of [
      ["a", 1],
      ["b", 2],
      ["b", 3],
      ["c", 4],
    ] as const) {
      await enqueueOne(storage, { kind });
      await fail(storage, kind, "Error: no", now + at);
    }
    const shown = async (query: Parameters<typeof storage.jobRecords.causes>[0]) => {
      const { failures, causes } = await storage.jobRecords.causes(query);
      return [failures, ...causes.map((one) => `${one.example.kind} ${one.failures} ${one.firstAt - now}`)];
    };
    assert.deepEqual(await shown({ since: 0, limit: 1 }), [4, "b 2 2"]);
    assert.deepEqual((await shown({ since: now + 3, limit: 9 })).toSorted(), [2, "b 1 3", "c 1 4"]);
    assert.deepEqual(await shown({ since: now + 5, limit: 9 }), [0]);
  },
  "finds the events and the jobs whose latest failure has a cause": async (storage) => {
    const first = await oneEvent(storage, "mail", "evt_1");
    await fail(storage, "mail", "Error: late by 1");
    const second = await oneEvent(storage, "mail", "evt_2");
    await fail(storage, "mail", "Error: late by 2");
    const third = await oneEvent(storage, "mail", "evt_3");
    await end(storage, await claimOne(storage), failing("Error: late by 3", now));
    const cause = await firstCause(storage);
    const { events, jobRecords } = storage;
    assert.deepEqual(await idsOf(storage, { cause }), [third.eventId, second.eventId, first.eventId]);
    assert.deepEqual(await idsOf(storage, { cause, state: "dead" }), [second.eventId, first.eventId]);
    assert.deepEqual(await idsOf(storage, { cause, provider: "github" }), []);
    assert.deepEqual(await idsOf(storage, { cause: "anotherCause" }), []);
    assert.equal(await events.count({ cause }, 100), 3);
    assert.equal(await events.count({ cause, state: "retrying" }, 100), 1);
    assert.deepEqual(
      (await jobRecords.list({ cause, limit: 9 })).map(({ id }) => id),
      [third.jobId, second.jobId, first.jobId],
    );
    assert.equal(await jobRecords.count({ cause, state: "scheduled" }, 100), 1);

    // The third fails for another reason now.
    await storage.jobs.promoteDue(now);
    await fail(storage, "mail", "Error: no such address");
    assert.deepEqual(await idsOf(storage, { cause }), [second.eventId, first.eventId]);
    assert.deepEqual(
      (await jobRecords.list({ cause, limit: 9 })).map(({ id }) => id),
      [second.jobId, first.jobId],
    );
  },
  "no longer finds an event by the cause of a job that was replaced": async (storage) => {
    const { eventId, jobId } = await oneEvent(storage, "mail", "evt_1");
    await fail(storage, "mail", "Error: late by 1");
    const cause = await firstCause(storage);
    await storage.jobRecords.retry(jobId, now);
    assert.deepEqual(await idsOf(storage, { cause }), []);
    assert.deepEqual(
      (await storage.jobRecords.list({ cause, limit: 9 })).map(({ id }) => id),
      [jobId],
    );
    await fail(storage, "mail", "Error: late by 2");
    assert.deepEqual(await idsOf(storage, { cause }), [eventId]);
  },
  "pages through the events of a cause in both directions, each once": async (storage) => {
    const ids: number[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      const kinds = n === 3 ? ["pay"] : ["mail", "mail"];
      const [outcome] = await storage.events.accept([
        newEvent(`evt_${n}`, { jobs: kinds.map((kind) => newJob({ kind })) }),
      ]);
      if (n !== 3) ids.push(outcome?.id ?? 0);
      for (const kind of kinds) await fail(storage, kind, `Error: late by ${n}`);
    }
    const cause = await firstCause(storage);
    const page = async (place: { readonly before?: number; readonly after?: number }) =>
      (await storage.events.list({ cause, ...place, limit: 2 })).map(({ id }) => id);
    const [first = 0, second = 0, third = 0, fourth = 0] = ids;
    assert.deepEqual(await page({}), [fourth, third]);
    assert.deepEqual(await page({ before: third }), [second, first]);
    assert.deepEqual(await page({ after: 0 }), [first, second]);
    assert.deepEqual(await page({ after: second }), [third, fourth]);
  },
};
