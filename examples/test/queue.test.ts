import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newJob } from "@postern/jobs";
import knex from "knex";
import { afterAll, describe, expect, test, vi } from "vitest";
import { databaseServers } from "../../apps/server/test/database-servers.ts";
import { openQueue, welcome } from "../queue/queue.ts";

const folder = mkdtempSync(join(tmpdir(), "postern-queue-"));
afterAll(() => rmSync(folder, { recursive: true }));

const file = {
  name: "SQLite",
  database: () => ({
    url: `sqlite:${join(folder, "queue.db")}`,
    create: async () => undefined,
    drop: async () => undefined,
  }),
};

const ownKnex = (url: string) => {
  const [kind = "", filename = ""] = url.split(/:(.*)/s);
  const [client, connection] =
    kind === "sqlite" ? ["sqlite3", { filename }] : [kind.startsWith("postgres") ? "pg" : "mysql2", url];
  return knex({ client, connection, useNullAsDefault: true });
};

describe.each([file, ...databaseServers])("a queue alone on $name", ({ database }) => {
  test("runs each job once, and stores none of a transaction that fails", async () => {
    const { url, create, drop } = database();
    await create();
    const queue = await openQueue(url);
    const welcomed = () => queue.transaction(async (tx) => tx.knex("welcomed").orderBy("email").pluck("email"));
    const own = ownKnex(url);
    await own.schema.createTable("welcomed", (table) => void table.string("email", 100));
    await own.destroy();
    await queue.enqueue(newJob(welcome, { email: "ada@example.com" }));
    const failing = queue.transaction(async ({ enqueue }) => {
      await enqueue(newJob(welcome, { email: "nobody@example.com" }));
      throw new Error("taken back");
    });
    await expect(failing).rejects.toThrow("taken back");
    await queue.transaction(async ({ enqueue }) => enqueue(newJob(welcome, { email: "bob@example.com" })));
    await vi.waitFor(async () => expect(await welcomed()).toEqual(["ada@example.com", "bob@example.com"]), 5_000);
    await queue.stop();
    await drop();
  });
});
