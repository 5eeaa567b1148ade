import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { allParts, resourcesOfParts, user } from "@postern/app";
import { boolean, defineResource, integer, nullable, ownedBy, type Resource, reference } from "@postern/core";
import { idNumber, newEvent, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { type CopyOptions, CopyRefused, copyDatabase, createKnexStorage, MigrationRefused } from "../src/index.ts";
import { placeOf } from "../src/tools/copy/connection.ts";
import { tablesIn as tablesOf } from "../src/tools/copy/tables.ts";
import {
  createDatabase,
  fileOf,
  mariadb,
  onEachDatabaseItself,
  onMariadb,
  onPostgres,
  postgres,
  sqlite,
  type TestDatabases,
  tablesIn,
  withKnex,
} from "./databases.ts";
import { fillTables, rowsOfTable } from "./filled-tables.ts";
import { invoice, invoiceRow } from "./processes/invoices.ts";
import { program } from "./program.ts";

const folder = defineResource({
  name: "folder",
  plural: "folders",
  description: "What can be in another one.",
  fields: {
    user_id: reference("user", { onDelete: "cascade", description: "Whose it is." }),
    above: nullable(reference("folder", { onDelete: "cascade", description: "What it is in." })),
    shared: boolean({ description: "Whether others see it." }),
    size: integer({ description: "How large it is." }),
  },
  owner: "user_id",
  access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
});
const resources: readonly Resource[] = [...resourcesOfParts(allParts), invoice, folder];

const isLong = process.env.POSTERN_TEST_LONG === "1";

/** Tables that each database has for itself. */
const notCopied: ReadonlySet<string> = new Set([
  "schema_migration",
  "schema_migration_lock",
  "database_identity",
  "event_key",
  "event_key_log",
]);

/** Opens a storage, and closes it before anything else uses the database. */
const using = async <Result>(
  url: string,
  work: (opened: ReturnType<typeof createKnexStorage>) => Promise<Result>,
  declared = resources,
): Promise<Result> => {
  const opened = createKnexStorage({ url, resources: declared });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
};

const migratedUrl = async (databases: TestDatabases, declared = resources): Promise<string> => {
  const url = await databases.prepared();
  await using(url, ({ migrate }) => migrate.latest(), declared);
  return url;
};

const copy = (from: string, to: string, more: Partial<CopyOptions> = {}) =>
  copyDatabase({ from, to, resources, ...more });

const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof CopyRefused)) throw new Error("no refusal", { cause: thrown });
  return `${thrown.reason}: ${thrown.message}`;
};

const filledTablesOf = (url: string): Promise<readonly string[]> =>
  withKnex(url, async (db) => {
    const tables = (await tablesIn(sqlite, db)).filter((table) => !notCopied.has(table));
    await fillTables(
      db,
      tables.filter((table) => !["id_block", "declared_table", "nfc_column"].includes(table)),
    );
    return tables.toSorted();
  });

/** Every value of a SQLite file as SQLite itself spells it. */
const dumpOf = (url: string, tables: readonly string[]): Promise<Readonly<Record<string, readonly unknown[]>>> =>
  withKnex(url, async (db) => {
    const dump: Record<string, readonly unknown[]> = {};
    for (const table of tables) {
      const columns: readonly { name: string }[] = await db.raw("SELECT name FROM pragma_table_info(?) ORDER BY name", [
        table,
      ]);
      const list = columns.map(({ name }) => `quote("${name}")`).join(" || ',' || ");
      const rows: readonly { text: string }[] = await db.raw(`SELECT ${list} AS text FROM "${table}" ORDER BY 1`);
      dump[table] = rows.map(({ text }) => text);
    }
    return dump;
  });

