import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { user } from "@postern/app";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test, vi } from "vitest";
import type { SqliteConnection } from "../src/sqlite/driver/driver.ts";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { type WriterLimits, writerLimits, writerQueue } from "../src/sqlite/writer-queue.ts";
import { fileOf, openKnex, openStorage, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const all = { where: { all: [] }, reason: "test" };

const opened = async (file: string): Promise<SqliteConnection> =>
  (await loadDriver(sqliteDriver)).open(file, { create: true });

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

test("a write waits while another process locks the file, for as long as any write may wait", async () => {
  const file = fileOf(sqlite.url());
  const other = await opened(file);
  await other.batch([{ sql: "CREATE TABLE row (id INTEGER)" }, { sql: "BEGIN IMMEDIATE" }]);
  const writer = await opened(file);
  await writer.all("PRAGMA busy_timeout = 20");
  let refused = 0;
  const discard = async () => {
    refused += 1;
    // SQLite has refused to wait any longer.
    if (refused === 2) await other.run("ROLLBACK");
  };
  const turns = writerQueue({ acquire: async () => writer, release: async () => undefined, discard });
  const write = turns.transaction((session) => session.run("INSERT INTO row VALUES (?)", [1]));
  expect(await write).toMatchObject({ changed: 1 });
  expect(refused).toBe(2);
});

test("writes again after the file could not be written, on a new connection, because the old one stays read-only", async () => {
  const file = fileOf(sqlite.url());
  const first = await opened(file);
  await first.run("CREATE TABLE row (id INTEGER)");
  const readOnly = await opened(file);
  await readOnly.all("PRAGMA query_only = ON");
  const pool = [readOnly, await opened(file)];
  const turns = writerQueue({
    // The pool has one at least: each is given up once.
    acquire: async () => pool[0] as SqliteConnection,
    release: async () => undefined,
    discard: async () => void pool.shift(),
  });
  const write = () => turns.transaction((session) => session.run("INSERT INTO row VALUES (?)", [1]));
  await expect(write()).rejects.toMatchObject({ code: "unavailable" });
  expect(await write()).toMatchObject({ changed: 1 });
  expect(pool).toHaveLength(1);
});

/** Notes what a connection is given, one entry for each way to its thread. */
const noted = (connection: SqliteConnection) => {
  const ways: string[][] = [];
  const textsOf = (steps: readonly { readonly sql: string }[]) => steps.map(({ sql }) => sql.split(" ")[0] ?? "");
  const spy: Pick<SqliteConnection, "all" | "run" | "batch"> = {
    all: (sql, values, before = []) => {
      ways.push(textsOf([...before, { sql }]));
      return connection.all(sql, values, before);
    },
    run: (sql, values, before = []) => {
      ways.push(textsOf([...before, { sql }]));
      return connection.run(sql, values, before);
    },
    batch: (steps) => {
      ways.push(textsOf(steps));
      return connection.batch(steps);
    },
  };
  return { ways, connection: { ...connection, ...spy, interrupt: () => connection.interrupt(), isLost: false } };
};

const onOneConnection = async () => {
  const connection = await opened(fileOf(sqlite.url()));
  await connection.run("CREATE TABLE row (id INTEGER PRIMARY KEY)");
  const { ways, connection: spied } = noted(connection);
  const writer = { acquire: async () => spied, release: async () => undefined, discard: async () => undefined };
  const rows = async () => (await connection.all<{ id: number }>("SELECT id FROM row ORDER BY id")).map(({ id }) => id);
  return { ways, turns: writerQueue(writer), rows };
};

const insertRow = "INSERT INTO row VALUES (?)";

test("ends with what nobody needs the result of", async () => {
  const { ways, turns, rows } = await onOneConnection();
  await turns.transaction(async (session) => {
    await session.rows("SELECT id FROM row");
    await session.later(insertRow, [1]);
    await session.later(insertRow, [2]);
  });
  expect(ways).toEqual([["BEGIN"], ["SELECT"], ["INSERT", "INSERT", "COMMIT"]]);
  expect(await rows()).toEqual([1, 2]);
});

test("a statement sees what was left for later", async () => {
  const { turns } = await onOneConnection();
  const seen = await turns.transaction(async (session) => {
    await session.later(insertRow, [1]);
    return session.rows("SELECT id FROM row");
  });
  expect(seen).toEqual([{ id: 1 }]);
});

test("what was left for later and is refused fails its own transaction, and no other of the group", async () => {
  const { turns, rows } = await onOneConnection();
  const later = (id: number) => turns.transaction((session) => session.later(insertRow, [id]));
  // The second one is refused when the third runs its statement, and the last one by the commit.
  const outcomes = await Promise.allSettled([
    later(1),
    later(1),
    turns.transaction((session) => session.run(insertRow, [2])),
    later(3),
    later(3),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "rejected"]);
  expect(await rows()).toEqual([1, 2, 3]);
});

test("a transaction whose work hides the refusal of what it left for later is not committed", async () => {
  const { turns, rows } = await onOneConnection();
  await turns.transaction((session) => session.run(insertRow, [1]));
  const hides = turns.transaction(async (session) => {
    await session.later(insertRow, [1]);
    await session.run(insertRow, [2]).catch(() => undefined);
  });
  await expect(hides).rejects.toThrow();
  await expect(turns.transaction((session) => session.later(insertRow, [1]))).rejects.toThrow();
  expect(await rows()).toEqual([1]);
});

test("a transaction that fails before its statements were sent leaves the others of its group alone", async () => {
  const { turns, rows } = await onOneConnection();
  const fails = turns.transaction(async (session) => {
    await session.later(insertRow, [1]);
    throw new Error("no");
  });
  const outcomes = await Promise.allSettled([fails, turns.transaction((session) => session.later(insertRow, [2]))]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(await rows()).toEqual([2]);
});

test("shares commits even if each turn of the event loop takes long", async () => {
  const file = fileOf(sqlite.url());
  const connection = await opened(file);
  await connection.run("CREATE TABLE row (id INTEGER)");
  let groups = 0;
  let nowMs = 0;
  const turns = writerQueue(
    {
      acquire: async () => {
        groups += 1;
        return connection;
      },
      release: async () => undefined,
      discard: async () => undefined,
    },
    { waiting: 20, waitMs: 600, sharing: 64, least: 8, groupMs: 25, groupBytes: 262_144, workMs: 5_000 },
    () => {
      nowMs += 30;
      return nowMs;
    },
  );
  const insert = (id: number) => turns.transaction((session) => session.run("INSERT INTO row VALUES (?)", [id]));
  const ids = Array.from({ length: 16 }, (_, id) => id);
  expect(await Promise.all(ids.map(insert))).toHaveLength(16);
  expect(groups).toBe(2);
  await connection.close();
});

test("gives up a statement that takes too long, and the connection with it if it must", async () => {
  const file = fileOf(sqlite.url());
  let connection = await opened(file);
  await connection.run("CREATE TABLE row (id INTEGER)");
  const turns = writerQueue(
    {
      acquire: async () => connection,
      release: async () => undefined,
      discard: async () => {
        connection = await opened(file);
        await connection.all("PRAGMA busy_timeout = 1000");
      },
    },
    { ...writerLimits, waitMs: 60_000, workMs: 20 },
  );
  const slow =
    "INSERT INTO row WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3e6) SELECT MAX(i) FROM n";
  const interrupt = vi.spyOn(connection, "interrupt");
  const late = turns.transaction((session) => session.run(slow));
  await expect(late).rejects.toMatchObject({ code: "unavailable" });
  expect(interrupt).toHaveBeenCalled();
  await turns.transaction((session) => session.run("INSERT INTO row VALUES (7)"));
  expect(await connection.all("SELECT id FROM row")).toEqual([{ id: 7 }]);
  await connection.close();
});

/** A writer's queue. `commits` holds the networks whose work each commit contains. */
const writersInTurn = async (limits: Partial<WriterLimits> = {}) => {
  const connection = await opened(fileOf(sqlite.url()));
  await connection.run("CREATE TABLE row (text TEXT)");
  const commits: string[][] = [];
  const turns = writerQueue(
    {
      acquire: async () => {
        commits.push([]);
        return connection;
      },
      release: async () => undefined,
      discard: async () => undefined,
    },
    { ...writerLimits, ...limits },
  );
  return {
    commits,
    write: (network: string | undefined, length = 10): Promise<unknown> =>
      turns.transaction((session) => {
        commits.at(-1)?.push(network ?? "Postern");
        return session.run("INSERT INTO row VALUES (?)", ["x".repeat(length)]);
      }, network),
    close: async () => {
      await connection.close();
    },
  };
};

test("lets networks take turns: a write waits for one of each other network, not for all that came first", async () => {
  const { commits, write, close } = await writersInTurn();
  const crowd = Array.from({ length: 20 }, () => write("crowd"));
  await Promise.all([...crowd, write("lone"), write(undefined)]);
  expect(commits.flat().slice(0, 4)).toEqual(["Postern", "crowd", "lone", "crowd"]);
  await close();
});

test("gives every second turn to Postern itself, however many networks wait", async () => {
  const { commits, write, close } = await writersInTurn();
  const networks = Array.from({ length: 20 }, (_, n) => write(`network ${n}`));
  await Promise.all([...networks, ...Array.from({ length: 5 }, () => write(undefined))]);
  const order = commits.flat();
  expect(order.slice(0, 10).filter((one) => one === "Postern")).toHaveLength(5);
  expect(order.slice(10).filter((one) => one === "Postern")).toHaveLength(0);
  await close();
});

test("lets a network whose writes are long pass, but never Postern itself", async () => {
  const { commits, write, close } = await writersInTurn();
  const writes = Array.from({ length: 8 }, () => [write("long", 200_000), write("short"), write(undefined, 200_000)]);
  await Promise.all(writes.flat());
  // The first write charges "long" for eight rounds. It passes until then, or until nobody else waits.
  const first = commits.flat().slice(0, 12);
  expect(first.filter((one) => one === "long")).toHaveLength(1);
  expect(first.filter((one) => one === "short")).toHaveLength(5);
  expect(first.filter((one) => one === "Postern")).toHaveLength(6);
  await close();
});

test("closes a group that holds many bytes, so that its small writes need not wait for several long ones", async () => {
  const { commits, write, close } = await writersInTurn({ groupBytes: 300_000 });
  await Promise.all([write("a"), ...["b", "c", "d", "e"].map((network) => write(network, 200_000))]);
  expect(commits).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
  await close();
});

test("does not count time in which the event loop is blocked as waiting, but still bounds the wait", async () => {
  const file = fileOf(sqlite.url());
  const connection = await opened(file);
  await connection.run("CREATE TABLE row (id INTEGER)");
  const limits = { waiting: 10, waitMs: 600, sharing: 64, least: 8, groupMs: 25, groupBytes: 262_144, workMs: 5_000 };
  const turns = writerQueue(
    { acquire: async () => connection, release: async () => undefined, discard: async () => undefined },
    limits,
  );
  const insert = (id: number) => turns.transaction((session) => session.run("INSERT INTO row VALUES (?)", [id]));

  const first = insert(1);
  const second = insert(2);
  await new Promise(setImmediate);
  const until = performance.now() + 1_500;
  while (performance.now() < until);
  expect(await Promise.all([first, second])).toMatchObject([{ changed: 1 }, { changed: 1 }]);

  let finish = (): void => undefined;
  const slow = turns.transaction(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  const began = performance.now();
  await expect(insert(3)).rejects.toMatchObject({ code: "unavailable" });
  expect(performance.now() - began).toBeGreaterThan(590);
  finish();
  await slow;
  expect(await insert(4)).toMatchObject({ changed: 1 });
  await connection.close();
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
