import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";
import { defineJob, newJob, on, schedule } from "postern";
import { afterAll, describe, expect, test } from "vitest";
import { testPostern } from "../src/index.ts";
import { invoice } from "./invoice.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-testing-"));
const name = `postern_test_${randomBytes(6).toString("hex")}`;
const mysqlUrl = new URL(process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/");
const postgresUrl = new URL(process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres");

const onMysql = async (sql: string): Promise<void> => {
  const connection = await mysql.createConnection(mysqlUrl.href);
  await connection.query(sql);
  await connection.end();
};
const onPostgres = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: postgresUrl.href });
  await client.connect();
  await client.query(sql);
  await client.end();
};

/** Their tables take seconds to make, so the short form takes the file only. */
const servers = [
  { kind: "MariaDB", run: onMysql, url: new URL(`/${name}`, mysqlUrl).href },
  { kind: "PostgreSQL", run: onPostgres, url: new URL(`/${name}`, postgresUrl).href },
].filter(() => process.env.POSTERN_TEST_LONG === "1");

for (const { run } of servers) await run(`CREATE DATABASE ${name}`);
afterAll(async () => {
  for (const { run } of servers) await run(`DROP DATABASE ${name}`);
  rmSync(directory, { recursive: true, force: true });
});

const databases = [{ kind: "SQLite", url: `sqlite:${join(directory, "test.db")}` }, ...servers];

describe.each(databases)("on $kind", ({ url }) => {
  test("delivers, runs jobs and moves the clock", async () => {
    const ran: string[] = [];
    const paid = on("stripe", "invoice.paid", async (_event, { attempt, now }) => {
      ran.push(`paid ${attempt} ${new Date(now()).toISOString()}`);
      if (attempt === 1) throw new Error("not yet");
    });
    const stuck = defineJob("stuck", () => new Promise(() => undefined), { timeoutMs: 60_000 });
    const daily = schedule("daily", "0 9 * * *", async () => void ran.push("daily"));
    const options = { database: url, resources: [invoice], handlers: [paid], jobs: [stuck], schedules: [daily] };
    await using t = await testPostern(options);
    const answers = await t.deliver("stripe", { type: "invoice.paid", data: {} }, { times: 2 });
    expect(answers.map(({ outcome }) => outcome)).toEqual(["accepted", "duplicate"]);
    await t.drain();
    await t.enqueue(newJob(stuck, {}));
    expect((await t.as("Ada").post("/invoices", { number: "1" })).status).toBe(201);
    await t.advance("5m");
    expect(await t.jobs()).toMatchObject([
      { kind: "stripe:invoice.paid", state: "done", attempt: 2 },
      { kind: "stuck", lastError: "Error: the handler took longer than 60000 ms" },
    ]);
    await t.advance("1d");
    expect(ran).toEqual([
      "paid 1 2026-01-01T00:00:00.000Z",
      expect.stringMatching(/^paid 2 2026-01-01T00:00:0[2-5]/),
      "daily",
    ]);
    expect(await t.rows(invoice)).toMatchObject([{ number: "1" }]);
  }, 60_000);
});

test("refuses a database that it does not know", async () => {
  await expect(testPostern({ database: "oracle://host" })).rejects.toThrow('unknown scheme "oracle"');
});