onPostgres("a copy from SQLite through PostgreSQL", () =>
  onMariadb("and MariaDB back", () => {
    test("keeps every row of every table, byte by byte", { timeout: 120_000 }, async () => {
      // Each of the three is a source and a target; and in the long form of each other one.
      const around = [await migratedUrl(sqlite), postgres.url(), mariadb.url(), sqlite.url()];
      const urls = isLong ? [...around, mariadb.url(), postgres.url(), sqlite.url()] : around;
      const [first = ""] = urls;
      const tables = await filledTablesOf(first);
      const steps = [];
      for (const [place, to] of urls.slice(1).entries()) steps.push(await copy(urls[place] ?? "", to));
      for (const { tables: copied, isContinued } of steps) {
        expect(isContinued).toBe(false);
        expect(copied).toEqual(steps[0]?.tables);
        // A table that is in the database and not in the list was forgotten.
        expect(copied.map(({ table }) => table)).toEqual(tables);
      }
      const counts = Object.fromEntries((steps[0]?.tables ?? []).map(({ table, rows }) => [table, rows]));
      for (const table of tables) {
        if (!["declared_table", "id_block", "nfc_column"].includes(table)) {
          expect(counts[table], table).toBe(rowsOfTable);
        }
      }
      expect(new Set(steps[0]?.tables.map(({ checksum }) => checksum)).size).toBe(tables.length);
      const dump = await dumpOf(first, tables);
      for (const back of urls.slice(1).filter((url) => url.startsWith("sqlite:"))) {
        expect(await dumpOf(back, tables)).toEqual(dump);
      }
    });
  }),
);

