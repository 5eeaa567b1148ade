import { type App, createApp } from "@postern/app";
import { sealAuditLog } from "@postern/app/internal";
import { memoryPorts } from "@postern/core/memory";
import type { Principal } from "@postern/rest";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { onEachDatabase, type TestDatabases, withKnex } from "./databases.ts";

const password = "correct horse battery";

/**
 * The trees of each table: on SQLite its rows and each index, on MariaDB each index, one of which
 * has the rows, on PostgreSQL each index beside the rows. An index of some rows counts if it has any.
 */
const treesOf = async ({ name }: TestDatabases, db: Knex): Promise<ReadonlyMap<string, readonly string[]>> => {
  const catalogues = {
    SQLite: "SELECT name AS tree, tbl_name AS owner, sql FROM sqlite_schema WHERE rootpage > 0",
    MariaDB:
      "SELECT DISTINCT index_name AS tree, table_name AS owner FROM information_schema.statistics WHERE table_schema = DATABASE()",
    PostgreSQL:
      "SELECT indexname AS tree, tablename AS owner, indexdef AS sql FROM pg_indexes WHERE schemaname = current_schema()",
  };
  const answer = await db.raw(catalogues[name]);
  const rows: readonly { tree: string; owner: string; sql?: string | null }[] =
    name === "SQLite" ? answer : name === "MariaDB" ? answer[0] : answer.rows;
  const trees = new Map<string, string[]>();
  for (const { tree, owner, sql } of rows) {
    const some = /^CREATE INDEX .* WHERE (.*)$/.exec(sql ?? "")?.[1];
    const held = some === undefined || (await db(owner).whereRaw(some)).length > 0;
    if (held) trees.set(owner, [...(trees.get(owner) ?? []), tree]);
  }
  return trees;
};

/** Every row, as text, by table. */
const contents = async (tables: Iterable<string>, db: Knex): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (const table of tables) found.set(table, JSON.stringify(await db(table).select()));
  return found;
};

onEachDatabase("what a write costs", (databases) => {
  /** On PostgreSQL, rows are in no tree, and both times of an unchanged row are in one. */
  const besideRows = databases.name === "PostgreSQL" ? 1 : 0;
  const scene = async () => {
    const opened = await databases.fresh();
    const { storage, rateLimits, deprecatedUses } = opened;
    const ports = memoryPorts({ storage, rateLimits, deprecatedUses });
    const app: App = createApp({ ports });
    const operator = { kind: "operator", name: "test" } as const;
    const { body } = await app.run({
      operation: "users.create",
      principal: operator,
      body: { name: "Ada", email: "ada@example.com", password, role: "admin" },
    });
    const url = databases.urlOf(opened);
    return { app, operator, ports, storage, url, userId: String((body as { id?: unknown }).id) };
  };

  /** The trees of the tables whose rows `work` changes. */
  const written = (url: string, work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> =>
    withKnex(url, async (db) => {
      const tables = (await treesOf(databases, db)).keys();
      const before = await contents(tables, db);
      await work();
      const trees = await treesOf(databases, db);
      const after = await contents(trees.keys(), db);
      const changed = [...trees].filter(([table]) => before.get(table) !== after.get(table));
      return Object.fromEntries(changed.map(([table, names]) => [table, names.length]));
    });

  test("a POST of a post writes its row, five orders (on SQLite both times in one) and one tree of the audit log", async () => {
    const { app, operator, url, userId } = await scene();
    const trees = await written(url, () =>
      app.run({
        operation: "posts.create",
        principal: operator,
        params: { id: userId },
        body: { title: "Of engines", body: "They weave." },
      }),
    );
    // On SQLite, the id of a row has an index beside the table.
    expect(trees).toEqual({ posts: 6 - besideRows, audit_log: 1 });
  });

  test("a POST of a comment writes its row, two references, two orders and one tree of the audit log", async () => {
    const { app, operator, url, userId } = await scene();
    const { body } = await app.run({
      operation: "posts.create",
      principal: operator,
      params: { id: userId },
      body: { title: "Of engines", body: "They weave.", status: "published" },
    });
    const principal: Principal = {
      kind: "user",
      userId,
      role: "admin",
      credential: { kind: "session", id: userId },
    };
    const trees = await written(url, () =>
      app.run({
        operation: "comments.create",
        principal,
        params: { id: String((body as { id?: unknown }).id) },
        body: { body: "Just so." },
      }),
    );
    expect(trees).toEqual({ comments: 5 - besideRows, audit_log: 1 });
  });

  test("the job that seals writes the columns by which lists of the audit log are filtered", async () => {
    const { ports, storage, url, userId } = await scene();
    await storage.audit.append({
      at: 1,
      actor: { kind: "user", id: userId },
      action: "posts.create",
      result: "done",
      requestId: "one",
      address: "local",
      fields: [],
    });
    const trees = await written(url, () => sealAuditLog(ports, async () => true));
    expect(Object.keys(trees)).toEqual(["sealed_entry"]);
    expect(await storage.audit.count({ actorId: userId }, 9)).toBe(1);
  });
});
