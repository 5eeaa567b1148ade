import assert from "node:assert/strict";
import type { FeedCommit } from "../ports/feed-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";

const now = 1_800_000_000_000;
const alert = { kind: "storage.full", text: "The disk is full.", details: { free_bytes: 0 } };

const numberAll = async ({ feed }: Storage): Promise<number> => {
  let numbered = 0;
  for (let count = await feed.number(); count > 0; count = await feed.number()) numbered += count;
  return numbered;
};

const all = async (storage: Storage): Promise<readonly FeedCommit[]> => {
  await numberAll(storage);
  return storage.feed.read(0, 1000);
};

/** What every `FeedStore` promises, on a fresh storage. */
export const feedStoreContract: Contract<Storage> = {
  "is empty at first": async (storage) => {
    const { feed } = storage;
    assert.equal(await feed.number(), 0);
    assert.equal(await feed.newest(), 0);
    assert.equal(await feed.has(1), false);
    assert.deepEqual(await feed.read(0, 10), []);
  },
  "tells of events that were stored, commit by commit, and not of repeats": async (storage) => {
    const { events } = storage;
    const [first] = await events.accept([newEvent("evt_1")]);
    await events.accept([newEvent("evt_1")]);
    const more = await events.accept([newEvent("evt_2", { provider: "github" }), newEvent("evt_1"), newEvent("evt_3")]);
    const commits = await all(storage);
    assert.deepEqual(
      commits.map(({ entries }) => entries.map(({ part, kind }) => [kind, part])),
      [[["event", first?.id]], [0, 2].map((index) => ["event", more[index]?.id])],
    );
    const entry = commits[1]?.entries[0];
    assert.ok(entry?.kind === "event");
    const stored = await events.find(entry.event.id);
    assert.ok(stored);
    const { dedupeKey: _key, disposition: _disposition, headers: _headers, body: _body, ...others } = stored;
    const { query: _query, leftOut: _leftOut, covered: _covered, overruled: _overruled, ...summary } = others;
    assert.deepEqual(entry.event, summary);
    assert.equal(commits[0]?.at, now);
  },
  "tells nothing before it is numbered, and numbers each commit once": async (storage) => {
    const { events, feed } = storage;
    await events.accept([newEvent("evt_1")]);
    assert.deepEqual(await feed.read(0, 10), []);
    assert.equal(await feed.newest(), 0);
    assert.deepEqual((await Promise.all([feed.number(), feed.number(), feed.number()])).toSorted(), [0, 0, 1]);
    const [commit] = await feed.read(0, 10);
    assert.ok(commit);
    assert.equal(await feed.newest(), commit.place);
    assert.equal(await feed.has(commit.place), true);
    assert.equal(await feed.number(), 0);
    await events.accept([newEvent("evt_2")]);
    await numberAll(storage);
    assert.deepEqual(
      (await feed.read(commit.place, 10)).map(({ entries }) => entries.length),
      [1],
    );
    assert.equal((await feed.read(0, 1))[0]?.place, commit.place);
  },
  "tells nothing of what was rolled back": async (storage) => {
    await assert.rejects(
      storage.transaction(async ({ events }) => {
        await events.accept([newEvent("evt_1")]);
        throw new Error("no");
      }),
    );
    assert.deepEqual(await all(storage), []);
  },
  "tells of attempts that failed": async (storage) => {
    const { events, jobs } = storage;
    await events.accept([newEvent("evt_1"), newEvent("evt_2"), newEvent("evt_3")]);
    const claimed = await jobs.claim({ runnerId: 1, queue: "default", limit: 100, now });
    const [one, two, three] = claimed;
    assert.ok(one && two && three);
    await jobs.finish([{ job: one, end: { to: "done" } }], now);
    const error = `${"x".repeat(300)}\nsecond line`;
    await jobs.finish(
      [
        { job: two, end: { to: "scheduled", at: now + 1000, error } },
        { job: three, end: { to: "dead", error: "no use" } },
      ],
      now + 7,
    );
    const commits = (await all(storage)).slice(1);
    const told = commits.flatMap(({ entries }) =>
      entries.flatMap((entry) => (entry.kind === "job" ? [entry.job] : [])),
    );
    assert.deepEqual(
      told.toSorted((left, right) => left.id - right.id),
      [
        {
          id: two.id,
          kind: "log",
          eventId: two.eventId,
          provider: "stripe",
          attempt: 1,
          state: "scheduled",
          error: `${"x".repeat(199)}…`,
        },
        {
          id: three.id,
          kind: "log",
          eventId: three.eventId,
          provider: "stripe",
          attempt: 1,
          state: "dead",
          error: "no use",
        },
      ],
    );
    assert.equal(commits[0]?.at, now + 7);
  },
  "tells of alerts": async (storage) => {
    await storage.feed.alert(alert, now);
    const [commit] = await all(storage);
    assert.deepEqual(commit && { at: commit.at, entries: commit.entries }, {
      at: now,
      entries: [{ kind: "alert", part: 0, alert }],
    });
  },
  "leaves out events that were deleted since": async (storage) => {
    await storage.events.accept([newEvent("evt_1", { jobs: [], disposition: "ignored" })]);
    await storage.housekeeping.prune("events", now + 1, 10);
    assert.deepEqual(
      (await all(storage)).map(({ entries }) => entries),
      [[]],
    );
  },
  "forgets what is old, a portion at a time": async (storage) => {
    const { feed } = storage;
    for (const at of [now, now + 1, now + 2]) await feed.alert(alert, at);
    const [first] = await all(storage);
    assert.ok(first);
    assert.equal(await feed.prune(now + 2, 1), 1);
    assert.equal(await feed.has(first.place), false);
    assert.equal(await feed.prune(now + 2, 10), 1);
    assert.equal(await feed.prune(now + 2, 10), 0);
    assert.deepEqual(
      (await all(storage)).map(({ at }) => at),
      [now + 2],
    );
    // A number is never given twice.
    await feed.prune(now + 3, 10);
    await feed.alert(alert, now + 4);
    const [last] = await all(storage);
    assert.ok(last && last.place > first.place + 2);
  },
  "numbers more than it numbers at once": async (storage) => {
    for (let count = 0; count < 1_001; count += 1) await storage.feed.alert(alert, now + count);
    assert.equal(await storage.feed.number(), 1_000);
    assert.equal(await storage.feed.number(), 1);
    const commits = await storage.feed.read(0, 1000);
    assert.deepEqual(
      commits.map(({ at }) => at),
      Array.from({ length: 1_000 }, (_, index) => now + index),
    );
  },
};
