import { post, user } from "@postern/app";
import { allRows } from "@postern/core";
import { eventStoreContract, newEvent, postRow, providerStoreContract, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { createKnexStorage } from "../src/index.ts";
import { sqliteTypes } from "../src/schema/migrations/column-types.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import { type StoragePart, sqlOf, storageParts } from "../src/schema/migrations/migration.ts";
import { onEachDatabase, openStorage, sqlite, type TestDatabases, tablesIn, withKnex } from "./databases.ts";

const all = allRows("test");
const now = 1_800_000_000_000;

const tablesOf = (databases: TestDatabases, url: string): Promise<readonly string[]> =>
  withKnex(url, async (db) => (await tablesIn(databases, db)).toSorted());

/** The others find repeats by an index. */
const onSqliteOnly = ["event_key", "event_key_log"];

const ownTables = ({ name }: TestDatabases, parts: readonly StoragePart[]): readonly string[] =>
  [
    "schema_migration",
    "schema_migration_lock",
    ...migrations.flatMap(({ part, tables = [] }) => (part === "always" || parts.includes(part) ? tables : [])),
  ]
    .filter((table) => !(name !== "SQLite" && onSqliteOnly.includes(table)))
    .toSorted();

onEachDatabase("parts of the product", (databases) => {
  const migrated = async (url: string, parts: readonly StoragePart[]) => {
    const opened = openStorage({ url, parts });
    return { ...opened, taken: await opened.migrate.latest() };
  };

  test.each<readonly StoragePart[][]>([[[]], [["inbox"]], [["users"]], [["users", "posts"]]])(
    "%o have their own tables and no others",
    async (parts) => {
      const url = databases.url();
      const { storage, migrate, close } = await migrated(url, parts);
      expect(await tablesOf(databases, url)).toEqual(ownTables(databases, parts));
      await storage.check();
      await storage.checkWritable();
      for (const what of ["events", "bodies", "done_jobs", "dead_jobs", "cancelled_jobs", "slots"] as const)
        expect(await storage.housekeeping.prune(what, now, 10)).toBe(0);
      expect((await migrate.plan()).changes).toEqual([]);
      await close();
    },
  );

  test("that are in use work without the others", async () => {
    const { storage, close } = await migrated(databases.url(), ["inbox"]);
    await eventStoreContract["gives back an event as it was accepted, byte for byte"]?.(storage);
    await providerStoreContract["holds a provider, so that no change of two at once is lost"]?.(storage);
    await close();
  });

  test("turned on later get their tables at the next start; turned off they keep their rows", async () => {
    const url = databases.url();
    await (await migrated(url, ["inbox"])).close();
    const whole = await migrated(url, storageParts);
    expect(whole.taken).toEqual(["0001-create-users", "0001-create-posts"]);
    const { resources, events } = whole.storage;
    await resources.insert(user, userRow(1));
    await resources.insert(post, postRow(2, userRow(1).id as string));
    await events.accept([newEvent("evt_1"), newEvent("evt_2")]);
    await whole.close();

    const less = await migrated(url, ["users"]);
    expect(less.taken).toEqual([]);
    await less.storage.check();
    expect(await less.migrate.parts()).toEqual([
      {
        part: "users",
        inUse: true,
        tables: [
          { table: "users", rows: 1 },
          { table: "sessions", rows: 0 },
          { table: "api_keys", rows: 0 },
          { table: "account_tokens", rows: 0 },
          { table: "signing_key", rows: 0 },
          { table: "second_factors", rows: 0 },
          { table: "oauth_clients", rows: 0 },
          { table: "grants", rows: 0 },
          { table: "outside_identities", rows: 0 },
          { table: "used_assertions", rows: 0 },
          { table: "user_exports", rows: 0 },
          { table: "user_export_pieces", rows: 0 },
        ],
      },
      {
        part: "posts",
        inUse: false,
        tables: [
          { table: "posts", rows: 1 },
          { table: "comments", rows: 0 },
        ],
      },
      {
        part: "inbox",
        inUse: false,
        tables: [
          { table: "inbox_event", rows: 2 },
          ...(databases.name === "SQLite"
            ? [
                { table: "event_key_log", rows: 2 },
                { table: "event_key", rows: 0 },
              ]
            : []),
          { table: "webhook_providers", rows: 0 },
          { table: "webhook_keys", rows: 0 },
          { table: "forward_attempt", rows: 0 },
          { table: "event_plan", rows: 0 },
          { table: "event_note", rows: 0 },
        ],
      },
    ]);
    await less.close();

    const again = await migrated(url, storageParts);
    expect(again.taken).toEqual([]);
    expect(await again.storage.resources.count(post, { scope: all }, 9)).toBe(1);
    expect(await again.storage.events.list({ limit: 9 })).toHaveLength(2);
    await again.close();
  });
});

onEachDatabase("without the inbox", (databases) => {
  test("a dead job can be run again", async () => {
    const { storage, migrate, close } = openStorage({ url: databases.url(), parts: ["users"] });
    await migrate.latest();
    const [id = 0] = await storage.jobs.enqueue([{ kind: "mail", maxAttempts: 1 }], 1);
    const runnerId = await storage.runners.register({ name: "one", kinds: ["mail"] }, 1);
    const [job] = await storage.jobs.claim({ runnerId, queue: "default", limit: 1, now: 1, kinds: ["mail"] });
    if (job === undefined) throw new Error("nothing was claimed");
    await storage.jobs.finish([{ job, end: { to: "dead", error: "no" } }], 2);
    const again = await storage.jobRecords.retry(id, 3);
    expect(again).toBeGreaterThan(id);
    expect((await storage.jobRecords.find(again ?? 0))?.state).toBe("ready");
    await close();
  });
});

test("a step names the tables that its statements create", () => {
  for (const { name, tables = [], up } of migrations) {
    const made = up(sqliteTypes).map((each) => /^CREATE TABLE IF NOT EXISTS `(\w+)`/.exec(sqlOf(each))?.[1]);
    expect(
      made.filter((table) => table !== undefined),
      name,
    ).toEqual(tables);
  }
});

test("parts that make no sense are refused", () => {
  const opened = (parts: readonly string[]) => () =>
    // What a configuration file in JavaScript could say.
    createKnexStorage({ url: sqlite.url(), parts: parts as readonly StoragePart[] });
  expect(opened(["users", "post"])).toThrow('there is no part "post"; the parts are users, posts, inbox');
  expect(opened(["posts"])).toThrow('"posts" needs the part "users"');
});
