import assert from "node:assert/strict";
import type { NewEvent } from "../ports/event-store.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { newEvent } from "./inbox-events.ts";

const now = 1_800_000_000_000;

const outcomesOf = async ({ events }: Storage, given: readonly NewEvent[]): Promise<readonly string[]> =>
  (await events.accept(given)).map(({ outcome }) => outcome);

/** What every `EventStore` promises about events that may be stored under another key. */
export const eventRepeatsContract: Contract<Storage> = {
  "finds an event that is stored under another of its keys, and counts the repeat there": async (storage) => {
    const [first] = await storage.events.accept([newEvent("former")]);
    const again = newEvent("later", { otherKeys: [{ dedupeKey: "elsewhere" }, { dedupeKey: "former" }], repeats: 1 });
    assert.deepEqual(await storage.events.accept([again]), [{ outcome: "duplicate", id: first?.id, sameBody: true }]);
    const other = newEvent("later", { otherKeys: [{ dedupeKey: "former" }], bodySha256: "b".repeat(64) });
    assert.deepEqual(await storage.events.accept([other]), [{ outcome: "duplicate", id: first?.id, sameBody: false }]);
    assert.equal((await storage.events.find(first?.id ?? 0))?.repeats, 3);
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 1);
    // The key of its own was not taken, and those of other senders do not count.
    assert.deepEqual(await outcomesOf(storage, [newEvent("later")]), ["accepted"]);
    const elsewhere = newEvent("x", { provider: "github", otherKeys: [{ dedupeKey: "former" }] });
    assert.deepEqual(await outcomesOf(storage, [elsewhere]), ["accepted"]);
  },
  "lets another key count only since its time": async (storage) => {
    await storage.events.accept([newEvent("first", { receivedAt: now })]);
    const at = (since: number, key: string) => newEvent(key, { otherKeys: [{ dedupeKey: "first", since }] });
    assert.deepEqual(await outcomesOf(storage, [at(now + 1, "second")]), ["accepted"]);
    assert.deepEqual(await outcomesOf(storage, [at(now, "third")]), ["duplicate"]);
  },
  "takes one of two events of a batch that know each other's key, in either order": async (storage) => {
    const left = newEvent("left", { otherKeys: [{ dedupeKey: "right" }] });
    const right = newEvent("right", { otherKeys: [{ dedupeKey: "left" }] });
    assert.deepEqual(await outcomesOf(storage, [newEvent("plain"), left, right]), [
      "accepted",
      "accepted",
      "duplicate",
    ]);
    assert.deepEqual(await outcomesOf(storage, [right, newEvent("plain"), left]), [
      "duplicate",
      "duplicate",
      "duplicate",
    ]);
    assert.equal((await storage.jobRecords.list({ limit: 10 })).length, 2);
  },
  "accepts one of two callers that race, each with a key that the other looks up": async (storage) => {
    for (let round = 0; round < 12; round += 1) {
      const [left, right] = [`left ${round}`, `right ${round}`];
      const pair = await Promise.all([
        outcomesOf(storage, [newEvent(left, { otherKeys: [{ dedupeKey: right }] })]),
        outcomesOf(storage, [newEvent(right, { otherKeys: [{ dedupeKey: left }] })]),
      ]);
      assert.deepEqual(pair.flat().toSorted(), ["accepted", "duplicate"]);
    }
    assert.equal((await storage.jobRecords.list({ limit: 100 })).length, 12);
  },
};
