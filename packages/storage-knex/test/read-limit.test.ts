import { rejectsWith } from "@postern/core/testing";
import { afterAll, expect, test } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import type { OpenDatabase } from "../src/engine/open-database.ts";
import { type MysqlAddress, mysqlPool } from "../src/mysql/pool.ts";
import { type PostgresAddress, postgresPool } from "../src/postgres/pool.ts";
import { createLineage } from "../src/server/lineage.ts";
import { openServer } from "../src/server/server-database.ts";
import { openSqlite } from "../src/sqlite/sqlite-database.ts";
import { createDatabase, fileOf, onEachDatabase, sqlite, type TestDatabases } from "./databases.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

const readLimitMs = 300;
const opened: OpenDatabase[] = [];
afterAll(async () => {
  for (const database of opened) await database.close();
});

const open = async (databases: TestDatabases): Promise<OpenDatabase> => {
  const url = databases.url();
  await createDatabase(url);
  const address = parseDatabaseUrl(url);
  const lineage = createLineage();
  const settings = { guardNesting: true, readLimitMs, lineage };
  const opening = {
    sqlite: () => openSqlite(fileOf(url), { ...settings, synchronous: "FULL", readers: 1, driver: sqliteDriver }),
    mysql: () => openServer(mysqlPool(address as MysqlAddress, 1, { requireFlush: false }, lineage), settings),
    postgres: () =>
      openServer(postgresPool(address as PostgresAddress, 2, { requireFlush: false, readLimitMs }, lineage), settings),
  };
  const database = opening[address.kind]();
  opened.push(database);
  return database;
};

/** A statement that counts for some seconds. Its first number decides how long. */
const counting = {
  SQLite:
    "SELECT COUNT(*) AS n FROM (WITH RECURSIVE c(i) AS (SELECT ? UNION ALL SELECT i + 1 FROM c WHERE i < 50000000) SELECT i FROM c)",
  MariaDB: "SELECT SUM(seq % 7 = ?) AS n FROM seq_1_to_200000000",
  PostgreSQL: "SELECT COUNT(*) AS n FROM generate_series(1, 200000000) AS s(i) WHERE i % 7 = ?",
} as const;

onEachDatabase("a read", (databases) => {
  test("ends a read that takes longer than it may, and the connection goes on", async () => {
    const database = await open(databases);
    const slow = { sql: counting[databases.name], values: [1] };
    const from = performance.now();
    const error = await rejectsWith("query_too_slow", () => database.select(slow, ["n"]));
    expect(error.headers["retry-after"]).toBe("10");
    expect(error.status).toBe(503);
    expect(performance.now() - from).toBeLessThan(3_000);
    await rejectsWith("query_too_slow", () => database.read((session) => session.rows(slow.sql, slow.values)));
    expect(await database.select({ sql: "SELECT ? AS n", values: [7] }, ["n"])).toEqual([{ n: 7 }]);
  });

  test("does not bound what a write reads", async () => {
    const database = await open(databases);
    const rows = await database.write((session) =>
      databases.name === "SQLite"
        ? session.rows(counting.SQLite.replace("50000000", "3000000"), [1])
        : session.rows(`SELECT ${databases.name === "MariaDB" ? "SLEEP" : "pg_sleep"}(?) AS n`, [0.6]),
    );
    expect(rows).toHaveLength(1);
  });
});

test("reads that share a statement with a read that is too slow are answered", async () => {
  const database = await open(sqlite);
  const sql = counting.SQLite;
  const read = (first: number) => database.select<{ n: number }>({ sql, values: [first] }, ["n"]);
  const [quick, slow] = await Promise.allSettled([read(49_999_999), read(1)]);
  expect(quick).toEqual({ status: "fulfilled", value: [{ n: 2 }] });
  expect(slow).toMatchObject({ status: "rejected", reason: { code: "query_too_slow" } });
});