onEachDatabaseItself("a copy", (databases) => {
  test("goes on as its source would: repeats, waiting jobs, sequences, references", {
    timeout: isLong ? 120_000 : 60_000,
  }, async () => {
    for (const origin of isLong && databases.name !== "SQLite" ? [sqlite, databases] : [sqlite]) {
      const from = await migratedUrl(origin);
      const entry = {
        at: 1,
        actor: { kind: "anonymous" },
        action: "a",
        result: "done",
        requestId: "r",
        address: "local",
        fields: [],
      } as const;
      const uses = [
        {
          deprecation: "old-name",
          client: "zoë",
          agent: "curl",
          operation: "users.list",
          kind: "sent",
          day: "2026-01-01",
          calls: 1,
          firstAt: 1,
          lastAt: 1,
        },
      ] as const;
      const first = await using(from, async ({ storage, deprecatedUses }) => {
        await deprecatedUses.add(uses);
        await storage.answers.claim("key-ü", 1);
        await storage.answers.keep({ key: "key-ü", sealed: "sealed", expiresAt: 2_000_000_000_000 });
        await storage.resources.insert(user, userRow(1));
        await storage.resources.insert(invoice, invoiceRow(2, { amount: -12.05 }));
        const top = { id: idNumber(9), user_id: idNumber(1), above: null, shared: true, size: 2 ** 53 - 1 };
        const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
        await storage.resources.insert(folder, { ...top, ...times });
        // It comes before the one that it is in.
        await storage.resources.insert(folder, { ...top, ...times, id: idNumber(3), above: idNumber(9) });
        await storage.audit.append(entry);
        await storage.audit.append(entry);
        return storage.events.accept([newEvent("evt_1"), newEvent("evt_2")]);
      });
      const to = databases.url();
      await copy(from, to);
      await using(to, async ({ storage, migrate, deprecatedUses }) => {
        expect(await migrate.latest()).toEqual([]);
        expect(await storage.answers.find("key-ü", 2)).toMatchObject({ sealed: "sealed" });
        await deprecatedUses.add(uses);
        expect(await deprecatedUses.sums({ since: "2026-01-01", limit: 10 })).toMatchObject([{ calls: 2 }]);
        await storage.check();
        const scope = { where: { all: [] }, reason: "test" };
        expect(await storage.resources.find(invoice, idNumber(2), scope)).toMatchObject({ amount: -12.05 });
        expect(await storage.resources.find(folder, idNumber(3), scope)).toMatchObject({
          above: idNumber(9),
          shared: true,
          size: 2 ** 53 - 1,
        });
        const [repeat, fresh] = await storage.events.accept([newEvent("evt_2"), newEvent("evt_3")]);
        expect(repeat).toMatchObject({ outcome: "duplicate", id: first[1]?.id });
        expect([1, 2].map((place) => first[place - 1]?.id)).not.toContain(fresh?.id);
        await storage.audit.append(entry);
        expect((await storage.audit.list({ limit: 10 })).map(({ id }) => Number(id))).toEqual([3, 2, 1]);
        const runnerId = await storage.runners.register({ name: "new", kinds: ["log"] }, 1);
        const now = 1_900_000_000_000;
        expect(await storage.jobs.claim({ runnerId, queue: "default", limit: 10, now })).toHaveLength(3);
        const orphan = invoiceRow(7, { user_id: idNumber(999) });
        await expect(storage.resources.insert(invoice, orphan)).rejects.toThrow();
      });
    }
  });

  test("that is killed goes on where it was, and no server starts before it is done", {
    timeout: 60_000,
  }, async () => {
    const declared = resourcesOfParts(allParts);
    const from = await migratedUrl(sqlite, declared);
    await using(from, async ({ storage }) => {
      for (let n = 0; n < 3000; n += 500) {
        await storage.events.accept(Array.from({ length: 500 }, (_, each) => newEvent(`evt_${n + each}`)));
      }
    });
    const to = databases.url();
    const run = async (...at: readonly string[]): Promise<unknown> => {
      const options = [program("copy-and-die"), from, to, ...at];
      const child = spawn(process.execPath, options, { stdio: ["ignore", "inherit", "inherit"] });
      return (await once(child, "exit"))[1];
    };
    expect(await run("copy", "inbox_event", "2")).toBe("SIGKILL");
    expect(await run("copy", "job", "3")).toBe("SIGKILL");
    expect(await run("verify", "job", "1")).toBe("SIGKILL");
    await expect(using(to, ({ migrate }) => migrate.latest())).rejects.toThrow(MigrationRefused);
    await expect(using(to, ({ storage }) => storage.check())).rejects.toMatchObject({ code: "unavailable" });
    // A copy of what the other tests begin with would be the same database.
    const other = sqlite.url();
    await using(other, ({ migrate }) => migrate.latest(), declared);
    expect(await refusalOf(copyDatabase({ from: other, to, resources: declared }))).toMatch(
      /^not_empty: .*of another database/,
    );
    const { isContinued, tables } = await copyDatabase({ from, to, resources: declared });
    expect(isContinued).toBe(true);
    expect(tables.find(({ table }) => table === "inbox_event")).toMatchObject({ rows: 3000 });
    expect(tables.find(({ table }) => table === "job")).toMatchObject({ rows: 3000 });
    await using(to, ({ storage }) => storage.check(), declared);
  });

  test("that is killed at any moment before its first row leaves no target that a server starts on", {
    timeout: 120_000,
  }, async () => {
    const declared = resourcesOfParts(allParts);
    const from = await migratedUrl(sqlite, declared);
    await using(from, ({ storage }) => storage.resources.insert(user, userRow(1)));
    // With the first of its tables, and while more of them are made: in the short form one of these
    // moments on each database.
    const moments = [1, 3, 12];
    const short = { SQLite: 1, PostgreSQL: 3, MariaDB: 12 }[databases.name];
    for (const tables of isLong ? moments : [short]) {
      const to = databases.url();
      const child = spawn(process.execPath, [program("copy-and-die"), from, to, "copy", "never", "1"], {
        stdio: "ignore",
      });
      const ended = once(child, "exit");
      const found = (): Promise<number> =>
        placeOf(to)
          .look(async (connection) => (connection === undefined ? 0 : (await tablesOf(connection)).length))
          .catch(() => 0);
      while (child.exitCode === null && child.signalCode === null && (await found()) < tables);
      child.kill("SIGKILL");
      await ended;
      await expect(using(to, ({ migrate }) => migrate.latest(), declared)).rejects.toThrow(MigrationRefused);
      const copied = await copyDatabase({ from, to, resources: declared });
      expect(copied.tables.find(({ table }) => table === "users")).toMatchObject({ rows: 1 });
      await using(to, ({ storage }) => storage.check(), declared);
    }
  });

  test("that is refused leaves its target to others", async () => {
    const from = await migratedUrl(databases);
    await using(from, async ({ storage }) => {
      await storage.resources.insert(user, userRow(1));
      await storage.resources.insert(invoice, invoiceRow(1));
    });
    const to = sqlite.url();
    const fewer = { resources: resourcesOfParts(allParts) };
    expect(await refusalOf(copy(from, to, fewer))).toMatch(/^not_fitting/);
    await using(to, ({ migrate }) => migrate.latest());
  });

  test("is refused while its source or its target is in use", { timeout: 60_000 }, async () => {
    const from = await migratedUrl(databases);
    const target = sqlite.url();
    await using(from, async ({ storage }) => {
      await storage.check();
      expect(await refusalOf(copy(from, target))).toMatch(/^in_use: a process uses the source; stop Postern/);
    });
    const to = await migratedUrl(databases);
    await using(to, async ({ storage }) => {
      await storage.check();
      expect(await refusalOf(copy(await migratedUrl(sqlite), to))).toMatch(/^in_use: a process uses the target/);
    });
    await copy(from, target);
  });

  test("is refused into a database with rows, and from one that is missing, old or newer", async () => {
    const empty = databases.url();
    expect(await refusalOf(copy(databases.url(), sqlite.url()))).toMatch(/^not_found: there is no source/);
    await createDatabase(empty);
    await withKnex(empty, (db) => db.raw("SELECT 1"));
    expect(await refusalOf(copy(empty, sqlite.url()))).toMatch(/^not_current: the source is not up to date/);
    const from = await migratedUrl(databases);
    const untouched = sqlite.url();
    const check = () => Promise.reject(new Error("the key does not open it"));
    await expect(copy(from, untouched, { check })).rejects.toThrow("the key does not open it");
    expect(existsSync(fileOf(untouched))).toBe(false);
    const filled = await migratedUrl(sqlite);
    await using(filled, ({ storage }) => storage.resources.insert(user, userRow(1)));
    expect(await refusalOf(copy(from, filled))).toBe(
      "not_empty: the target has rows already (users). Name an empty database",
    );
    expect(await refusalOf(copy(filled, filled))).toMatch(/^not_empty/);
    await withKnex(from, (db) => db("schema_migration").insert({ name: "9999-add-tomorrow", batch: 2 }));
    expect(await refusalOf(copy(from, sqlite.url()))).toMatch(/^not_current: a newer version made the source/);
  });

  test("is refused if rows of a declaration would be left behind", async () => {
    const from = await migratedUrl(databases);
    await using(from, async ({ storage }) => {
      await storage.resources.insert(user, userRow(1));
      await storage.resources.insert(invoice, invoiceRow(1));
    });
    const fewer = { resources: resourcesOfParts(allParts) };
    expect(await refusalOf(copy(from, sqlite.url(), fewer))).toMatch(/^not_fitting: .*\(invoices\)\. Declare them/);
    const parts = ["users"] as const;
    await using(from, ({ storage }) => storage.events.accept([newEvent("evt_1")]));
    const withoutInbox = { parts, resources: [...resourcesOfParts(parts), invoice, folder] };
    expect(await refusalOf(copy(from, sqlite.url(), withoutInbox))).toMatch(/^not_fitting: .*\(inbox_event\)/);
  });
});

