import { existsSync } from "node:fs";
import { builtInResources, comment, post, session, user } from "@postern/app";
import {
  allRows,
  boolean,
  choice,
  date,
  decimal,
  defineResource,
  type Field,
  instant,
  integer,
  jsonObject,
  nullable,
  ownedBy,
  prose,
  type Resource,
  reference,
  text,
} from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { planTables } from "../src/declared/declared-tables.ts";
import { MigrationRefused } from "../src/index.ts";
import { sqliteMigrations } from "../src/sqlite/sqlite-migrations.ts";
import { fileOf, onEachDatabase, openStorage, sqlite, type TestDatabases, withKnex } from "./databases.ts";

const owner = reference("user", { onDelete: "cascade", description: "Whose it is." });
const resource = (fields: Record<string, Field>, changes: Partial<Resource> = {}): Resource =>
  defineResource({
    name: "invoice",
    plural: "invoices",
    description: "What somebody has to pay.",
    fields: { user_id: owner, ...fields },
    owner: "user_id",
    access: { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") },
    ...changes,
  });

const number = text(20, { unique: true, filter: "everyone", sort: "everyone", description: "Its number." });
const amount = decimal({ digits: 12, decimals: 2, sort: "everyone", description: "How much." });
const note = prose(1000, { description: "A note." });
const invoice = resource({ number, amount });

const all = allRows("test");
const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" };
const row = (n: number, changes = {}) => ({
  id: idNumber(n),
  user_id: idNumber(1),
  number: `R-${n}`,
  amount: n,
  ...times,
  ...changes,
});

onEachDatabase("tables of declared resources", (databases) => {
  /** A database in which `invoice` has its table, and as many rows as told. */
  const withInvoices = async (rows: number, declared: Resource = invoice): Promise<string> => {
    const url = databases.url();
    const { migrate, storage, close } = openStorage({ url, resources: [declared] });
    await migrate.latest();
    await storage.resources.insert(user, userRow(1));
    for (let n = 1; n <= rows; n += 1) await storage.resources.insert(declared, row(n));
    await close();
    return url;
  };
  const migrated = async (url: string, ...resources: readonly Resource[]) => {
    const opened = openStorage({ url, resources });
    const taken = await opened.migrate.latest();
    return { ...opened, taken };
  };
  const refusal = async (url: string, declared: Resource): Promise<string> => {
    const { migrate } = openStorage({ url, resources: [declared] });
    const before = await structureOf(databases, url);
    const plan = await migrate.plan();
    const thrown = await migrate.latest().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MigrationRefused);
    if (!(thrown instanceof MigrationRefused)) return "";
    expect(plan.refused).toEqual(thrown.refused);
    expect(await structureOf(databases, url)).toEqual(before);
    for (const { byHand } of thrown.refused)
      for (const statement of byHand) expect(thrown.message).toContain(statement.split("\n")[0]);
    return thrown.refused.map(({ problem }) => problem).join("; ");
  };

  test("keep values of every kind", async () => {
    const everything = resource({
      word: text(255, { description: "A word." }),
      note,
      state: choice(["open", "closed"], { description: "A state." }),
      count: integer({ description: "A count." }),
      amount: decimal({ digits: 15, decimals: 6, description: "An amount." }),
      done: boolean({ description: "Whether it is done." }),
      day: date({ description: "A day." }),
      moment: instant({ description: "A moment." }),
      details: jsonObject({ description: "Details." }),
      maybe: nullable(boolean({ description: "Whether it may be." })),
    });
    const { storage, close } = await migrated(databases.url(), everything);
    await storage.resources.insert(user, userRow(1));
    const stored = {
      id: idNumber(1),
      user_id: idNumber(1),
      word: "wörd ",
      note: "two\nlines",
      state: "open",
      count: Number.MIN_SAFE_INTEGER,
      amount: -123456789.123456,
      done: false,
      day: "2024-02-29",
      moment: "2026-01-01T00:00:00.001Z",
      details: { a: [1] },
      maybe: null,
      ...times,
    };
    await storage.resources.insert(everything, stored);
    const other = { ...stored, id: idNumber(2), count: Number.MAX_SAFE_INTEGER, amount: 0.1, done: true, maybe: true };
    await storage.resources.insert(everything, other);
    expect(await storage.resources.find(everything, idNumber(1), all)).toEqual({ ...stored, revision: 1 });
    expect(await storage.resources.find(everything, idNumber(2), all)).toEqual({ ...other, revision: 1 });
    const found = async (where: object) =>
      (
        await storage.resources.list(everything, {
          scope: all,
          // biome-ignore lint/suspicious/noExplicitAny: each case is a condition
          where: where as any,
          order: [{ field: "id", direction: "asc" }],
          limit: 9,
        })
      ).map(({ id }) => id);
    expect(await found({ field: "done", op: "eq", value: true })).toEqual([idNumber(2)]);
    expect(await found({ field: "done", op: "ne", value: true })).toEqual([idNumber(1)]);
    expect(await found({ field: "maybe", op: "ne", value: false })).toEqual([idNumber(2)]);
    expect(await found({ field: "amount", op: "eq", value: 0.1 })).toEqual([idNumber(2)]);
    expect(await found({ field: "amount", op: "lt", value: -123456789.123455 })).toEqual([idNumber(1)]);
    expect(await found({ field: "count", in: [Number.MAX_SAFE_INTEGER, 5] })).toEqual([idNumber(2)]);
    expect(await found({ field: "count", op: "eq", value: "5" })).toEqual([]);
    expect(await found({ field: "done", op: "eq", value: 1 })).toEqual([]);
    expect(await found({ field: "day", op: "lt", value: "2024-03-01" })).toHaveLength(2);
    await close();
  });

  test("are made once, and found to fit afterwards", async () => {
    const url = await withInvoices(1);
    const { taken, migrate, storage, close } = await migrated(url, invoice);
    expect(taken).toEqual([]);
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    await storage.check();
    await expect(storage.resources.insert(invoice, row(2, { number: "R-1" }))).rejects.toMatchObject({
      code: "conflict",
      faults: [{ pointer: "/number" }],
    });
    await storage.resources.delete(user, idNumber(1), all);
    expect(await storage.resources.count(invoice, { scope: all }, 9)).toBe(0);
    await close();
  });

  test("are not ready before they fit", async () => {
    const url = await withInvoices(0);
    const { storage, migrate, close } = openStorage({
      url,
      resources: [resource({ number, amount, note: nullable(note) })],
    });
    await expect(storage.check()).rejects.toMatchObject({ code: "unavailable" });
    expect((await migrate.status()).pending).toEqual(["invoices: add note"]);
    await migrate.latest();
    await storage.check();
    await close();
  });

  test("get new fields that can be empty or have a default, and new indexes, with the rows that are there", async () => {
    const url = await withInvoices(2);
    const wider = resource({
      number,
      amount,
      note: nullable(note),
      state: choice(["draft", "sent"], { default: "draft", sort: "everyone", description: "Its state." }),
      details: jsonObject({ default: { "it's": "a \\ backslash" }, description: "Details." }),
      text: prose(9, { default: "it's \\n", description: "A text." }),
      paid: boolean({ default: true, description: "Whether it was paid." }),
      approver_id: nullable(reference("user", { onDelete: "cascade", description: "Who approved it." })),
    });
    const { taken, storage, migrate, close } = await migrated(url, wider);
    expect(taken).toContain("invoices: add note");
    expect(taken).toContain("invoices: index user_id, state, id");
    expect(await storage.resources.find(wider, idNumber(2), all)).toEqual({
      ...row(2),
      note: null,
      state: "draft",
      details: { "it's": "a \\ backslash" },
      text: "it's \\n",
      paid: true,
      approver_id: null,
      revision: 1,
    });
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    await storage.resources.insert(user, userRow(2));
    await storage.resources.update(wider, idNumber(2), all, { approver_id: idNumber(2) });
    await storage.resources.delete(user, idNumber(2), all);
    expect(await storage.resources.find(wider, idNumber(2), all)).toBeUndefined();
    await close();
  });

  test("get a field that every row needs only while there are no rows", async () => {
    const wider = resource({ number, amount, note });
    const empty = await migrated(await withInvoices(0), wider);
    expect(await empty.migrate.plan()).toEqual({ changes: [], refused: [] });
    await empty.storage.resources.insert(wider, row(1, { note: "n" }));
    await empty.close();
    expect(await refusal(await withInvoices(1), wider)).toContain('have no value for the new field "note"');
  });

  test("are not changed where data could be lost or refused", async () => {
    const url = await withInvoices(2);
    expect(await refusal(url, resource({ number: text(10, { unique: true, description: "n" }), amount }))).toContain(
      '"number" is varchar(20)',
    );
    expect(await refusal(url, resource({ number: integer({ unique: true, description: "n" }), amount }))).toContain(
      '"number" is varchar(20)',
    );
    expect(await refusal(url, resource({ number }))).toContain('a column "amount", which is not declared');
    expect(await refusal(url, resource({ number, amount: nullable(amount) }))).toContain("could then be empty");
    expect(await refusal(url, resource({ number: { ...number, unique: false }, amount }))).toContain(
      '"number" is unique and would no longer be',
    );
    // An addition beside it is not made either.
    expect(await refusal(url, resource({ number, more: nullable(note) }))).toContain('"amount"');
  });

  test("get a unique index only where no value stands twice", async () => {
    const plain = resource({ number: { ...number, unique: false }, amount });
    const url = await withInvoices(2, plain);
    const { storage, close } = await migrated(url, plain);
    await storage.resources.update(plain, idNumber(2), all, { number: "R-1" });
    expect(await refusal(url, invoice)).toContain("values that stand there more than once");
    await storage.resources.update(plain, idNumber(2), all, { number: "R-2" });
    await close();
    const unique = await migrated(url, invoice);
    expect(unique.taken).toEqual(["invoices: index number, unique"]);
    await unique.close();
  });

  test("are made by the statements of the plan, and by any number of processes at once", async () => {
    const item = resource(
      { invoice_id: reference("invoice", { onDelete: "cascade", description: "The invoice it is on." }), note },
      {
        name: "invoice_item",
        plural: "invoice-items",
        parent: { resource: "invoice", field: "invoice_id", createRequires: "update" },
      },
    );
    const byHand = databases.url();
    const first = openStorage({ url: byHand, resources: [item, invoice] });
    const { changes, refused } = await first.migrate.plan();
    expect(refused).toEqual([]);
    if (databases.name === "SQLite") expect(existsSync(fileOf(byHand))).toBe(false);
    expect(changes.slice(-2).map(({ name }) => name)).toEqual(["invoices: create", "invoice_items: create"]);
    await withKnex(databases, databases.name === "SQLite" ? byHand : withoutDatabase(byHand), async (db) => {
      for (const { statements } of changes) {
        for (const statement of statements) {
          await db.raw(statement);
          if (statement.startsWith("CREATE DATABASE")) await db.raw(`USE \`${databaseOf(byHand)}\``);
        }
      }
    });
    await first.migrate.latest();

    const url = databases.url();
    const starters = Array.from({ length: 4 }, () => openStorage({ url, resources: [item, invoice] }));
    const taken = await Promise.all(starters.map(({ migrate }) => migrate.latest()));
    expect(taken.flat().slice(-2)).toEqual(["invoices: create", "invoice_items: create"]);
    expect(await structureOf(databases, url)).toEqual(await structureOf(databases, byHand));
  });
});

