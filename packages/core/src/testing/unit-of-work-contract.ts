import assert from "node:assert/strict";
import { allRows } from "../ports/resource-repository.ts";
import { type Storage, storeNames } from "../ports/storage.ts";
import { newAbortController } from "../runtime.ts";
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
  "has every store, and the same one each time": async (storage) => {
    await storage.transaction(async (stores) => {
      for (const name of storeNames) {
        assert.ok(stores[name], name);
        assert.equal(stores[name], stores[name], name);
      }
    });
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
  "gives a snapshot what was committed when it began, and lets others write meanwhile": async (storage) => {
    await storage.resources.insert(user, userRow(1));
    const seen = await storage.snapshot(async (resources) => {
      await storage.transaction(async (stores) => {
        await stores.resources.insert(user, userRow(2));
        await stores.resources.update(user, { id: idNumber(1), scope: all }, { name: "Changed" });
      });
      const [first, ...others] = await resources.list(user, {
        scope: all,
        order: [{ field: "id", direction: "asc" }],
        limit: 9,
      });
      const again = await resources.find(user, idNumber(1), all, ["name"]);
      return [first?.name, others.length, again?.name, await resources.count(user, { scope: all }, 9)];
    }, newAbortController().signal);
    assert.deepEqual(seen, ["User 1", 0, "User 1", 1]);
    const later = await storage.snapshot(
      (resources) => resources.find(user, idNumber(1), all, ["name"]),
      newAbortController().signal,
    );
    assert.deepEqual(later, { name: "Changed" });
  },
  "gives a snapshot nothing that writes, and only until its work has ended": async (storage) => {
    const kept = await storage.snapshot(async (resources) => {
      for (const name of ["insert", "hold", "update", "delete", "deleteWhere"]) assert.equal(name in resources, false);
      return resources;
    }, newAbortController().signal);
    await assert.rejects(async () => kept.find(user, idNumber(1), all), /the transaction is over/);
  },
  "throws what the work of a snapshot throws": async (storage) => {
    const failing = storage.snapshot(() => Promise.reject(new Error("not today")), newAbortController().signal);
    await assert.rejects(failing, /not today/);
    await storage.resources.insert(user, userRow(1));
  },
  "ends a snapshot by its signal, whatever the work does": async (storage) => {
    const ending = newAbortController();
    let work: Promise<unknown> | undefined;
    const reading = storage.snapshot((resources) => {
      work = new Promise((resolve, reject) => {
        ending.signal.addEventListener("abort", () => {
          const late = async () => resources.find(user, idNumber(1), all);
          // After this turn the caller knows that it has ended.
          reading.catch(() => late().then(resolve, reject));
        });
        ending.abort(new Error("it took too long"));
      });
      return work;
    }, ending.signal);
    await assert.rejects(reading, /it took too long/);
    await assert.rejects(work ?? Promise.resolve(), /the transaction is over/);
    await assert.rejects(
      storage.snapshot(async () => "run", ending.signal),
      /it took too long/,
    );
    await storage.resources.insert(user, userRow(1));
  },
  "runs many snapshots and transactions at once": async (storage) => {
    const numbers = Array.from({ length: 25 }, (_, n) => n + 1);
    await storage.resources.insert(user, userRow(100));
    const names = await Promise.all(
      numbers.map(async (n) => {
        await storage.resources.insert(user, userRow(n));
        return storage.snapshot(
          async (resources) => (await resources.find(user, idNumber(n), all))?.name,
          newAbortController().signal,
        );
      }),
    );
    assert.deepEqual(
      names,
      numbers.map((n) => `User ${n}`),
    );
  },
  "is ready once it can be used": async (storage) => {
    await storage.check();
  },
};
