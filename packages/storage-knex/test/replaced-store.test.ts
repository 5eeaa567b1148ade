import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { user } from "@postern/app";
import { idNumber, rejectsWith, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import type { KnexStorage } from "../src/index.ts";
import { fileContent } from "../src/sqlite/file-content.ts";
import { openedFile } from "../src/sqlite/opened-file.ts";
import { sqlitePool } from "../src/sqlite/pool.ts";
import { adminConnection, fileOf, mariadb, onMariadb, openStorage, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const parts = ["", "-wal", "-shm"] as const;
const all = { where: { all: [] }, reason: "test" };
const byId = [{ field: "id", direction: "asc" }] as const;

/** What may happen to a file, and where its rows are afterwards, if they are anywhere. */
const losses: Readonly<Record<string, (file: string) => string | undefined>> = {
  "the file and its logs are removed": (file) => {
    for (const part of parts) rmSync(file + part);
    return undefined;
  },
  "the file alone is removed": (file) => {
    rmSync(file);
    return undefined;
  },
  "a backup is moved over the file": (file) => {
    const backup = `${file}.backup`;
    copyFileSync(file, backup);
    renameSync(backup, file);
    return undefined;
  },
  "the write-ahead log is removed": (file) => {
    rmSync(`${file}-wal`);
    return undefined;
  },
  "the file and its logs are moved away": (file) => {
    const moved = `${file}.moved`;
    for (const part of parts) renameSync(file + part, moved + part);
    return moved;
  },
  "the folder is moved away, and an empty one takes its place": (file) => {
    const moved = `${dirname(file)}-moved`;
    renameSync(dirname(file), moved);
    mkdirSync(dirname(file));
    return join(moved, file.slice(dirname(file).length + 1));
  },
};

const missingIn = async ({ storage }: KnexStorage, numbers: readonly number[]): Promise<readonly number[]> => {
  const rows = await storage.resources.list(user, { scope: all, order: byId, limit: 1000 });
  const found = new Set(rows.map(({ id }) => id));
  return numbers.filter((n) => !found.has(idNumber(n)));
};

for (const [what, lose] of Object.entries(losses)) {
  test(`SQLite: while writes are under way, ${what}: nothing is acknowledged that a restart would not find`, async () => {
    const opened = await sqlite.fresh();
    const { storage } = opened;
    const file = fileOf(sqlite.urlOf(opened));
    await storage.resources.insert(user, userRow(1));
    expect(await opened.replacement()).toBeUndefined();

    const acknowledged = [1];
    let tried = 1;
    let isLost = false;
    const insertOne = async (): Promise<void> => {
      tried += 1;
      const n = tried;
      await storage.resources.insert(user, userRow(n)).then(
        () => acknowledged.push(n),
        () => undefined,
      );
    };
    const load = Array.from({ length: 8 }, async () => {
      while (!isLost) await insertOne();
    });
    while (acknowledged.length < 40) await insertOne();
    const moved = lose(file);
    isLost = true;
    // What was begun before is answered, too.
    await Promise.all(load);
    const stood = acknowledged.length;
    for (let n = 0; n < 20; n += 1) await insertOne();
    expect(acknowledged).toHaveLength(stood);

    const refused = await rejectsWith("unavailable", () => storage.resources.insert(user, userRow(tried + 1)));
    expect(refused.status).toBe(503);
    expect(String((refused.cause as Error).message)).toContain(file);
    await rejectsWith("unavailable", () => storage.check());
    expect(await opened.replacement()).toMatch(/nothing is accepted\. .*(put the file back|Put it back)/i);
    await opened.close();
    if (moved === undefined) return;
    expect(await missingIn(openStorage({ url: `sqlite:${moved}` }), acknowledged)).toEqual([]);
  });
}

test("SQLite: goes on when the same file is back", async () => {
  const opened = await sqlite.fresh();
  const file = fileOf(sqlite.urlOf(opened));
  await opened.storage.resources.insert(user, userRow(1));
  renameSync(file, `${file}.moved`);
  await rejectsWith("unavailable", () => opened.storage.resources.insert(user, userRow(2)));
  renameSync(`${file}.moved`, file);
  await opened.storage.resources.insert(user, userRow(3));
  expect(await opened.replacement()).toBeUndefined();
});

test("SQLite: reads look at the file once in a second", () => {
  const file = fileOf(sqlite.url());
  copyFileSync(import.meta.filename, file);
  let nowMs = 0;
  const opened = openedFile(file, () => nowMs);
  opened.admit();
  opened.requireRecentlySame();
  rmSync(file);
  nowMs = 999;
  opened.requireRecentlySame();
  nowMs = 1_000;
  expect(() => opened.requireRecentlySame()).toThrow("not available");
  // From then on every read looks.
  expect(() => opened.requireRecentlySame()).toThrow("not available");
});

onMariadb("a database of another lineage", () => {
  test("is refused by new connections and by the check, and the first one is taken again", async () => {
    const opened = await mariadb.fresh();
    const { storage } = opened;
    await storage.resources.insert(user, userRow(1));
    expect(await opened.replacement()).toBeUndefined();
    const admin = await adminConnection();
    const name = new URL(mariadb.urlOf(opened)).pathname.slice(1);
    const shift = (by: number) => admin.query(`UPDATE \`${name}\`.database_identity SET number = number + ${by}`);
    await shift(-1);
    try {
      // While nothing uses the database, nobody asks.
      expect(await opened.replacement()).toBeUndefined();
      await storage.queues.list();
      const reason = await opened.replacement();
      expect(reason).toMatch(
        /another database .* has the number \d+, that one has \d+.*Check where DATABASE_URL leads/,
      );
      await rejectsWith("unavailable", () => storage.check());
      const [rows] = await admin.query("SELECT id FROM information_schema.processlist WHERE db = ?", [name]);
      for (const { id } of rows as { id: number }[]) await admin.query(`KILL ${id}`).catch(() => undefined);
      const refused = await rejectsWith("unavailable", () => storage.resources.insert(user, userRow(2)));
      expect(String(refused.cause)).toContain("another database");
    } finally {
      await shift(1);
      await admin.end();
    }
    await storage.resources.insert(user, userRow(3));
    await storage.check();
  });
});

test("SQLite: a connection that is opened while the file goes away makes no file in its place", async () => {
  const file = fileOf(sqlite.url());
  const known = openedFile(file);
  let goesAway = false;
  const settings = { synchronous: "NORMAL", driver: sqliteDriver } as const;
  const pool = sqlitePool(file, 1, settings, {
    ...known,
    isKnown: true,
    // Between the look at the file and the opening of it, in which a thread may have to start.
    requireSame: () => {
      known.requireSame();
      if (goesAway) renameSync(file, `${file}.moved`);
    },
  });
  closeSync(openSync(file, "w"));
  const first = await pool.acquire();
  known.admit();
  goesAway = true;
  await pool.discard(first);
  await expect(pool.acquire()).rejects.toThrow();
  expect(existsSync(file)).toBe(false);
  renameSync(`${file}.moved`, file);
  await pool.close();
});

test("SQLite: another database that is written into the same file is noticed, and nothing is accepted", async () => {
  const opened = await sqlite.fresh();
  const { storage } = opened;
  const file = fileOf(sqlite.urlOf(opened));
  const other = sqlite.url();
  const made = openStorage({ url: other });
  await made.migrate.latest();
  await made.close();
  let nowMs = 0;
  const refused: Error[] = [];
  const content = fileContent(
    file,
    sqliteDriver,
    {
      refuse: (reason) => void refused.push(reason),
      requireSame: () => {
        if (refused[0] !== undefined) throw refused[0];
      },
    },
    () => nowMs,
  );
  await storage.resources.insert(user, userRow(1));
  await storage.housekeeping.checkpoint();
  await content.requireSame();
  copyFileSync(fileOf(other), file);
  nowMs = 14_999;
  await content.requireSame();
  nowMs = 15_000;
  const thrown = await rejectsWith("unavailable", () => content.requireSame());
  expect(String((thrown.cause as Error).message)).toContain(`another database was written into the file ${file}`);
  await rejectsWith("unavailable", () => content.requireSame());
});

test("SQLite: a file that was refused once stays refused, for writes and for reads", () => {
  const file = fileOf(sqlite.url());
  copyFileSync(import.meta.filename, file);
  const known = openedFile(file, () => 0);
  known.admit();
  known.requireRecentlySame();
  known.refuse(new Error("another database"));
  expect(() => known.requireSame()).toThrow("another database");
  expect(() => known.requireRecentlySame()).toThrow("another database");
});
