import { inspect } from "node:util";
import { user } from "@postern/app";
import { AppError } from "@postern/core";
import { memoryTelemetry } from "@postern/core/memory";
import { userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { translate } from "../src/engine/translate-error.ts";
import { mysqlErrors } from "../src/mysql/errors.ts";
import { sqliteErrors } from "../src/sqlite/errors.ts";
import { adminConnection, mariadb, onEachDatabase, onMariadb, openStorage } from "./databases.ts";

onEachDatabase("a refused write", ({ fresh }) => {
  test("reveals nothing of the statement or of any value, not even to the log", async () => {
    const { storage } = await fresh();
    await storage.resources.insert(user, userRow(1, { email: "o' - 'secret@example.com", password: "s3cret-hash" }));
    const refused: unknown = await storage.resources
      .insert(user, userRow(2, { email: "o' - 'secret@example.com", password: "s3cret-hash" }))
      .catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({ code: "conflict", faults: [{ pointer: "/email" }] });
    expect(inspect(refused, { depth: 9 }).replaceAll(/^\s+at .*$/gm, "")).not.toMatch(
      /secret|s3cret|INSERT INTO|VALUES/,
    );
  });
});

test("tells which field of which table, whatever the value looks like", () => {
  const mysqlSays = (message: string) => ({ code: "ER_DUP_ENTRY", errno: 1062, message });
  for (const message of [
    "Duplicate entry 'a@b.example' for key 'email'",
    "Duplicate entry 'a@b.example' for key 'users.email'",
    "Duplicate entry 'it's for key 'id'' for key 'email'",
  ]) {
    expect(translate(mysqlSays(message), mysqlErrors), message).toMatchObject({ kind: "unique", column: "email" });
  }
  const sqliteSays = {
    code: "SQLITE_CONSTRAINT",
    errno: 19,
    message: "SQLITE_CONSTRAINT: UNIQUE constraint failed: users.email",
  };
  expect(translate(sqliteSays, sqliteErrors)).toMatchObject({ kind: "unique", column: "email" });
});

test("answers 503 with Retry-After for temporary failures, and only for those", () => {
  const passing = ["SQLITE_BUSY", "SQLITE_READONLY", "SQLITE_IOERR"];
  for (const code of passing) {
    const error = translate({ code, errno: 1, message: `${code}: x` }, sqliteErrors);
    expect(error, code).toBeInstanceOf(AppError);
    expect(error, code).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
  }
  expect(translate({ code: "SQLITE_ERROR", errno: 1, message: "no such column" }, sqliteErrors)).not.toBeInstanceOf(
    AppError,
  );
  expect(translate({ code: "ER_PARSE_ERROR", errno: 1064, message: "near 'x'" }, mysqlErrors)).not.toBeInstanceOf(
    AppError,
  );
});

test("answers that the disk is full, on every database", () => {
  const full = { code: "storage_full", status: 503, headers: { "retry-after": "30" } };
  expect(translate({ code: "SQLITE_FULL", errno: 13, message: "x" }, sqliteErrors)).toMatchObject(full);
  for (const errno of [1021, 1114]) {
    expect(translate({ code: "ER", errno, message: "x" }, mysqlErrors)).toMatchObject(full);
  }
});

test("says in the log what to do about a missing table", () => {
  const missingOnSqlite = { code: "SQLITE_ERROR", errno: 1, message: "no such table: user" };
  const missingOnMysql = { code: "ER_NO_SUCH_TABLE", errno: 1146, message: "Table 'a.user' doesn't exist" };
  expect(translate(missingOnSqlite, sqliteErrors).message).toMatch(/no such table: user \(run migrate\.latest\(\)/);
  expect(translate(missingOnMysql, mysqlErrors).message).toMatch(/ER_NO_SUCH_TABLE.* \(run migrate\.latest\(\)/);
  const other = { code: "SQLITE_ERROR", errno: 1, message: "near x" };
  expect(translate(other, sqliteErrors).message).toBe("SQLITE_ERROR: near x");
});

test("answers unavailable when no server listens", async () => {
  const { storage, migrate } = openStorage({ url: "mysql://root@127.0.0.1:9/postern" });
  const unavailable = { code: "unavailable", headers: { "retry-after": "1" } };
  await expect(storage.check()).rejects.toMatchObject(unavailable);
  await expect(storage.resources.insert(user, userRow(1))).rejects.toMatchObject(unavailable);
  await expect(migrate.latest()).rejects.toMatchObject(unavailable);
});

onMariadb("a connection that the server cut", () => {
  test("is replaced without the caller's knowing, in the middle of a transaction, too", async () => {
    const telemetry = memoryTelemetry();
    const opened = await mariadb.fresh({ connections: 1, telemetry });
    const { storage } = opened;
    const name = new URL(mariadb.urlOf(opened)).pathname.slice(1);
    const admin = await adminConnection();
    const cut = async (): Promise<void> => {
      const [rows] = await admin.query("SELECT id FROM information_schema.processlist WHERE db = ?", [name]);
      // The rows of the statement just above.
      for (const { id } of rows as { id: number }[]) await admin.query(`KILL ${id}`);
    };
    await storage.resources.insert(user, userRow(1));
    await cut();
    await storage.resources.insert(user, userRow(2));
    let runs = 0;
    await storage.transaction(async ({ resources }) => {
      runs += 1;
      await resources.insert(user, userRow(3));
      if (runs === 1) await cut();
      await resources.insert(user, userRow(4));
    });
    expect(runs).toBe(2);
    expect(telemetry.counted("database_repeats", { reason: "connection" })).toBeGreaterThan(0);
    const query = { scope: { where: { all: [] } }, order: [{ field: "id", direction: "asc" }], limit: 10 } as const;
    expect(await storage.resources.list(user, query)).toHaveLength(4);
    await admin.end();
  });
});
