import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { user } from "@postern/app";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test, vi } from "vitest";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { fileOf, openKnex, openStorage, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const all = { where: { all: [] }, reason: "test" };

/** The settings of one connection. */
const settings = {
  journal_mode: "wal",
  synchronous: 2,
  foreign_keys: 1,
  timeout: 2000,
  wal_autocheckpoint: 4000,
  temp_store: 0,
};
const pragmas = Object.keys(settings).map((name) => (name === "timeout" ? "busy_timeout" : name));

test("makes the settings that the file does not keep, on the writer and on every reader", async () => {
  const database = openSqlite(fileOf(sqlite.url()), {
    synchronous: "FULL",
    readers: 3,
    guardNesting: true,
    readLimitMs: 2_000,
    driver: sqliteDriver,
  });
  const seen: Record<string, unknown>[] = [];
  let arrived = 0;
  let allHere: () => void = () => undefined;
  const together = new Promise<void>((resolve) => {
    allHere = resolve;
  });
  // All at once, so that each has a connection of its own.
  await Promise.all(
    [database.read, database.read, database.read, database.write].map((use) =>
      use(async (session) => {
        const found: Record<string, unknown>[] = [];
        for (const pragma of pragmas) found.push(...(await session.rows<Record<string, unknown>>(`PRAGMA ${pragma}`)));
        seen.push(Object.assign({}, ...found));
        arrived += 1;
        if (arrived === 4) allHere();
        await together;
      }),
    ),
  );
  const ofWriter = { ...settings, temp_store: 2 };
  const inMemory = ({ temp_store: one }: Record<string, unknown>): number => Number(one);
  expect(seen.toSorted((left, right) => inMemory(left) - inMemory(right))).toEqual([
    settings,
    settings,
    settings,
    ofWriter,
  ]);
  await database.close();
});

test("makes the directory of the file", async () => {
  const directory = join(dirname(fileOf(sqlite.url())), "some", "where");
  const { migrate, storage } = openStorage({ url: `sqlite:${join(directory, "postern.db")}` });
  await migrate.latest();
  await storage.check();
  expect(existsSync(directory)).toBe(true);
});

test("serves a burst of 1,000 waiting writes in order", async () => {
  // A slow machine takes longer for them than a write may wait by default.
  const { storage } = await sqlite.fresh({ writeWaitMs: 60_000 });
  const order: number[] = [];
  await Promise.all(
    Array.from({ length: 1000 }, (_, n) =>
      storage.resources.insert(user, userRow(n + 1)).then(() => {
        order.push(n);
      }),
    ),
  );
  expect(order).toEqual(Array.from({ length: 1000 }, (_, n) => n));
});

test("rolls back only the transaction that fails, among those that share a commit", async () => {
  const { storage } = await sqlite.fresh();
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) =>
      storage.transaction(async ({ resources }) => {
        await resources.insert(user, userRow(n + 1));
        if (n % 4 === 0) throw new Error("no");
      }),
    ),
  );
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(10);
  const rows = await storage.resources.list(user, {
    scope: all,
    order: [{ field: "id", direction: "asc" }],
    limit: 100,
  });
  expect(rows).toHaveLength(30);
});

test("runs no transaction again because of one that fails before it has written", async () => {
  const { storage } = await sqlite.fresh();
  let runs = 0;
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, n) =>
      storage.transaction(async ({ resources }) => {
        runs += 1;
        // A taken address is refused by the statement itself.
        await resources.insert(user, userRow(n + 1, n % 4 === 0 ? { email: "same@example.com" } : {}));
      }),
    ),
  );
  expect(results.filter(({ status }) => status === "rejected")).toHaveLength(9);
  expect(runs).toBe(40);
});

test("does not make readers wait for a transaction under way, nor show them what it has not committed", async () => {
  const { storage } = await sqlite.fresh();
  await storage.transaction(async ({ resources }) => {
    await resources.insert(user, userRow(1));
    expect(await storage.resources.find(user, idNumber(1), all)).toBeUndefined();
  });
  expect(await storage.resources.find(user, idNumber(1), all)).toBeDefined();
});

test("answers unavailable when another process keeps the file locked, and works again when it is free", async () => {
  const url = sqlite.url();
  const { storage } = await sqlite.fresh({ url });
  const other = openKnex(url);
  await other.raw("BEGIN IMMEDIATE");
  await expect(storage.resources.insert(user, userRow(1))).rejects.toMatchObject({
    code: "unavailable",
    headers: { "retry-after": "1" },
  });
  expect(await storage.resources.find(user, idNumber(1), all)).toBeUndefined();
  await other.raw("ROLLBACK");
  await other.destroy();
  await storage.resources.insert(user, userRow(1));
});

test("a migration waits for the writes of another process longer than a write does", async () => {
  const url = sqlite.url();
  const { storage, migrate } = await sqlite.fresh({ url });
  const other = openKnex(url);
  await other.raw("BEGIN IMMEDIATE");
  const write = storage.resources.insert(user, userRow(1));
  const migrated = migrate.latest();
  await expect(write).rejects.toMatchObject({ code: "unavailable" });
  // The migration began to wait before the write gave up, or just then. A second write gives up later.
  await expect(storage.resources.insert(user, userRow(1))).rejects.toMatchObject({ code: "unavailable" });
  await other.raw("ROLLBACK");
  await other.destroy();
  expect(await migrated).toEqual([]);
});

test("lets a write wait for its turn as long as `writeWaitMs` says", async () => {
  const { storage } = await sqlite.fresh({ writeWaitMs: 100 });
  // The first write opens its connection, which takes longer than that on a busy machine.
  await vi.waitFor(() => storage.checkWritable(), 15_000);
  let finish = (): void => undefined;
  let held: Promise<void> | undefined;
  await new Promise<void>((begun) => {
    held = storage.transaction(() => {
      begun();
      return new Promise((resolve) => {
        finish = resolve;
      });
    });
  });
  const began = performance.now();
  await expect(storage.resources.insert(user, userRow(1))).rejects.toMatchObject({ code: "unavailable" });
  const waited = performance.now() - began;
  expect(waited).toBeGreaterThan(90);
  // The default is 2 s.
  expect(waited).toBeLessThan(1900);
  finish();
  await held;
  await storage.resources.insert(user, userRow(1));
});

test("keeps the file and its siblings from other users", async () => {
  const file = fileOf(sqlite.url());
  const modes = (): readonly string[] =>
    readdirSync(dirname(file))
      .filter((name) => name.startsWith("test.db") && !name.endsWith("-journal"))
      .toSorted()
      .map((name) => `${name} ${(statSync(join(dirname(file), name)).mode & 0o777).toString(8)}`);
  const first = openStorage({ url: `sqlite:${file}` });
  await first.migrate.latest();
  const held = await first.liveness.hold(1);
  await first.storage.resources.insert(user, userRow(1));
  expect(modes()).toEqual([
    "test.db 600",
    "test.db-shm 600",
    "test.db-wal 600",
    "test.db.migrating 600",
    "test.db.runner-1 600",
  ]);
  await held.release();
  await first.close();

  // A file from before, or one that an operator shares with a group.
  chmodSync(file, 0o664);
  const second = openStorage({ url: `sqlite:${file}` });
  await second.storage.check();
  expect(modes()[0]).toBe("test.db 660");
  await second.close();
});
