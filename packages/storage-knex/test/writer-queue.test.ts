import { expect, test, vi } from "vitest";
import type { SqliteConnection } from "../src/sqlite/driver/driver.ts";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { type WriterLimits, writerLimits, writerQueue } from "../src/sqlite/writer-queue.ts";
import { fileOf, sqlite } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const opened = async (file: string): Promise<SqliteConnection> =>
  (await loadDriver(sqliteDriver)).open(file, { create: true });

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

/** Notes what a connection is given: one entry for each message to its thread. */
const noted = (connection: SqliteConnection) => {
  const messages: string[][] = [];
  const textsOf = (steps: readonly { readonly sql: string }[]) => steps.map(({ sql }) => sql.split(" ")[0] ?? "");
  const spy: Pick<SqliteConnection, "all" | "run" | "batch"> = {
    all: (sql, values, before = []) => {
      messages.push(textsOf([...before, { sql }]));
      return connection.all(sql, values, before);
    },
    run: (sql, values, before = []) => {
      messages.push(textsOf([...before, { sql }]));
      return connection.run(sql, values, before);
    },
    batch: (steps) => {
      messages.push(textsOf(steps));
      return connection.batch(steps);
    },
  };
  return { messages, connection: { ...connection, ...spy, interrupt: () => connection.interrupt(), isLost: false } };
};

const onOneConnection = async () => {
  const connection = await opened(fileOf(sqlite.url()));
  await connection.run("CREATE TABLE row (id INTEGER PRIMARY KEY)");
  const { messages, connection: spied } = noted(connection);
  const writer = { acquire: async () => spied, release: async () => undefined, discard: async () => undefined };
  const rows = async () => (await connection.all<{ id: number }>("SELECT id FROM row ORDER BY id")).map(({ id }) => id);
  return { messages, turns: writerQueue(writer), rows };
};

const insertRow = "INSERT INTO row VALUES (?)";

test("ends with what nobody needs the result of", async () => {
  const { messages, turns, rows } = await onOneConnection();
  await turns.transaction(async (session) => {
    await session.rows("SELECT id FROM row");
    await session.later(insertRow, [1]);
    await session.later(insertRow, [2]);
  });
  expect(messages).toEqual([["BEGIN"], ["SELECT"], ["INSERT", "INSERT", "COMMIT"]]);
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
