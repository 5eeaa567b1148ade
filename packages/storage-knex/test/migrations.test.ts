import { builtInResources, user } from "@postern/app";
import { postRow, userRow } from "@postern/core/testing";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { mysqlTypes, postgresTypes, sqliteTypes } from "../src/migrations/column-types.ts";
import { migrations } from "../src/migrations/index.ts";
import { sqlOf } from "../src/migrations/migration.ts";
import { createDatabase, onEachDatabase, openStorage, withKnex } from "./databases.ts";

const steps = migrations.map(({ name }) => name);

const typesOf = { SQLite: sqliteTypes, MariaDB: mysqlTypes("mariadb"), PostgreSQL: postgresTypes };

const isLong = process.env.POSTERN_TEST_LONG === "1";

onEachDatabase("migrations", (databases) => {
  const types = typesOf[databases.name];
  const columnsOf = (url: string, table: string): Promise<readonly string[]> =>
    withKnex(url, async (db) => Object.keys(await db(table).columnInfo()).toSorted());

  // Three times all steps, each a change of a table that the server syncs.
  test("go up, down to nothing, and up again", { timeout: 60_000 }, async () => {
    const url = databases.url();
    const { migrate, storage } = openStorage({ url });
    expect(await migrate.latest()).toEqual(steps);
    expect(await migrate.latest()).toEqual([]);
    expect(await migrate.status()).toEqual({ applied: steps, pending: [] });
    for (const name of steps.toReversed()) expect(await migrate.down()).toBe(name);
    expect(await migrate.down()).toBeUndefined();
    expect(await migrate.status()).toEqual({ applied: [], pending: steps });
    await expect(storage.check()).rejects.toMatchObject({ code: "unavailable" });
    expect(await migrate.latest()).toEqual(steps);
    await storage.check();
  });

  test("give each resource one column for each field and no others", async () => {
    const url = databases.url();
    await openStorage({ url }).migrate.latest();
    for (const { table, fieldNames } of builtInResources) {
      expect(await columnsOf(url, table), table).toEqual([...fieldNames, "revision"].toSorted());
    }
  });

  test("are done by one of two starters while the other waits", async () => {
    const url = databases.url();
    const starters = [openStorage({ url }), openStorage({ url }), openStorage({ url })];
    const taken = await Promise.all(starters.map(({ migrate }) => migrate.latest()));
    expect(taken.flat()).toEqual(steps);
    for (const { storage } of starters) await storage.check();
  });

  test("are completed after a kill at any statement, with the lock still in Knex's table", {
    timeout: isLong ? 1_800_000 : 90_000,
  }, async () => {
    const statements = migrations.flatMap((step) =>
      step.up(types).map((one) => ({ step: step.name, sql: sqlOf(one) })),
    );
    // A server takes long to make a database. PostgreSQL takes back what an unfinished step has done.
    const every = isLong ? 1 : { SQLite: 8, MariaDB: 18, PostgreSQL: 50 }[databases.name];
    for (let done = 1; done <= statements.length; done += every) {
      const url = databases.url();
      await createDatabase(url);
      await withKnex(url, async (db) => {
        // What is prepared need not outlive the machine, and each flush takes milliseconds.
        if (databases.name === "SQLite") await db.raw("PRAGMA synchronous = OFF");
        const config = { tableName: "schema_migration", migrationSource: emptySource };
        await db.migrate.latest(config);
        await db("schema_migration_lock").update({ is_locked: 1 });
        for (const { sql } of statements.slice(0, done)) await db.raw(sql);
        // Every step that ran all its statements is noted, except the last one: the kill came
        // before its note.
        const unfinished = new Set(
          [...statements.slice(done), ...statements.slice(done - 1, done)].map(({ step }) => step),
        );
        const finished = steps.filter((name) => !unfinished.has(name));
        for (const name of finished)
          await db("schema_migration").insert({ name, batch: 1, migration_time: new Date() });
      });
      const storage = openStorage({ url });
      await storage.migrate.latest();
      await storage.storage.check();
      expect(await columnsOf(url, "rate_limit")).toEqual(["limit_key", "tat"]);
      expect(await storage.storage.runners.register({ name: "first", kinds: [] }, 1)).toBeGreaterThan(0);
      await storage.close();
    }
  });

  test("add and drop columns and indexes once, also after a kill between a statement and its note", async () => {
    const url = databases.url();
    const { migrate } = openStorage({ url });
    await migrate.latest();
    const again = ["0038-index-events-by-type-hash", "0039-list-jobs-with-events"];
    await withKnex(url, (db) => db("schema_migration").whereIn("name", again).del());
    expect(await migrate.latest()).toEqual(again);
  });

  test("keep the ports of clients' loopback addresses free, because they were never compared", async () => {
    const url = databases.url();
    const { migrate, storage } = openStorage({ url });
    await migrate.latest();
    const owner = userRow(1);
    await storage.resources.insert(user, owner);
    while ((await migrate.down()) !== "0033-add-grant-types");
    const at = "2026-11-22T00:00:00.000Z";
    const uris = [
      "http://127.0.0.1:3000/back?x=http://127.0.0.1:1/",
      "http://[::1]:65535",
      "https://127.0.0.1:8443/",
      "com.example.app:/http://[::1]:80/",
      "http://127.0.0.1/plain",
    ];
    const row = { id: postRow(2, String(owner.id)).id, revision: 1, user_id: owner.id, name: "c", kind: "public" };
    const rest = { scopes: '["posts:read"]', redirect_uris: JSON.stringify(uris), created_at: at, updated_at: at };
    await withKnex(url, (db) => db("oauth_clients").insert({ ...row, ...rest }));
    await migrate.latest();
    const [client] = await withKnex(url, (db) => db("oauth_clients").select("redirect_uris", "grant_types"));
    expect([JSON.parse(client.redirect_uris), client.grant_types]).toEqual([
      ["http://127.0.0.1/back?x=http://127.0.0.1:1/", "http://[::1]", ...uris.slice(2)],
      null,
    ]);
  });

  test("leave a database of a newer version alone", async () => {
    const url = databases.url();
    const { migrate, storage } = openStorage({ url });
    await migrate.latest();
    await withKnex(url, (db) => db("schema_migration").insert({ name: "9999-add-tomorrow", batch: 2 }));
    expect(await migrate.latest()).toEqual([]);
    await storage.check();
    await expect(migrate.down()).rejects.toThrow("9999-add-tomorrow");
  });
});

const emptySource: Knex.MigrationSource<string> = {
  getMigrations: async () => [],
  getMigrationName: (name) => name,
  getMigration: async () => ({ up: async () => undefined, down: async () => undefined }),
};
