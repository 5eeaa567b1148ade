import { copyFileSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { sqliteCheckpoints } from "../src/sqlite/checkpoints.ts";
import { type Ask, onSoleConnection } from "../src/sqlite/sole-connection.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { fileOf, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const options = {
  synchronous: "FULL",
  readers: 3,
  guardNesting: true,
  readLimitMs: 2_000,
  driver: sqliteDriver,
} as const;

/** How many rows the file itself has, without what is only in its write-ahead log. */
const rowsIn = async (file: string): Promise<number> => {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const place = { file: copy, driver: sqliteDriver };
  const count = (ask: Ask) => ask<{ count: number }>("SELECT count(*) AS count FROM item");
  const [row] = await onSoleConnection(place, count).catch(() => []);
  return row?.count ?? 0;
};

test("commits are copied into the file long before the writer itself would do it", async () => {
  const file = fileOf(sqlite.url());
  const database = openSqlite(file, options);
  await database.write((session) => session.run("CREATE TABLE item (id INTEGER PRIMARY KEY)"));
  for (let n = 0; n < 40; n += 1) await database.write((session) => session.run("INSERT INTO item DEFAULT VALUES"));
  await vi.waitFor(async () => expect(await rowsIn(file)).toBeGreaterThan(10), 5_000);
  expect(await database.read((session) => session.rows("SELECT count(*) AS count FROM item"))).toEqual([{ count: 40 }]);
  await database.close();
});

test("a reader that stays at an old state holds nobody up", async () => {
  const file = fileOf(sqlite.url());
  const database = openSqlite(file, options);
  await database.write((session) => session.run("CREATE TABLE item (id INTEGER PRIMARY KEY)"));
  await database.read(async (reader) => {
    await reader.rows("BEGIN");
    await reader.rows("SELECT count(*) FROM item");
    const fromMs = performance.now();
    for (let n = 0; n < 40; n += 1) await database.write((session) => session.run("INSERT INTO item DEFAULT VALUES"));
    // A checkpoint that waits for readers keeps writers waiting for up to 2 s.
    expect(performance.now() - fromMs).toBeLessThan(1_500);
    expect(await reader.rows("SELECT count(*) AS count FROM item")).toEqual([{ count: 0 }]);
    await reader.rows("COMMIT");
  });
  expect(await rowsIn(file)).toBe(0);
  // Copied with the writes after the reader has gone.
  await vi.waitFor(async () => {
    await database.write((session) => session.run("INSERT INTO item DEFAULT VALUES"));
    expect(await rowsIn(file)).toBeGreaterThanOrEqual(40);
  }, 15_000);
  await database.close();
});

test("a checkpoint that fails harms nothing, and does not keep the database from closing", async () => {
  const file = fileOf(sqlite.url());
  writeFileSync(file, "this is no database, although it has a name that says so".repeat(100));
  const checkpoints = sqliteCheckpoints(file, options);
  for (let n = 0; n < 100; n += 1) {
    checkpoints.note();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect(checkpoints.close()).resolves.toBeUndefined();
});