test("Postern's own tables have the shape that is made for declared ones", async () => {
  const url = sqlite.url();
  const { migrate, close } = openStorage({ url });
  await migrate.latest();
  await close();
  const listed = [user, session, post, comment];
  const known = new Map(builtInResources.map((each) => [each.name, each]));
  const { look } = sqliteMigrations(fileOf(url), { synchronous: "FULL" });
  expect(await look(({ knex: db, types }) => planTables(db, types, listed, known))).toEqual({
    changes: [],
    refused: [],
  });
});

test("resources whose tables cannot be made are refused when the storage is opened", () => {
  const opened =
    (...resources: readonly Resource[]) =>
    () =>
      openStorage({ url: sqlite.url(), resources });
  expect(opened(resource({}, { name: "x", plural: "posts" }))).toThrow('the table "posts" is taken');
  expect(opened(resource({}, { name: "x", plural: "rate-limit" }))).toThrow('the table "rate_limit" is taken');
  expect(opened(invoice, resource({}, { name: "x" }))).toThrow('the table "invoices" is taken');
  const to = (name: string) => reference(name, { onDelete: "cascade", description: "The other." });
  expect(
    opened(
      resource({ other_id: to("b") }, { name: "a", plural: "as" }),
      resource({ other_id: to("a") }, { name: "b", plural: "bs" }),
    ),
  ).toThrow("in a circle: a → b → a");
});

const databaseOf = (url: string): string => new URL(url).pathname.slice(1);
const withoutDatabase = (url: string): string => url.slice(0, -databaseOf(url).length);

/** Every table with its columns and indexes, as the database tells them. */
const structureOf = (databases: TestDatabases, url: string): Promise<readonly unknown[]> =>
  withKnex(databases, url, async (db) => {
    const query =
      databases.name === "SQLite"
        ? "SELECT name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name, tbl_name"
        : `SELECT c.table_name, c.column_name, c.column_type, c.is_nullable, c.column_default, c.collation_name,
             s.indexes
           FROM information_schema.columns c LEFT JOIN (
             SELECT table_name, column_name, GROUP_CONCAT(CONCAT(index_name, seq_in_index, non_unique) ORDER BY index_name) AS indexes
               FROM information_schema.statistics WHERE table_schema = DATABASE() GROUP BY table_name, column_name
           ) s ON s.table_name = c.table_name AND s.column_name = c.column_name
          WHERE c.table_schema = DATABASE() ORDER BY c.table_name, c.ordinal_position`;
    const answer = await db.raw(query);
    return databases.name === "SQLite" ? answer : answer[0];
  });
