import assert from "node:assert/strict";
import { allRows } from "../ports/resource-repository.ts";
import type { Storage } from "../ports/storage.ts";
import type { Contract } from "./contract.ts";
import { user } from "./contract-resources.ts";
import { newEvent } from "./inbox-events.ts";
import { idNumber, userRow } from "./rows.ts";

const now = 1_800_000_000_000;
const all = allRows("contract");

/** What every `UnitOfWork` promises, on a fresh storage. */
export const unitOfWorkContract: Contract<Storage> = {
  "keeps all of a transaction that ends well, and answers what it returned": async (storage) => {
    const answer = await storage.transaction(async ({ resources, events, jobs }) => {
      await resources.insert(user, userRow(1));
      await events.accept([newEvent("evt_1")]);
      await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], now);
      return "kept";
    });
    assert.equal(answer, "kept");
    assert.ok(await storage.resources.find(user, idNumber(1), all));
    assert.equal((await storage.events.list({ limit: 5 })).length, 1);
    assert.equal((await storage.jobRecords.list({ limit: 5 })).length, 2);
  },
  "keeps nothing of a transaction that throws": async (storage) => {
    await storage.resources.insert(user, userRow(1));
    const failing = storage.transaction(async ({ resources, events, jobs, runners }) => {
      await resources.insert(user, userRow(2));
      await resources.update(user, { id: idNumber(1), scope: all }, { name: "Changed" });
      await events.accept([newEvent("evt_1")]);
      await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], now);
      await runners.register({ name: "gone", kinds: [] }, now);
      throw new Error("after all that");
    });
    await assert.rejects(failing, /after all that/);
    assert.equal(await storage.resources.find(user, idNumber(2), all), undefined);
    assert.equal((await storage.resources.find(user, idNumber(1), all))?.name, "User 1");
    assert.deepEqual(await storage.events.list({ limit: 5 }), []);
    assert.deepEqual(await storage.jobRecords.list({ limit: 5 }), []);
    assert.deepEqual(await storage.runners.live(), []);
  },
  "sees its own writes": async (storage) => {
    const seen = await storage.transaction(async ({ resources }) => {
      await resources.insert(user, userRow(1));
      return resources.find(user, idNumber(1), all, ["name"]);
    });
    assert.deepEqual(seen, { name: "User 1" });
  },
  "ends a job and writes its effect together": async (storage) => {
    await storage.jobs.enqueue([{ kind: "sign-up", maxAttempts: 3 }], now);
    const [job] = await storage.jobs.claim({ runnerId: 1, queue: "default", limit: 1, now });
    assert.ok(job);
    const effect = (): Promise<boolean> =>
      storage.transaction(async ({ jobs, resources }) => {
        const [kept] = await jobs.finish([{ job, end: { to: "done" } }], now);
        if (kept === true) await resources.insert(user, userRow(1));
        return kept === true;
      });
    assert.deepEqual((await Promise.all([effect(), effect(), effect()])).toSorted(), [false, false, true]);
    assert.equal((await storage.jobRecords.find(job.id))?.state, "done");
  },
  "runs many transactions at once without losing a write": async (storage) => {
    await Promise.all(
      Array.from({ length: 25 }, (_, n) =>
        storage.transaction(async ({ resources, jobs }) => {
          await resources.insert(user, userRow(n + 1));
          await jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], now);
        }),
      ),
    );
    const users = await storage.resources.list(user, {
      scope: all,
      order: [{ field: "id", direction: "asc" }],
      limit: 100,
    });
    assert.equal(users.length, 25);
    assert.equal((await storage.jobRecords.countByState()).ready, 25);
  },
  "is ready once it can be used": async (storage) => {
    await storage.check();
  },
};
