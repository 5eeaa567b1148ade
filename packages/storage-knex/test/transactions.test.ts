import { user } from "@postern/app";
import { AppError } from "@postern/core";
import { idNumber, newEvent, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { mariadb, onEachDatabase, onMariadb } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };
const now = 1_800_000_000_000;

onEachDatabase("transactions", ({ fresh }) => {
  test("refuse a write to the outer storage from inside, at once and with a clear message", async () => {
    const { storage } = await fresh();
    const nested = [
      () => storage.resources.insert(user, userRow(2)),
      () => storage.jobs.enqueue([{ kind: "a", maxAttempts: 1 }], now),
      () => storage.events.accept([newEvent("evt_1")]),
      () => storage.transaction(async () => undefined),
    ];
    for (const write of nested) {
      await storage.transaction(async () => {
        await expect(write()).rejects.toThrow(/from inside a transaction's work/);
      });
    }
    await storage.transaction(async ({ resources }) => resources.insert(user, userRow(1)));
    await storage.resources.insert(user, userRow(2));
  });

  test("let work that they started write once they are over", async () => {
    const { storage } = await fresh();
    let over: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      over = resolve;
    });
    let later: Promise<void> | undefined;
    await storage.transaction(async () => {
      later = ended.then(() => storage.resources.insert(user, userRow(1)));
    });
    over();
    await later;
    expect(await storage.resources.find(user, idNumber(1), all)).toBeDefined();
  });

  test("do not let their stores be used after the end", async () => {
    const { storage } = await fresh();
    const escaped = await storage.transaction(async ({ resources }) => ({ resources }));
    await expect(escaped.resources.insert(user, userRow(1))).rejects.toThrow("the transaction is over");
    expect(await storage.resources.find(user, idNumber(1), all)).toBeUndefined();
  });

  test("go on after a conflict that their work caught", async () => {
    const { storage } = await fresh();
    await storage.resources.insert(user, userRow(1));
    await storage.transaction(async ({ resources }) => {
      await expect(resources.insert(user, userRow(1))).rejects.toMatchObject({ code: "conflict" });
      await resources.insert(user, userRow(2));
    });
    expect(await storage.resources.find(user, idNumber(2), all)).toBeDefined();
  });

  test("never give out an id twice, whether they are kept or not", async () => {
    const { storage } = await fresh();
    const ids: number[] = [];
    const enqueue = (jobs: number, fail: boolean) =>
      storage
        .transaction(async (stores) => {
          ids.push(...(await stores.jobs.enqueue(Array(jobs).fill({ kind: "a", maxAttempts: 1 }), now)));
          if (fail) throw new Error("no");
        })
        .catch(() => undefined);
    for (let round = 0; round < 8; round += 1) {
      await Promise.all([enqueue(300, false), enqueue(700, true), enqueue(1, false)]);
      ids.push(...(await storage.jobs.enqueue([{ kind: "b", maxAttempts: 1 }], now)));
    }
    const kept = (await storage.jobRecords.countByState()).ready;
    expect(kept).toBe(8 * 302);
    const stored = await storage.jobRecords.list({ limit: 1000 });
    expect(new Set(stored.map(({ id }) => id)).size).toBe(1000);
  });

  test("pass on unchanged what their work throws", async () => {
    const { storage } = await fresh();
    const mine = new AppError("forbidden");
    await expect(storage.transaction(() => Promise.reject(mine))).rejects.toBe(mine);
    await expect(storage.transaction(() => Promise.reject("text"))).rejects.toBe("text");
  });
});

onEachDatabase("what must never reach a statement", ({ fresh }) => {
  test("is refused before it does", async () => {
    const { storage } = await fresh();
    const list = (limit: number) =>
      storage.resources.list(user, { scope: all, order: [{ field: "id", direction: "asc" }], limit });
    for (const limit of [Number.NaN, 0, -1, 1.5, 1001, Number.POSITIVE_INFINITY]) {
      await expect(list(limit)).rejects.toThrow(TypeError);
      await expect(storage.jobRecords.list({ limit })).rejects.toThrow(TypeError);
      await expect(storage.events.list({ limit })).rejects.toThrow(TypeError);
      await expect(storage.jobs.claim({ runnerId: 1, queue: "default", limit, now })).rejects.toThrow(TypeError);
    }
    await expect(storage.jobs.promoteDue(Number.NaN)).rejects.toThrow(TypeError);
    const { name: _name, ...nameless } = userRow(1);
    await expect(storage.resources.insert(user, nameless)).rejects.toThrow(TypeError);
    await expect(storage.resources.insert(user, { ...userRow(1), shoe_size: "44" })).rejects.toThrow(TypeError);
    await expect(storage.resources.update(user, { id: idNumber(1), scope: all }, { revision: 9 })).rejects.toThrow(
      TypeError,
    );
  });
});

onMariadb("a deadlock", () => {
  test("ends with both transactions done: one of them runs again", async () => {
    const { storage } = await mariadb.fresh();
    await storage.resources.insert(user, userRow(1));
    await storage.resources.insert(user, userRow(2));
    let runs = 0;
    const gates = [1, 2].map(() => {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      return { open, opened };
    });
    const rename = (mine: number, other: number) =>
      storage.transaction(async ({ resources }) => {
        runs += 1;
        await resources.update(user, { id: idNumber(mine), scope: all }, { name: `by ${mine}` });
        gates[mine - 1]?.open();
        await gates[other - 1]?.opened;
        await resources.update(user, { id: idNumber(other), scope: all }, { phone: `by ${mine}` });
      });
    await Promise.all([rename(1, 2), rename(2, 1)]);
    expect(runs).toBe(3);
    for (const [n, other] of [
      [1, 2],
      [2, 1],
    ] as const) {
      const row = await storage.resources.find(user, idNumber(n), all, ["name", "phone", "revision"]);
      expect(row).toEqual({ name: `by ${n}`, phone: `by ${other}`, revision: 3 });
    }
  });
});
