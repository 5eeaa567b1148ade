import assert from "node:assert/strict";
import { AppError } from "../errors/index.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";
import { newJob, now } from "./job-fixtures.ts";

/** Two processes on one database that has gone back in time. */
interface TakenNumbersSubject {
  /** The process that stored what is there. */
  readonly before: Storage;
  /** A process that has reserved no number yet. */
  readonly after: Storage;
  /** Another process that has reserved no number yet. */
  fresh(): Storage;
  /** Makes the reservations of numbers go back to the first, as a failover that lost them does. */
  forgetNumbers(): Promise<void>;
}

/** The write finds its number taken: it fails, and the sender or caller may try again. */
const refused = async (write: Promise<unknown>): Promise<void> => {
  const thrown = await write.then(
    (stored) => `it was stored: ${JSON.stringify(stored)}`,
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof AppError, `an AppError, not ${thrown}`);
  assert.equal(thrown.code, "unavailable");
};

/** What is stored of events and jobs, for a comparison. */
const stored = async ({ events, jobRecords }: Storage) => ({
  events: await events.list({ limit: 100 }),
  jobs: await jobRecords.list({ limit: 100 }),
});

/**
 * A number that another row has is a fault, on every database, and never a repeat. No other row is
 * changed by it. Afterwards the process has other numbers, so the next try is stored.
 */
export const takenNumbersContract: Contract<TakenNumbersSubject> = {
  "refuses an event whose number is taken, changes nothing, and stores it at the next try": async (subject) => {
    const { before, after, forgetNumbers } = subject;
    const [first] = await before.events.accept([newEvent("a")]);
    const there = await stored(before);
    await forgetNumbers();
    await refused(after.events.accept([newEvent("b")]));
    assert.deepEqual(await stored(before), there);
    const [second] = await after.events.accept([newEvent("b")]);
    assert.equal(second?.outcome, "accepted");
    assert.notEqual(second.id, first?.id);
    assert.equal((await after.events.load([second.id]))[0]?.dedupeKey, "b");
    // The first process still holds numbers that the second has reserved meanwhile.
    await before.events.accept([newEvent("c")]).catch(() => undefined);
    const [third] = await before.events.accept([newEvent("c")]);
    const kept = (await before.events.list({ limit: 10 })).map(({ eventId }) => eventId);
    assert.deepEqual(kept.toSorted(), ["a", "b", "c"]);
    assert.ok(third !== undefined);
  },
  "refuses an event that is stored already under the number that it would get": async (subject) => {
    const { before, after, forgetNumbers } = subject;
    const [first] = await before.events.accept([newEvent("a")]);
    const there = await stored(before);
    await forgetNumbers();
    await after.events.accept([newEvent("a")]).catch(() => undefined);
    const [again] = await after.events.accept([newEvent("a")]);
    assert.deepEqual(again, { outcome: "duplicate", id: first?.id, sameBody: true });
    assert.deepEqual((await stored(before)).jobs, there.jobs);
  },
  "refuses a batch of which one number is taken as a whole": async ({ before, after, forgetNumbers }) => {
    await before.events.accept([newEvent("a")]);
    const there = await stored(before);
    await forgetNumbers();
    await refused(after.events.accept([newEvent("b"), newEvent("c"), newEvent("d")]));
    assert.deepEqual(await stored(before), there);
    const outcomes = await after.events.accept([newEvent("b"), newEvent("c"), newEvent("d")]);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["accepted", "accepted", "accepted"],
    );
  },
  "refuses a job whose number is taken, also with a unique key and an order key": async (subject) => {
    const { before, after, forgetNumbers, fresh } = subject;
    const kinds = [
      {},
      { unique: { key: "a" } },
      { unique: { key: "b", whenTaken: "replace" as const }, payload: { n: 2 } },
      { unique: { key: "c" }, orderKey: "line" },
    ];
    await before.jobs.enqueue([newJob({ payload: { n: 1 }, unique: { key: "mine" }, orderKey: "line" })], now);
    for (const kind of kinds) {
      // A process without numbers reserves that of the first job.
      await forgetNumbers();
      const there = await stored(before);
      await refused(fresh().jobs.enqueue([newJob(kind)], now));
      assert.deepEqual(await stored(before), there);
    }
    await after.jobs.enqueue([newJob(kinds[3])], now).catch(() => undefined);
    const [id] = await after.jobs.enqueue([newJob(kinds[3])], now);
    assert.equal((await before.jobRecords.find(id ?? 0))?.state, "blocked");
  },
  "changes nothing of a job that has both the number and the unique key of a new one": async (subject) => {
    const { before, after, forgetNumbers } = subject;
    const unique = { key: "one" };
    const [id] = await before.jobs.enqueue([newJob({ unique, orderKey: "line", payload: { n: 1 } })], now);
    const [claimed] = await before.jobs.claim({ runnerId: 900_000, queue: "default", limit: 1, now });
    assert.equal(claimed?.id, id);
    const there = await stored(before);
    await forgetNumbers();
    await after.jobs.enqueue([newJob({ unique, orderKey: "line", payload: { n: 2 } })], now).catch(() => undefined);
    const [again] = await after.jobs.enqueue([newJob({ unique, orderKey: "line", payload: { n: 2 } })], now);
    assert.equal(again, id);
    assert.deepEqual(await stored(before), there);
  },
  "gives a runner a number that no other has": async ({ before, after, forgetNumbers }) => {
    const runner = { name: "one", kinds: ["log"] };
    const first = await before.runners.register(runner, now);
    await forgetNumbers();
    const second = await after.runners.register({ ...runner, name: "two" }, now);
    assert.notEqual(second, first);
  },
};
