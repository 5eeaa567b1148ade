import { builtInResources } from "@postern/app";
import { newEvent } from "@postern/core/testing";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { copyDatabase, MigrationRefused } from "../src/index.ts";
import { findTable } from "../src/schema/declared/found-table.ts";
import { mysqlTypes, postgresTypes, sqliteTypes } from "../src/schema/migrations/column-types.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import { sqlOf } from "../src/schema/migrations/migration.ts";
import { createDatabase, onEachDatabase, openStorage, sqlite, tablesIn, withKnex } from "./databases.ts";
import { laterStep, laterVersion } from "./later-step.ts";

const steps = migrations.map(({ name }) => name);

const typesOf = { SQLite: sqliteTypes, MariaDB: mysqlTypes("mariadb"), PostgreSQL: postgresTypes };

const isLong = process.env.POSTERN_TEST_LONG === "1";

onEachDatabase("migrations", (databases) => {
  const types = typesOf[databases.name];
  const columnsOf = (url: string, table: string): Promise<readonly string[]> =>
    withKnex(url, async (db) => Object.keys(await db(table).columnInfo()).toSorted());

  test("go up, down to nothing, and up again", { timeout: 60_000 }, async () => {
    const url = databases.url();
    const { migrate, storage } = openStorage({ url });
    expect(await migrate.latest()).toEqual(steps);
    expect(await migrate.latest()).toEqual([]);
    expect(await migrate.status()).toEqual({ applied: steps, pending: [] });
    for (const name of steps.toReversed()) expect(await migrate.down()).toBe(name);
    expect(await migrate.down()).toBeUndefined();
    const left = await withKnex(url, (db) => tablesIn(databases, db));
    expect(left.toSorted()).toEqual(["schema_migration", "schema_migration_lock"]);
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

  /** The columns and indexes of the tables that the later step changes. */
  const shapeOf = (url: string) =>
    withKnex(url, async (db) => {
      const [events, weighing] = [await findTable(db, types, "inbox_event"), await findTable(db, types, "weighing")];
      const namesIn = (found: typeof events) => [
        ...(found?.columns.keys() ?? []),
        ...(found?.indexes.map(({ name, columns }) => `${name} (${columns.map(({ name: one }) => one).join(", ")})`) ??
          []),
      ];
      return { events: namesIn(events).toSorted(), weighing: namesIn(weighing).toSorted() };
    });

  const withEvents = async (): Promise<string> => {
    const url = await databases.prepared();
    const { storage, close } = openStorage({ url });
    const ignored = { disposition: "ignored", reason: "no_handler", jobs: [] } as const;
    await storage.events.accept([newEvent("evt_1"), newEvent("evt_2", ignored)]);
    await close();
    return url;
  };

  test("carry rows on to a later version, beside processes of this one, and back", async () => {
    const url = await withEvents();
    const before = await shapeOf(url);
    const later = laterVersion(url);
    const { changes } = await later.plan();
    expect(changes.map(({ name }) => name)).toEqual([laterStep.name]);
    expect(await later.latest()).toEqual([laterStep.name]);
    expect(await later.latest()).toEqual([]);
    const weights = await withKnex(url, (db) => db("inbox_event").select("weight").orderBy("id"));
    expect(weights.map(({ weight }) => weight)).toEqual([7, 8]);
    const after = await shapeOf(url);
    expect(after.events).toContain("weight");
    expect(after.weighing).toContain("weight");

    const { storage, migrate } = openStorage({ url });
    expect(await migrate.latest()).toEqual([]);
    await storage.check();
    expect(await migrate.status()).toEqual({ applied: [...steps, laterStep.name], pending: [] });
    const outcomes = await storage.events.accept([newEvent("evt_2"), newEvent("evt_3")]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(["duplicate", "accepted"]);
    await expect(migrate.down()).rejects.toThrow("comes from a newer version");

    expect(await later.down()).toBe(laterStep.name);
    expect(await shapeOf(url)).toEqual(before);
    expect(await storage.events.list({ limit: 9 })).toHaveLength(3);
  });

  test("add and drop columns and indexes once, after a kill at any statement of a later step", {
    timeout: 60_000,
  }, async () => {
    const statements = laterStep.up(types).map(sqlOf);
    const shapes: unknown[] = [];
    for (let done = 0; done <= statements.length; done += 1) {
      const url = await withEvents();
      await withKnex(url, async (db) => {
        for (const sql of statements.slice(0, done)) await db.raw(sql);
      });
      expect(await laterVersion(url).latest()).toEqual([laterStep.name]);
      shapes.push(await shapeOf(url));
    }
    for (const shape of shapes) expect(shape).toEqual(shapes[0]);
  });

  test("stop with one sentence where a development version made the database, and change nothing", async () => {
    const url = await withEvents();
    const { migrate, storage } = openStorage({ url });
    await withKnex(url, async (db) => {
      await db("schema_migration").where("name", steps[0]).update({ name: "0001a-create-users" });
    });
    for (const attempt of [migrate.latest, migrate.plan, migrate.status, migrate.down]) {
      const refused = await attempt().catch((thrown: unknown) => thrown);
      expect(refused).toBeInstanceOf(MigrationRefused);
      expect(String(refused)).toMatch(/^MigrationRefused: the database was made by a development version.*import`\)$/);
    }
    await expect(storage.check()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^The database was made/),
    });
    await expect(copyDatabase({ from: url, to: sqlite.url() })).rejects.toThrow("made by a development version");
    expect(await storage.events.list({ limit: 9 })).toHaveLength(2);
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
