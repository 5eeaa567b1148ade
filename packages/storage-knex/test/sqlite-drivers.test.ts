import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Bound, SqliteConnection, SqliteDriver } from "../src/sqlite/driver/driver.ts";
import { firstDriver, loadBetterSqlite3, loadNodeSqlite, losesCommits } from "../src/sqlite/driver/load-driver.ts";
import { loadSqlite3, ownOrInstalled } from "../src/sqlite/driver/sqlite3-driver.ts";
import { mostGivenUp } from "../src/sqlite/driver/worker-connection.ts";
import { fileOf, sqlite } from "./databases.ts";

const loaders = { "node:sqlite": loadNodeSqlite, "better-sqlite3": loadBetterSqlite3, sqlite3: loadSqlite3 };

const loaded = await Promise.all(
  Object.entries(loaders).map(async ([name, load]) => ({ name, driver: await load().catch(() => undefined) })),
);

describe.each(loaded)("$name", ({ driver }) => {
  const it = test.skipIf(driver === undefined);

  const opened = async (file = fileOf(sqlite.url()), create = true): Promise<SqliteConnection> => {
    const connection = await (driver as SqliteDriver).open(file, { create });
    onTestFinished(() => connection.close());
    return connection;
  };

  it("tells its version of SQLite", async () => {
    const connection = await opened();
    expect(await connection.all("SELECT sqlite_version() AS version")).toEqual([{ version: driver?.version }]);
  });

  it("opens a missing file only where it may create it", async () => {
    const file = fileOf(sqlite.url());
    await expect(driver?.open(file, { create: false })).rejects.toMatchObject({ code: "SQLITE_CANTOPEN" });
    expect(existsSync(file)).toBe(false);
    await (await opened(file)).run("CREATE TABLE t (a)");
    expect(await (await opened(file, false)).all("SELECT * FROM t")).toEqual([]);
  });

  it("returns what it was given", async () => {
    const connection = await opened();
    await connection.run("CREATE TABLE t (place INTEGER PRIMARY KEY, a)");
    const long = "ü".repeat(1_000_000);
    const values: Bound[] = ["a\0b", "", "\u{1f600}", long, new Uint8Array(0), randomBytes(70_000), null, 1.5, -5];
    const numbers: Bound[] = [
      0,
      true,
      false,
      Number.MAX_SAFE_INTEGER,
      -Number.MAX_SAFE_INTEGER,
      1e300,
      5e-324,
      2 ** 40,
    ];
    const all = [...values, ...numbers];
    for (const value of all) await connection.run("INSERT INTO t (a) VALUES (?)", [value]);
    const rows = await connection.all<{ a: unknown }>("SELECT a FROM t ORDER BY place");
    expect(rows.map(({ a }) => (a instanceof Uint8Array ? new Uint8Array(a) : a))).toEqual(
      all.map((value) => {
        if (value instanceof Uint8Array) return new Uint8Array(value);
        return typeof value === "boolean" ? Number(value) : value;
      }),
    );
    expect(rows.map(({ a }) => Buffer.isBuffer(a))).toEqual(all.map((value) => value instanceof Uint8Array));
  });

  it("returns any text, number and bytes equal", async () => {
    const connection = await opened();
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => Math.abs(number) < 2 ** 53),
      fc.uint8Array({ maxLength: 300 }),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(value, async (given) => {
        const [row] = await connection.all<{ a: unknown }>("SELECT ? AS a", [given]);
        const found = row?.a instanceof Uint8Array ? new Uint8Array(row.a) : row?.a;
        expect(found).toEqual(typeof given === "boolean" || given === 0 ? Number(given) + 0 : given);
      }),
      { numRuns: 200 },
    );
  });

  it("binds by number", async () => {
    const connection = await opened();
    expect(await connection.all("SELECT ?2 AS a, ?1 AS b, ?2 AS c", [1, "x"])).toEqual([{ a: "x", b: 1, c: "x" }]);
    await connection.run("CREATE TABLE t (a, b)");
    await connection.run("INSERT INTO t SELECT ?1, ?2 WHERE ?2 IS NOT NULL", [new Uint8Array([7]), 2]);
    expect(await connection.all("SELECT hex(a) AS a, b FROM t")).toEqual([{ a: "07", b: 2 }]);
  });

  it("counts what a statement changed, and reads what it returns", async () => {
    const connection = await opened();
    await connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)");
    expect(await connection.run("INSERT INTO t (a) VALUES (?), (?)", ["x", "y"])).toEqual({ changed: 2, insertId: 2 });
    expect(await connection.run("UPDATE t SET a = ? WHERE id = ?", ["z", 9])).toMatchObject({ changed: 0 });
    expect(await connection.all("UPDATE t SET a = ? RETURNING id", ["z"])).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await connection.all("DELETE FROM t")).toEqual([]);
  });

  it("runs a batch in its order, up to the first failure", async () => {
    const connection = await opened();
    const insert = (id: number) => ({ sql: "INSERT INTO t VALUES (?)", values: [id] });
    await connection.batch([{ sql: "CREATE TABLE t (id INTEGER PRIMARY KEY)" }, insert(1), insert(2)]);
    await expect(connection.batch([insert(3), insert(1), insert(4)])).rejects.toMatchObject({
      code: "SQLITE_CONSTRAINT",
    });
    expect(await connection.all("SELECT id FROM t")).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });

  it("runs calls that nobody waits for", async () => {
    const connection = await opened();
    await connection.run("CREATE TABLE t (id INTEGER)");
    await Promise.all(Array.from({ length: 300 }, (_, id) => connection.run(`INSERT INTO t VALUES (${id})`)));
    expect(await connection.all("SELECT COUNT(*) AS count FROM t")).toEqual([{ count: 300 }]);
  });

  it.each([
    ["SQLITE_CONSTRAINT", "INSERT INTO t VALUES (1)", "UNIQUE constraint failed: t.id"],
    ["SQLITE_ERROR", "SELECT a FROM missing", "no such table: missing"],
    ["SQLITE_ERROR", "SELEC", "syntax error"],
  ])("names a failure as SQLite does: %s for %s", async (code, sql, message) => {
    const connection = await opened();
    await connection.run("CREATE TABLE t (id INTEGER PRIMARY KEY)");
    await connection.run("INSERT INTO t VALUES (1)");
    await expect(connection.run(sql)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    expect(await connection.all("SELECT id FROM t")).toEqual([{ id: 1 }]);
  });

  it("waits for another connection as long as it was told to", async () => {
    const file = fileOf(sqlite.url());
    const one = await opened(file);
    await one.batch([{ sql: "CREATE TABLE t (id INTEGER)" }, { sql: "BEGIN IMMEDIATE" }]);
    const other = await opened(file);
    await other.all("PRAGMA busy_timeout = 20");
    await expect(other.run("BEGIN IMMEDIATE")).rejects.toMatchObject({ code: "SQLITE_BUSY" });
    await other.all("PRAGMA busy_timeout = 20000");
    const waiting = other.run("BEGIN IMMEDIATE");
    await one.run("COMMIT");
    await waiting;
  });

  it("ends a statement that takes too long", async () => {
    const connection = await opened();
    const endless =
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e7) SELECT MAX(i) FROM n";
    const running = connection.all(endless);
    const timer = setInterval(() => connection.interrupt(), 20);
    await expect(running).rejects.toMatchObject({ code: "SQLITE_INTERRUPT" });
    clearInterval(timer);
    // A thread ends only after its statement. The connection is given up meanwhile.
    expect(connection.isLost).toBe(driver?.name !== "sqlite3");
  });

  test.skipIf(driver === undefined || driver.name === "sqlite3")(
    "opens no more threads while many run statements that were given up",
    async () => {
      const counting =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e6) SELECT MAX(i) FROM n";
      const connections = await Promise.all(Array.from({ length: mostGivenUp }, () => opened()));
      const running = connections.map((connection) => connection.all(counting));
      for (const connection of connections) connection.interrupt();
      await expect(opened()).rejects.toMatchObject({ code: "SQLITE_IOERR" });
      await Promise.all(running.map((each) => expect(each).rejects.toMatchObject({ code: "SQLITE_INTERRUPT" })));
      // Each thread ends with its statement.
      await vi.waitFor(() => opened(), { timeout: 60_000 });
    },
    90_000,
  );

  it("refuses everything once it is closed, and closes once", async () => {
    const connection = await opened();
    await connection.run("CREATE TABLE t (id INTEGER)");
    await Promise.all([connection.close(), connection.close()]);
    await expect(connection.run("INSERT INTO t VALUES (1)")).rejects.toThrow();
  });
});

