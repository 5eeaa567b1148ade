import assert from "node:assert/strict";
import type { AcceptOutcome, EventState } from "../ports/event-store.ts";
import type { JobEnd, NewJob } from "../ports/job.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { eventRepeatsContract } from "./event-repeats-contract.ts";
import { newEvent } from "./inbox-events.ts";
import { pastEventsContract } from "./past-events-contract.ts";

const now = 1_800_000_000_000;
const encoder = new TextEncoder();

const acceptOne = async ({ events }: Storage, ...event: Parameters<typeof newEvent>): Promise<AcceptOutcome> => {
  const [outcome] = await events.accept([newEvent(...event)]);
  assert.ok(outcome);
  return outcome;
};

const stateOf = async ({ events }: Storage, id: number): Promise<EventState | undefined> =>
  (await events.find(id))?.state;

/** Claims every ready job and ends it. */
const runAll = async ({ jobs }: Storage, end: JobEnd): Promise<void> => {
  const claimed = await jobs.claim({ runnerId: 1, queue: "default", limit: 100, now });
  await jobs.finish(
    claimed.map((job) => ({ job, end })),
    now,
  );
};

const dead: JobEnd = { to: "dead", error: "no use" };

/** What every `EventStore` promises, on a fresh storage. */
export const eventStoreContract: Contract<Storage> = {
  ...eventRepeatsContract,
  ...pastEventsContract,
  "gives back an event as it was accepted, byte for byte": async (storage) => {
    const body = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const { outcome, id } = await acceptOne(storage, "evt_1", { body });
    assert.equal(outcome, "accepted");
    const stored = await storage.events.find(id);
    assert.ok(stored);
    assert.deepEqual(new Uint8Array(stored.body ?? []), body);
    const { body: _body, query, leftOut, covered, overruled, ...rest } = stored;
    assert.deepEqual([query, leftOut, covered, overruled], [undefined, undefined, undefined, undefined]);
    assert.deepEqual(rest, {
      id,
      provider: "stripe",
      dedupeKey: "evt_1",
      eventId: "evt_1",
      type: "invoice.paid",
      state: "received",
      disposition: "accepted",
      reason: undefined,
      headers: { "content-type": "application/json" },
      occurredAt: now - 1000,
      receivedAt: now,
      repeats: 0,
      bodyKept: true,
    });
  },
  "gives back what came outside of the body and headers": async (storage) => {
    const outside = { query: "tenant=acme&n=é", leftOut: ["header:x-long", "query"], covered: ["body", "url"] };
    const [first, plain] = await storage.events.accept([newEvent("outside", outside), newEvent("plain")]);
    const past = { ...newEvent("past", outside), bodyKept: true, overruled: "the event has no type", jobs: [] };
    const [restored] = await storage.events.restore([past]);
    const read = async (id: number | undefined) => {
      const { query, leftOut, covered, overruled } = (await storage.events.find(id ?? 0)) ?? {};
      return { query, leftOut, covered, overruled };
    };
    const none = { query: undefined, leftOut: undefined, covered: undefined, overruled: undefined };
    assert.deepEqual(await read(first?.id), { ...none, ...outside });
    assert.deepEqual(await read(plain?.id), none);
    assert.deepEqual(await read(restored), { ...outside, overruled: past.overruled });
  },
  "makes the event's jobs with it": async (storage) => {
    const jobs = [
      { kind: "log", maxAttempts: 3 },
      { kind: "forward", maxAttempts: 5, queue: "slow", priority: 2 },
    ];
    const { id } = await acceptOne(storage, "evt_1", { jobs });
    const stored = await storage.jobRecords.list({ eventId: id, limit: 10 });
    assert.deepEqual(
      stored
        .map(({ kind, queue, maxAttempts, state, attempt, eventId }) => ({
          kind,
          queue,
          maxAttempts,
          state,
          attempt,
          eventId,
        }))
        .toReversed(),
      [
        { kind: "log", queue: "default", maxAttempts: 3, state: "ready", attempt: 0, eventId: id },
        { kind: "forward", queue: "slow", maxAttempts: 5, state: "ready", attempt: 0, eventId: id },
      ],
    );
  },
  "takes the same key once, and counts the repeats": async (storage) => {
    const first = await acceptOne(storage, "evt_1");
    for (let repeat = 1; repeat <= 5; repeat += 1) {
      assert.deepEqual(await acceptOne(storage, "evt_1"), { outcome: "duplicate", id: first.id, sameBody: true });
    }
    assert.equal((await storage.events.find(first.id))?.repeats, 5);
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 1);
  },
  "counts deliveries that joined before, of a new event and of a known one": async (storage) => {
    const first = await acceptOne(storage, "evt_1", { repeats: 3 });
    assert.equal((await storage.events.find(first.id))?.repeats, 3);
    await storage.events.accept([newEvent("evt_1", { repeats: 4 }), newEvent("evt_1", { repeats: 1 })]);
    assert.equal((await storage.events.find(first.id))?.repeats, 3 + 5 + 2);
  },
  "tells a repeat with another body, and keeps the first": async (storage) => {
    const first = await acceptOne(storage, "evt_1");
    const other = { body: new Uint8Array([1]), bodySha256: "b".repeat(64) };
    assert.deepEqual(await acceptOne(storage, "evt_1", other), { outcome: "duplicate", id: first.id, sameBody: false });
    assert.deepEqual((await storage.events.find(first.id))?.body?.length, newEvent("evt_1").body.length);
  },
  "tells apart keys that differ in case, accent or trailing space only, and providers": async (storage) => {
    const batch = [
      newEvent("evt_A"),
      newEvent("evt_a"),
      newEvent("evt_á"),
      newEvent("evt_a "),
      newEvent("evt_a", { provider: "github" }),
    ];
    const outcomes = await storage.events.accept(batch);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      batch.map(() => "accepted"),
    );
  },
  "answers a batch in order, repeats within it included": async (storage) => {
    const known = await acceptOne(storage, "evt_2");
    const outcomes = await storage.events.accept(["evt_1", "evt_2", "evt_1", "evt_3"].map((key) => newEvent(key)));
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["accepted", "duplicate", "duplicate", "accepted"],
    );
    assert.equal(outcomes[1]?.id, known.id);
    assert.equal(outcomes[2]?.id, outcomes[0]?.id);
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 3);
  },
  "answers the same object twice in a batch as a repeat": async (storage) => {
    const event = newEvent("evt_1");
    const outcomes = await storage.events.accept([event, event]);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["accepted", "duplicate"],
    );
    assert.equal((await storage.events.list({ limit: 5 }))[0]?.repeats, 1);
  },
  "takes a large batch": async (storage) => {
    const batch = Array.from({ length: 1000 }, (_, n) => newEvent(`evt_${n}`));
    const outcomes = await storage.events.accept(batch);
    assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1000);
    assert.equal((await storage.jobRecords.countByState()).ready, 1000);
  },
  "hands fresh jobs to a runner with the call that stores their events, and none of a repeat": async (storage) => {
    await acceptOne(storage, "evt_0", { jobs: [{ kind: "elsewhere", maxAttempts: 1, queue: "mail" }] });
    const job = (kind: string, changes: Partial<NewJob> = {}): NewJob => ({ kind, maxAttempts: 3, ...changes });
    const { outcomes, claimed } = await storage.events.acceptFor({ runnerId: 7, queue: "default", limit: 2 }, [
      newEvent("evt_0"),
      newEvent("evt_1", { jobs: [job("second"), job("first", { priority: -1 })] }),
      newEvent("evt_2", { jobs: [job("third"), job("mail", { queue: "mail" }), job("turn", { orderKey: "k" })] }),
    ]);
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ["duplicate", "accepted", "accepted"],
    );
    assert.deepEqual(
      claimed?.map(({ kind, eventId, attempt, createdAt }) => ({ kind, eventId, attempt, createdAt })),
      ["first", "second"].map((kind) => ({ kind, eventId: outcomes[1]?.id, attempt: 1, createdAt: now })),
    );
    assert.equal(await stateOf(storage, outcomes[1]?.id ?? 0), "processing");
    assert.equal(await stateOf(storage, outcomes[2]?.id ?? 0), "received");
    assert.deepEqual((await storage.runners.running(7)).length, 2);
    assert.deepEqual(
      await storage.jobs.finish(
        (claimed ?? []).map((one) => ({ job: one, end: { to: "done" } })),
        now,
      ),
      [true, true],
    );
    assert.equal(await stateOf(storage, outcomes[1]?.id ?? 0), "processed");
    const waiting = await storage.events.acceptFor({ runnerId: 7, queue: "default", limit: 2 }, [newEvent("evt_3")]);
    assert.deepEqual(waiting.claimed, [], "others wait already");
  },
  "accepts nothing of an empty batch": async (storage) => {
    assert.deepEqual(await storage.events.accept([]), []);
    assert.deepEqual(await storage.events.acceptFor({ runnerId: 7, queue: "default", limit: 2 }, []), {
      outcomes: [],
      claimed: [],
    });
  },
  "gives one of many racing callers the event": async (storage) => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => acceptOne(storage, "evt_1")));
    assert.equal(outcomes.filter(({ outcome }) => outcome === "accepted").length, 1);
    assert.equal(new Set(outcomes.map(({ id }) => id)).size, 1);
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 1);
  },
  "keeps ignored and quarantined events, with the reason and without jobs": async (storage) => {
    const ignored = await acceptOne(storage, "evt_1", {
      disposition: "ignored",
      reason: "no handler wants it",
      jobs: [],
    });
    const changes = {
      disposition: "quarantined",
      reason: "the event has no type",
      type: undefined,
      eventId: undefined,
      jobs: [],
    } as const;
    const quarantined = await acceptOne(storage, "evt_2", changes);
    assert.equal(await stateOf(storage, ignored.id), "ignored");
    const stored = await storage.events.find(quarantined.id);
    assert.equal(stored?.state, "quarantined");
    assert.equal(stored?.reason, "the event has no type");
    assert.equal(stored?.type, undefined);
    assert.equal(stored?.eventId, undefined);
  },
  "follows the event's jobs with its state": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1");
    assert.equal(await stateOf(storage, id), "received");
    const [job] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1, now });
    assert.ok(job);
    assert.equal(await stateOf(storage, id), "processing");
    await storage.jobs.finish([{ job, end: { to: "scheduled", at: now + 5, error: "try again" } }], now);
    assert.equal(await stateOf(storage, id), "retrying");
    await storage.jobs.promoteDue(now + 5);
    assert.equal(await stateOf(storage, id), "retrying");
    await runAll(storage, { to: "done" });
    assert.equal(await stateOf(storage, id), "processed");
  },
  "is dead when one of its jobs is, whatever the others did": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1", {
      jobs: [
        { kind: "a", maxAttempts: 1 },
        { kind: "b", maxAttempts: 1 },
      ],
    });
    const [first, second] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 2, now });
    assert.ok(first && second);
    await storage.jobs.finish([{ job: first, end: dead }], now);
    assert.equal(await stateOf(storage, id), "processing");
    await storage.jobs.finish([{ job: second, end: { to: "done" } }], now);
    assert.equal(await stateOf(storage, id), "dead");
  },
  "is cancelled when one of its jobs was, none is dead and none is to run": async (storage) => {
    const jobs = [
      { kind: "a", maxAttempts: 9 },
      { kind: "b", maxAttempts: 9 },
    ];
    const { id } = await acceptOne(storage, "evt_1", { jobs });
    const [b, a] = (await storage.jobRecords.list({ eventId: id, limit: 5 })).map((job) => job.id);
    await storage.jobRecords.cancel(a ?? 0, now);
    assert.equal(await stateOf(storage, id), "received");
    await storage.jobRecords.cancel(b ?? 0, now);
    assert.equal(await stateOf(storage, id), "cancelled");
    const again = await storage.jobRecords.retry(a ?? 0, now);
    assert.equal(await stateOf(storage, id), "received");
    await runAll(storage, { to: "done" });
    assert.equal(await stateOf(storage, id), "cancelled");
    await storage.jobRecords.retry(b ?? 0, now);
    await runAll(storage, { to: "dead", error: "no use" });
    assert.equal(await stateOf(storage, id), "dead");
    assert.equal((await storage.jobRecords.find(again ?? 0))?.state, "done");
  },
  "replays a cancelled event, and with a dead one what was cancelled of it": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1", {
      jobs: [
        { kind: "a", maxAttempts: 1 },
        { kind: "b", maxAttempts: 1 },
      ],
    });
    const [b, a] = (await storage.jobRecords.list({ eventId: id, limit: 5 })).map((job) => job.id);
    for (const job of [a, b]) await storage.jobRecords.cancel(job ?? 0, now);
    const replay = () => storage.events.replay([{ id, extraJobs: [] }], { includeDone: false, now });
    assert.deepEqual(await replay(), [2]);
    assert.equal(await stateOf(storage, id), "received");
    const [second] = await storage.jobRecords.list({ eventId: id, state: "ready", limit: 5 });
    await storage.jobRecords.cancel(second?.id ?? 0, now);
    await runAll(storage, dead);
    assert.equal(await stateOf(storage, id), "dead");
    assert.deepEqual(await replay(), [2]);
  },
  "gives a replayed event jobs of the kinds of which it has none any more, once": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1", { jobs: [{ kind: "log", maxAttempts: 1 }] });
    await runAll(storage, { to: "done" });
    await storage.housekeeping.prune("done_jobs", now + 1, 10);
    assert.equal(await stateOf(storage, id), "processed");
    const extraJobs = newEvent("").jobs;
    const replay = () => storage.events.replay([{ id, extraJobs }], { includeDone: true, now });
    assert.deepEqual((await Promise.all([replay(), replay()])).flat().toSorted(), [0, 1]);
    await runAll(storage, { to: "done" });
    assert.deepEqual(await replay(), [1]);
    assert.equal((await storage.jobRecords.list({ eventId: id, limit: 5 })).length, 2);
  },
  "finds events by the sender's id, and counts what a list has up to a bound": async (storage) => {
    const { events } = storage;
    const all = ["a", "b", "c"].map((id) => newEvent(`evt_${id}`));
    const stored = await events.accept(all);
    const named = all[1]?.eventId ?? "";
    assert.deepEqual(
      (await events.list({ eventId: named, limit: 10 })).map(({ id }) => id),
      [stored[1]?.id],
    );
    assert.equal(await events.count({}, 10), 3);
    assert.equal(await events.count({}, 2), 2);
    assert.equal(await events.count({ eventId: named, provider: all[1]?.provider ?? "" }, 10), 1);
    assert.equal(await events.count({ state: "quarantined" }, 10), 0);
  },
  "finds events by their keys, and lists only those that are named": async ({ events }) => {
    const acceptedIds = (await events.accept(["a", "b", "c"].map((key) => newEvent(key)))).map(({ id }) => id);
    const [other] = await events.accept([newEvent("a", { provider: "github" })]);
    assert.ok(other);
    const holders = async (...keys: readonly (readonly [string, string])[]) =>
      (await events.holders(keys.map(([provider, dedupeKey]) => ({ provider, dedupeKey })))).toSorted(
        (left, right) => left - right,
      );
    const [a = 0, b = 0, c = 0] = acceptedIds;
    const { provider } = newEvent("a");
    assert.deepEqual(await holders(), []);
    assert.deepEqual(await holders([provider, "a"], ["github", "a"], ["github", "b"]), [a, other.id]);
    assert.deepEqual(await holders([provider, "A"], [provider, "a "], ["nobody", "a"]), []);
    const many = Array.from({ length: 999 }, (_, n) => [provider, `none-${n}`] as const);
    assert.deepEqual(await holders(...many, [provider, "c"]), [c]);
    const listed = async (query: object) => (await events.list({ limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await listed({ ids: [a, c, 999_999] }), [c, a]);
    assert.deepEqual(await listed({ ids: [a, c], after: a }), [c]);
    assert.deepEqual(await listed({ ids: [a, b], state: "received", provider }), [b, a]);
    assert.deepEqual(await listed({ ids: [a, other.id], provider: "github" }), [other.id]);
    assert.deepEqual(await listed({ ids: [a, b], state: "dead" }), []);
    assert.deepEqual(await listed({ ids: [] }), []);
    assert.equal(await events.count({ ids: [a, b] }, 10), 2);
  },
  "counts what follows an event": async (storage) => {
    const ids: number[] = [];
    for (const n of [1, 2, 3]) ids.push((await acceptOne(storage, `evt_${n}`)).id);
    const after = async (id = 0, atMost = 9) => storage.events.count({ state: "received", after: id }, atMost);
    assert.deepEqual([await after(ids[0]), await after(ids[2]), await after(0), await after(0, 1)], [2, 0, 3, 1]);
  },
  "lists newest first, by provider, type and state, page by page": async (storage) => {
    const [one, two, three] = await storage.events.accept([
      newEvent("evt_1"),
      newEvent("evt_2", { provider: "github", type: "push" }),
      newEvent("evt_3", { disposition: "ignored", reason: "x", jobs: [] }),
    ]);
    assert.ok(one && two && three);
    const ids = async (query: object): Promise<number[]> =>
      (await storage.events.list({ limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({}), [three.id, two.id, one.id]);
    assert.deepEqual(await ids({ limit: 2 }), [three.id, two.id]);
    assert.deepEqual(await ids({ before: two.id }), [one.id]);
    assert.deepEqual(await ids({ provider: "github" }), [two.id]);
    assert.deepEqual(await ids({ type: "invoice.paid" }), [three.id, one.id]);
    assert.deepEqual(await ids({ state: "received" }), [two.id, one.id]);
    assert.deepEqual(await ids({ state: "ignored" }), [three.id]);
    await runAll(storage, dead);
    assert.deepEqual(await ids({ state: "dead" }), [two.id, one.id]);
    assert.deepEqual(await ids({ state: "dead", provider: "github", before: three.id, limit: 1 }), [two.id]);
    for (const state of ["received", "processing", "retrying", "processed", "cancelled", "quarantined"]) {
      assert.deepEqual(await ids({ state }), []);
    }
  },
  "tells every two types apart, by each of their characters": async (storage) => {
    const long = "é".repeat(200);
    // Two of these words have the same CRC-32, which a database may index instead of the type.
    const types = ["plumless", "buckeroo", "Plumless", "plumless ", `${long}1`, `${long}2`, ""];
    const all = types.map((type, at) => newEvent(`evt_${at}`, { type }));
    const stored = await storage.events.accept([...all, newEvent("evt_none", { type: undefined })]);
    const last = stored.at(-1)?.id ?? 0;
    for (const [at, type] of types.entries()) {
      const own = [stored[at]?.id];
      for (const filter of [{ type }, { type, provider: "stripe" }, { type, state: "received" as const }]) {
        for (const place of [{}, { before: last }, { after: 0 }]) {
          const listed = await storage.events.list({ ...filter, ...place, limit: 10 });
          assert.deepEqual(
            listed.map(({ id }) => id),
            own,
          );
        }
        assert.equal(await storage.events.count(filter, 10), 1);
      }
    }
  },
  "finds events by a pattern of their types, in which only `*` means something": async (storage) => {
    const types = ["invoice.paid", "invoice.paid_", "invoice.\nsent", "Invoice.paid", "invoice%", "invoice[a]", "in!*"];
    const stored = await storage.events.accept([
      ...types.map((type, at) => newEvent(`evt_${at}`, { type })),
      newEvent("evt_none", { type: undefined }),
    ]);
    const fitting = async (type: string, more: object = {}): Promise<readonly (string | undefined)[]> => {
      const listed = await storage.events.list({ type, after: 0, limit: 20, ...more });
      assert.equal(await storage.events.count({ type, ...more }, 20), listed.length);
      return listed.map((one) => one.type);
    };
    assert.deepEqual(await fitting("invoice.*"), ["invoice.paid", "invoice.paid_", "invoice.\nsent"]);
    assert.deepEqual(await fitting("invoice.*", { provider: "stripe", state: "received" }), [
      ...["invoice.paid", "invoice.paid_", "invoice.\nsent"],
    ]);
    assert.deepEqual(await fitting("invoice.*", { provider: "stripe" }), await fitting("invoice.*"));
    assert.deepEqual(await fitting("invoice.*", { provider: "github" }), []);
    assert.deepEqual(await fitting("*.paid"), ["invoice.paid", "Invoice.paid"]);
    assert.deepEqual(await fitting("*paid?"), []);
    assert.deepEqual(await fitting("*_"), ["invoice.paid_"]);
    assert.deepEqual(await fitting("invoice%*"), ["invoice%"]);
    assert.deepEqual(await fitting("invoice[*]"), ["invoice[a]"]);
    assert.deepEqual(await fitting("*!*"), ["in!*"]);
    assert.equal((await fitting("*")).length, stored.length);
  },
  "loads the stored ones of some ids": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1");
    const loaded = await storage.events.load([id, id + 1_000_000]);
    assert.deepEqual(
      loaded.map((event) => event.id),
      [id],
    );
    assert.equal(loaded[0]?.body?.length, newEvent("evt_1").body.length);
    assert.deepEqual(await storage.events.load([]), []);
  },
  "finds the events whose bodies contain some bytes, exactly": async (storage) => {
    const texts = ['{"id":"in_1","note":"Grüße"}', '{"id":"in_12"}', '{"id":"IN_1%"}', ""];
    const bodies = [...texts.map((text) => encoder.encode(text)), Uint8Array.from([0, 255, 39, 92, 37, 0])];
    const accepted = await storage.events.accept(bodies.map((body, at) => newEvent(`evt_${at}`, { body })));
    const ids = accepted.map(({ id }) => id);
    const found = async (part: Uint8Array, among: readonly number[] = ids): Promise<number[]> => {
      const { looked, holding } = await storage.events.searchBodies(among, { part, mostBytes: 10_000 });
      assert.equal(looked, among.length);
      return holding.map((id) => ids.indexOf(id));
    };
    const text = (written: string): Promise<number[]> => found(encoder.encode(written));
    assert.deepEqual(await text("in_1"), [0, 1]);
    assert.deepEqual(await text('in_1"'), [0]);
    assert.deepEqual(await text("IN_1%"), [2]);
    assert.deepEqual(await text("n%1"), []);
    assert.deepEqual(await text("Grüße"), [0]);
    assert.deepEqual(await text('{"id":"in_12"}'), [1]);
    assert.deepEqual(await text('{"id":"in_12"} '), []);
    assert.deepEqual(await found(Uint8Array.from([255, 39, 92, 37])), [4]);
    assert.deepEqual(await found(Uint8Array.from([0])), [4]);
    const backwards = ids.toReversed();
    assert.deepEqual(await found(encoder.encode("in_1"), backwards), [1, 0]);
    assert.deepEqual(await found(encoder.encode("in_1"), backwards.slice(0, 4)), [1]);
    assert.deepEqual(await found(encoder.encode("in_1"), [999_999, ...ids.slice(0, 1)]), [0]);
    assert.deepEqual(await found(encoder.encode("in_1"), []), []);
  },
  "looks at the bodies that fit into a bound, in order, and at one in any case": async (storage) => {
    const body = encoder.encode("0123456789");
    const accepted = await storage.events.accept(["a", "b", "c"].map((key) => newEvent(key, { body })));
    const ids = accepted.map(({ id }) => id).toReversed();
    const within = (mostBytes: number) => storage.events.searchBodies(ids, { part: body, mostBytes });
    assert.deepEqual(await within(1), { looked: 1, holding: ids.slice(0, 1) });
    assert.deepEqual(await within(29), { looked: 2, holding: ids.slice(0, 2) });
    assert.deepEqual(await within(30), { looked: 3, holding: ids });
  },
  "replays a dead event by new jobs and keeps the old ones": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1");
    await runAll(storage, dead);
    const options = { includeDone: false, now: now + 9 };
    assert.deepEqual(await storage.events.replay([{ id, extraJobs: [] }], options), [1]);
    assert.equal(await stateOf(storage, id), "received");
    const [fresh, old] = await storage.jobRecords.list({ eventId: id, limit: 10 });
    assert.equal(fresh?.replayOf, old?.id);
    assert.equal(fresh?.attempt, 0);
    assert.equal(old?.state, "dead");
    assert.deepEqual(await storage.events.replay([{ id, extraJobs: [] }], options), [0]);
    await runAll(storage, { to: "done" });
    assert.equal(await stateOf(storage, id), "processed");
  },
  "replays a processed event only when told to": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1");
    await runAll(storage, { to: "done" });
    const events = [{ id, extraJobs: [] }];
    assert.deepEqual(await storage.events.replay(events, { includeDone: false, now }), [0]);
    assert.deepEqual(await storage.events.replay(events, { includeDone: true, now }), [1]);
  },
  "gives a quarantined event its first jobs": async (storage) => {
    const { id } = await acceptOne(storage, "evt_1", { disposition: "quarantined", reason: "x", jobs: [] });
    const events = [{ id, extraJobs: newEvent("").jobs }];
    assert.deepEqual(await storage.events.replay(events, { includeDone: false, now }), [1]);
    const stored = await storage.events.find(id);
    assert.equal(stored?.state, "received");
    assert.equal(stored?.reason, undefined);
  },
  "keeps with a replayed event what an operator overruled, and a type only where there is none": async (storage) => {
    const none = { disposition: "quarantined", reason: "the event has no type", jobs: [] } as const;
    const [bare, typed] = await storage.events.accept([
      newEvent("bare", { ...none, type: undefined }),
      newEvent("typed", none),
    ]);
    const [first, second] = [bare?.id ?? 0, typed?.id ?? 0];
    const decided = { extraJobs: [{ kind: "log", maxAttempts: 3 }], overruled: "no type; meant", type: "invoice.late" };
    const replayed = await storage.events.replay(
      [
        { id: first, ...decided },
        { id: second, ...decided },
      ],
      { includeDone: false, now },
    );
    assert.deepEqual(replayed, [1, 1]);
    const read = async (id: number) => {
      const { type, overruled, disposition } = (await storage.events.find(id)) ?? {};
      return { type, overruled, disposition };
    };
    const kept = { overruled: decided.overruled, disposition: "accepted" };
    assert.deepEqual(await read(first), { ...kept, type: "invoice.late" });
    assert.deepEqual(await read(second), { ...kept, type: "invoice.paid" });
  },
  "stores what was sent again with a replay if the body is gone, and runs only what is quarantined or ignored": async (
    storage,
  ) => {
    const none = { disposition: "ignored", reason: "x", jobs: [] } as const;
    const ids = (await storage.events.accept(["gone", "kept", "taken"].map((key) => newEvent(key, none)))).map(
      ({ id }) => id,
    );
    const [gone = 0, kept = 0, taken = 0] = ids;
    const [, before] = await storage.events.load([gone, kept]);
    const first = (await storage.events.find(gone))?.receivedAt ?? 0;
    const replay = (id: number, body: string) => {
      const bytes = new TextEncoder().encode(body);
      const sent = { body: bytes, bodySha256: "b".repeat(64), headers: { "x-shop": "a" }, query: "v=2" };
      const event = { id, extraJobs: [{ kind: "log", maxAttempts: 3 }], sent };
      return storage.events.replay([event], { includeDone: false, now });
    };
    assert.deepEqual(await replay(kept, "other"), [1]);
    assert.deepEqual((await storage.events.find(kept))?.body, before?.body);
    await storage.events.discard([taken], { reason: "somebody decided", now });
    assert.deepEqual(await replay(taken, "other"), [0]);
    await storage.housekeeping.prune("bodies", first + 1, 10);
    assert.equal((await storage.events.find(gone))?.body, undefined);
    const plain = { id: gone, extraJobs: [{ kind: "log", maxAttempts: 3 }] };
    assert.deepEqual(await storage.events.replay([plain], { includeDone: false, now }), [0]);
    const made = await Promise.all(["sent", "sent", "sent"].map((body) => replay(gone, body)));
    assert.deepEqual(made.flat().toSorted(), [0, 0, 1]);
    const stored = await storage.events.find(gone);
    assert.equal(new TextDecoder().decode(stored?.body), "sent");
    assert.deepEqual([stored?.headers, stored?.query, stored?.state], [{ "x-shop": "a" }, "v=2", "received"]);
  },
  "discards what is given up, with a reason, cancels its dead jobs, and does it once": async (storage) => {
    const ignored = await acceptOne(storage, "evt_1", { disposition: "ignored", reason: "x", jobs: [] });
    const quarantined = await acceptOne(storage, "evt_2", { disposition: "quarantined", reason: "x", jobs: [] });
    const given = await acceptOne(storage, "evt_3");
    await runAll(storage, dead);
    const ids = [quarantined.id, 999_999, given.id, ignored.id];
    const discard = () => storage.events.discard(ids, { reason: "sent in error", now: now + 5 });
    const twice = (await Promise.all([discard(), discard()])).map((done) => done.filter(Boolean).length);
    assert.deepEqual(twice.toSorted(), [0, 3]);
    assert.equal((await storage.events.find(given.id))?.reason, "sent in error");
    const listed = await storage.events.list({ state: "discarded", limit: 10 });
    assert.deepEqual(
      listed.map(({ id, state }) => [id, state]),
      [given.id, quarantined.id, ignored.id].map((id) => [id, "discarded"]),
    );
    assert.equal(await storage.events.count({ state: "discarded" }, 10), 3);
    assert.equal(await storage.events.count({ state: "dead" }, 10), 0);
    assert.equal((await storage.jobRecords.countByState()).dead, 0);
    const [job] = await storage.jobRecords.list({ eventId: given.id, limit: 5 });
    assert.deepEqual([job?.state, job?.finishedAt], ["cancelled", now + 5]);
    assert.equal(await storage.jobRecords.retry(job?.id ?? 0, now), undefined);
    assert.equal(await storage.housekeeping.prune("bodies", now + 9, 10), 3);
  },
  "discards nothing that is processed, or that is still to run": async (storage) => {
    const processed = await acceptOne(storage, "evt_1");
    await runAll(storage, { to: "done" });
    const waiting = await acceptOne(storage, "evt_2", {
      jobs: ["a", "b"].map((kind) => ({ kind, maxAttempts: 1 })),
    });
    const [first] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1, now });
    assert.ok(first);
    await storage.jobs.finish([{ job: first, end: dead }], now);
    assert.equal(await stateOf(storage, waiting.id), "dead");
    const options = { reason: "x", now };
    assert.deepEqual(await storage.events.discard([processed.id, waiting.id], options), [false, false]);
    assert.equal(await stateOf(storage, waiting.id), "dead");
    await runAll(storage, { to: "done" });
    assert.deepEqual(await storage.events.discard([waiting.id], options), [true]);
  },
  "gives the order key of a discarded event to the next in line": async (storage) => {
    const held = [{ kind: "a", maxAttempts: 1, orderKey: "k", onDead: "hold" }] as const;
    const one = await acceptOne(storage, "evt_1", { jobs: held });
    await runAll(storage, dead);
    const two = await acceptOne(storage, "evt_2", { jobs: held });
    assert.deepEqual(await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 9, now }), []);
    assert.deepEqual(await storage.events.discard([one.id], { reason: "x", now }), [true]);
    const [claimed] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 9, now });
    assert.equal(claimed?.eventId, two.id);
  },
  "takes a discard back by a replay": async (storage) => {
    const given = await acceptOne(storage, "evt_1");
    await runAll(storage, dead);
    const ignored = await acceptOne(storage, "evt_2", { disposition: "ignored", reason: "x", jobs: [] });
    const ids = [given.id, ignored.id];
    await storage.events.discard(ids, { reason: "x", now });
    const again = ids.map((id) => ({ id, extraJobs: newEvent("").jobs }));
    assert.deepEqual(await storage.events.replay(again, { includeDone: false, now }), [1, 1]);
    for (const id of ids) {
      const { state, reason } = (await storage.events.find(id)) ?? {};
      assert.deepEqual([state, reason], ["received", undefined]);
    }
  },
  "makes the jobs of one of two replays at the same moment": async (storage) => {
    const deadOne = await acceptOne(storage, "evt_1");
    await runAll(storage, dead);
    const ignored = await acceptOne(storage, "evt_2", { disposition: "ignored", reason: "x", jobs: [] });
    for (const id of [deadOne.id, ignored.id]) {
      const replay = () => storage.events.replay([{ id, extraJobs: newEvent("").jobs }], { includeDone: false, now });
      assert.deepEqual((await Promise.all([replay(), replay()])).flat().toSorted(), [0, 1]);
    }
  },
  "replays nothing under an unknown id": async (storage) => {
    const unknown = [{ id: 12_345, extraJobs: [] }];
    assert.deepEqual(await storage.events.replay(unknown, { includeDone: true, now }), [0]);
    assert.deepEqual(await storage.events.replay([], { includeDone: true, now }), []);
  },
  "replays many events at once, each at its time": async (storage) => {
    const accepted = await storage.events.accept([newEvent("evt_1"), newEvent("evt_2"), newEvent("evt_3")]);
    await runAll(storage, dead);
    const [one, two, three] = accepted;
    assert.ok(one && two && three);
    const wanted = [
      { id: three.id, extraJobs: [], dueAt: now + 100 },
      { id: 999_999, extraJobs: [] },
      { id: one.id, extraJobs: [] },
    ];
    assert.deepEqual(await storage.events.replay(wanted, { includeDone: false, now }), [1, 0, 1]);
    const fresh = (await storage.jobRecords.list({ limit: 10 })).filter(({ replayOf }) => replayOf !== undefined);
    assert.deepEqual(
      new Map(fresh.map(({ eventId, state, dueAt }) => [eventId, [state, dueAt]])),
      new Map([
        [one.id, ["ready", undefined]],
        [three.id, ["scheduled", now + 100]],
      ]),
    );
    assert.deepEqual([await stateOf(storage, one.id), await stateOf(storage, two.id)], ["received", "dead"]);
  },
  "lists by time, and oldest first behind an id": async (storage) => {
    const accepted = await storage.events.accept(
      [0, 10, 20].map((after) => newEvent(`evt_${after}`, { receivedAt: now + after })),
    );
    const [one, two, three] = accepted.map(({ id }) => id);
    const ids = async (query: object): Promise<number[]> =>
      (await storage.events.list({ limit: 10, ...query })).map(({ id }) => id);
    assert.deepEqual(await ids({ since: now + 10 }), [three, two]);
    assert.deepEqual(await ids({ until: now + 10 }), [one]);
    assert.deepEqual(await ids({ since: now + 1, until: now + 20 }), [two]);
    assert.deepEqual(await ids({ after: 0 }), [one, two, three]);
    assert.deepEqual(await ids({ after: one, limit: 1 }), [two]);
    assert.deepEqual(await ids({ after: one, state: "received", since: now + 11 }), [three]);
  },
};
