import { copyFileSync, writeFileSync } from "node:fs";
import sqlite3 from "sqlite3";
import { expect, test, vi } from "vitest";
import { sqliteCheckpoints } from "../src/sqlite/checkpoints.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { fileOf, sqlite } from "./databases.ts";

const options = { synchronous: "FULL", readers: 3, guardNesting: true, readLimitMs: 2_000 } as const;

/** How many rows the file itself has, without what is only in its write-ahead log. */
const rowsIn = async (file: string): Promise<number> => {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  const alone = new sqlite3.Database(copy);
  const rows = await new Promise<{ count: number } | undefined>((resolve) =>
    alone.get<{ count: number }>("SELECT count(*) AS count FROM item", (error, row) =>
      resolve(error === null ? row : undefined),
    ),
  );
  await new Promise((resolve) => alone.close(resolve));
  return rows?.count ?? 0;
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