onPostgres("a copy", () => {
  test("names the row with a NUL, which PostgreSQL does not store, and goes on when it is mended", async () => {
    const from = await migratedUrl(sqlite);
    await using(from, ({ storage }) => storage.resources.insert(user, userRow(1)));
    await withKnex(from, (db) => db.raw("UPDATE users SET address = 'a' || char(0) || 'b'"));
    const to = postgres.url();
    expect(await refusalOf(copy(from, to))).toBe(
      `not_fitting: the column address of users holds a NUL character, which PostgreSQL does not store, in the row ${idNumber(1)}`,
    );
    await withKnex(from, (db) => db.raw("UPDATE users SET address = 'ab'"));
    expect((await copy(from, to)).isContinued).toBe(true);
  });
});

test("a copy goes through no pooler, which hides who uses the database", async () => {
  const pooled = "postgres://127.0.0.1/shop?pooler=transaction";
  await expect(copy(pooled, sqlite.url())).rejects.toThrow("a copy needs a direct connection");
});

test("a copy finds that its source was changed after the rows were copied", async () => {
  const from = await migratedUrl(sqlite);
  await using(from, ({ storage }) => storage.resources.insert(user, userRow(1)));
  const to = sqlite.url();
  const stop = copy(from, to, {
    onProgress: ({ phase }) => {
      if (phase === "verify") throw new Error("stopped");
    },
  });
  await expect(stop).rejects.toThrow("stopped");
  await withKnex(from, (db) => db.raw("UPDATE users SET name = 'Eve'"));
  expect(await refusalOf(copy(from, to))).toMatch(/^differs: the table users differs: the source has 1 rows/);
  await expect(using(to, ({ migrate }) => migrate.latest())).rejects.toThrow("is not finished");
});
