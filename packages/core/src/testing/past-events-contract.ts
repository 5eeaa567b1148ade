import assert from "node:assert/strict";
import type { PastEvent } from "../ports/event-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";

const now = 1_800_000_000_000;

const pastEvent = (key: string, { jobs = [], ...changes }: Partial<PastEvent> = {}): PastEvent => {
  const { otherKeys: _others, ...event } = newEvent(key);
  return { ...event, bodyKept: true, ...changes, jobs };
};

const ended = (state: "dead" | "cancelled"): PastEvent["jobs"][number] => ({
  kind: "log",
  maxAttempts: 3,
  orderKey: "customer 7",
  createdAt: now,
  attempt: 3,
  lastError: state === "dead" ? "Error: no use" : undefined,
  ended: { state, at: now + 5 },
});

const waiting = (attempt: number): PastEvent["jobs"][number] => ({
  kind: "log",
  maxAttempts: 3,
  createdAt: now,
  attempt,
  lastError: undefined,
});

/** What every `EventStore` promises about events that came to another database. */
export const pastEventsContract: Contract<Storage> = {
  "stores past events in the states that they had, and works on none that has ended": async (storage) => {
    const given = {
      processed: pastEvent("evt_1", { repeats: 4 }),
      dead: pastEvent("evt_2", { jobs: [ended("dead")] }),
      cancelled: pastEvent("evt_3", { jobs: [ended("cancelled")] }),
      ignored: pastEvent("evt_4", { disposition: "ignored", reason: "no handler wants it" }),
      quarantined: pastEvent("evt_5", { disposition: "quarantined", reason: "no type" }),
      discarded: pastEvent("evt_6", { disposition: "discarded", reason: "sent in error" }),
      received: pastEvent("evt_7", { jobs: [waiting(0)] }),
      retrying: pastEvent("evt_8", { jobs: [waiting(2)] }),
    };
    const ids = await storage.events.restore(Object.values(given));
    const found = await storage.events.load(ids.map(Number));
    assert.deepEqual(
      found.toSorted((left, right) => left.id - right.id).map(({ state }) => state),
      Object.keys(given),
    );
    const first = await storage.events.find(Number(ids[0]));
    assert.equal(first?.repeats, 4);
    assert.equal(first?.dedupeKey, "evt_1");
    const [dead] = await storage.jobRecords.list({ eventId: Number(ids[1]), limit: 5 });
    assert.equal(dead?.lastError, "Error: no use");
    assert.equal(dead?.attempt, 3);
    assert.equal(dead?.finishedAt, now + 5);
    assert.equal(dead?.holdsTurn, false);
    const claimed = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 10, now });
    assert.deepEqual(
      claimed.map(({ eventId }) => eventId).toSorted((left, right) => Number(left) - Number(right)),
      [ids[6], ids[7]],
    );
  },
  "runs a past event that is dead again when somebody replays it": async (storage) => {
    const [id = 0] = await storage.events.restore([pastEvent("evt_1", { jobs: [ended("dead")] })]);
    assert.deepEqual(await storage.events.replay([{ id, extraJobs: [] }], { includeDone: false, now }), [1]);
    assert.equal((await storage.events.find(id))?.state, "received");
  },
  "leaves an event that is there as it is, and counts no repeat": async (storage) => {
    const [known] = await storage.events.accept([newEvent("evt_1")]);
    const past = [pastEvent("evt_1", { repeats: 7 }), pastEvent("evt_2"), pastEvent("evt_2")];
    const [first, second, third] = await storage.events.restore(past);
    assert.deepEqual([first, typeof second, third], [undefined, "number", undefined]);
    assert.deepEqual(await storage.events.restore(past), [undefined, undefined, undefined]);
    assert.equal((await storage.events.find(known?.id ?? 0))?.repeats, 0);
    assert.equal((await storage.events.find(Number(second)))?.repeats, 0);
    assert.equal((await storage.events.list({ limit: 10 })).length, 2);
    const [again] = await storage.events.accept([newEvent("evt_2")]);
    assert.deepEqual(again, { outcome: "duplicate", id: second, sameBody: true });
  },
  "keeps that a body was deleted": async (storage) => {
    const gone = { bodyKept: false, body: new Uint8Array(), headers: {} };
    const [id = 0] = await storage.events.restore([pastEvent("evt_1", gone)]);
    const stored = await storage.events.find(id);
    assert.equal(stored?.bodyKept, false);
    assert.equal(stored?.body, undefined);
  },
  "keeps nothing of a transaction that fails": async (storage) => {
    const failing = storage.transaction(async ({ events }) => {
      await events.restore([pastEvent("evt_1", { jobs: [ended("dead")] })]);
      throw new TypeError("on purpose");
    });
    await assert.rejects(failing, TypeError);
    assert.equal((await storage.events.list({ limit: 5 })).length, 0);
    assert.equal((await storage.events.restore([pastEvent("evt_1")])).length, 1);
  },
  "stores many past events at once": async (storage) => {
    const many = Array.from({ length: 500 }, (_, n) => pastEvent(`evt_${n}`, { jobs: [ended("dead")] }));
    assert.equal(new Set(await storage.events.restore(many)).size, 500);
    assert.equal((await storage.jobRecords.countByState()).dead, 500);
  },
};