test.each([
  ["3.6.23", false],
  ["3.7.0", true],
  ["3.40.1", true],
  ["3.44.6", false],
  ["3.50.7", false],
  ["3.51.2", true],
  ["3.51.3", false],
  ["3.52.0", false],
  ["3.53.4", false],
])("knows which SQLite can lose commits: %s", (version, loses) => {
  expect(losesCommits(version)).toBe(loses);
});

const driverOf = (name: "node:sqlite" | "sqlite3", version: string) => async (): Promise<SqliteDriver> => ({
  name,
  version,
  open: () => Promise.reject(new Error("not opened here")),
});

test("takes the first driver that loads and loses nothing", async () => {
  const found = await firstDriver([
    ["better-sqlite3", blocked],
    ["sqlite3", driverOf("sqlite3", "3.44.2")],
    ["node:sqlite", driverOf("node:sqlite", "3.53.4")],
  ]);
  expect(found.name).toBe("node:sqlite");
});

const failing = (message: string, code?: string) => () => Promise.reject(Object.assign(new Error(message), { code }));
const missing = failing("Cannot find module 'x'", "MODULE_NOT_FOUND");
const blocked = failing("Could not locate the bindings file. Tried:\n → /a/b.node");
const none = failing("Node 20.20.2 has none");

const refusal = (candidates: Parameters<typeof firstDriver>[0], versions: { node: string; sqlite?: string }) =>
  firstDriver(candidates, versions).then(
    () => "",
    (error: Error) => error.message,
  );

test("says why each driver failed, and the one line that mends it", async () => {
  const lossy = driverOf("node:sqlite", "3.47.2");
  const message = await refusal(
    [
      ["node:sqlite", lossy],
      ["better-sqlite3", missing],
    ],
    { node: "22.14.0", sqlite: "3.47.2" },
  );
  expect(message.split("\n")).toEqual([
    "No driver for SQLite works here.",
    "  node:sqlite: its SQLite 3.47.2 can lose committed rows (it needs 3.51.3 or later)",
    "  better-sqlite3: it is not installed",
    "Use Node 24.15 or later, which has SQLite itself.",
    "Or add a driver that needs no compiler:",
    "  npm:  npm install better-sqlite3@13",
    "  pnpm: pnpm add better-sqlite3@13",
    "  yarn: yarn add better-sqlite3@13",
    "  bun:  bun add better-sqlite3@13",
  ]);
});

test.each([
  ["an old Node needs a compiler", missing, "pnpm add --allow-build=better-sqlite3 better-sqlite3@12"],
  ["a script was blocked", blocked, "bun pm trust sqlite3"],
  [
    "a binary is of another machine",
    failing("/a/node_sqlite3.node: invalid ELF header", "ERR_DLOPEN_FAILED"),
    "rm -rf node_modules && npm install",
  ],
  ["a binary was cut off", failing("/a/node_sqlite3.node: file too short"), "rm -rf node_modules && bun install"],
])("what mends it fits the reason: %s", async (_, sqlite3, line) => {
  const message = await refusal(
    [
      ["node:sqlite", none],
      ["better-sqlite3", missing],
      ["sqlite3", sqlite3],
    ],
    { node: "20.20.2" },
  );
  expect(message).toContain(line);
  expect(message.match(/^ {2}(npm|pnpm|yarn|bun): /gm)).toHaveLength(4);
  expect(message).not.toContain("better-sqlite3@13");
});

test("names Node's own SQLite to those who asked for another driver", async () => {
  const message = await refusal([["better-sqlite3", missing]], { node: "24.21.0", sqlite: "3.53.4" });
  expect(message).toContain("Leave `driver` out of the URL");
});

test("a package that is there and does not load is not called missing", () => {
  const throwing = (message: string, code?: string) => () => {
    throw Object.assign(new Error(message), { code });
  };
  const there = throwing("Could not locate the bindings file");
  const absent = throwing("Cannot find module 'sqlite3'", "MODULE_NOT_FOUND");
  expect(() => ownOrInstalled(there, absent)).toThrow("bindings");
  expect(() => ownOrInstalled(absent, there)).toThrow("bindings");
  expect(() => ownOrInstalled(absent, absent)).toThrow("Cannot find");
});
