import { existsSync, readdirSync } from "node:fs";
import { parse } from "node:path";
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
  /** A database in which `invoice` has its table, and that many rows. */
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
    await storage.resources.update(wider, { id: idNumber(2), scope: all }, { approver_id: idNumber(2) });
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

  test("are refused in words where rows stand against it, with their count", async () => {
    const url = await withInvoices(3);
    const short = { number: text(2, { unique: true, description: "n" }), amount };
    expect(await refusal(url, resource(short))).toContain(
      '"number" would have at most 2 characters, and 3 rows have more',
    );
    expect(await refusal(url, resource({ number: integer({ unique: true, description: "n" }), amount }))).toContain(
      '"number" is varchar(20)',
    );
    expect(await refusal(url, resource({ number }))).toContain(
      'the column "amount" is not declared (any more), and 3 rows have a value there',
    );
    const narrow = decimal({ digits: 5, decimals: 2, sort: "everyone", description: "How much." });
    expect(await refusal(url, resource({ number, amount: narrow }))).toContain('"amount" is decimal(12,2)');
    // An addition beside it is not made either.
    expect(await refusal(url, resource({ number, more: nullable(note) }))).toContain('"amount"');
  });

  test("are refused a value that rows still have, and lose it once none has it", async () => {
    const states = (...values: [string, ...string[]]) =>
      resource({
        number,
        amount,
        state: choice(values, { default: "draft", sort: "everyone", description: "Its state." }),
      });
    const url = await withInvoices(3);
    const before = await migrated(url, states("draft", "sent", "paid"));
    for (const [n, state] of [
      [1, "sent"],
      [2, "paid"],
      [3, "paid"],
    ] as const)
      await before.storage.resources.update(
        states("draft", "sent", "paid"),
        { id: idNumber(n), scope: all },
        { state },
      );
    await before.close();
    expect(await refusal(url, states("draft"))).toContain('there are 2 rows with "paid", 1 row with "sent"');
    expect(await refusal(url, states("draft", "paid"))).toContain('there is 1 row with "sent"');
    const more = await migrated(url, states("draft", "sent", "paid", "überfällig"));
    await more.storage.resources.update(states("draft"), { id: idNumber(1), scope: all }, { state: "überfällig" });
    await more.storage.resources.update(states("draft"), { id: idNumber(2), scope: all }, { state: "draft" });
    await more.storage.resources.update(states("draft"), { id: idNumber(3), scope: all }, { state: "draft" });
    await more.close();
    const less = await migrated(url, states("draft", "überfällig"));
    expect((await less.storage.resources.find(states("draft"), idNumber(1), all))?.state).toBe("überfällig");
    expect(await less.migrate.plan()).toEqual({ changes: [], refused: [] });
    await less.close();
  });

  test("lose a column by the statements of the refusal, which were tried on a copy, and nothing else", async () => {
    const url = await withInvoices(2);
    const less = resource({ number });
    const refused = openStorage({ url, resources: [less] });
    const [change] = (await refused.migrate.plan()).refused;
    expect(change?.byHand.length).toBeGreaterThan(0);
    await refused.close();
    if (databases.name === "SQLite") {
      const { dir, base } = parse(fileOf(url));
      expect(readdirSync(dir).filter((name) => name.startsWith(`${base}.trial`))).toEqual([]);
    }
    await withKnex(databases, url, async (db) => {
      for (const statement of change?.byHand ?? []) await db.raw(statement);
      // On MariaDB each step can be run again.
      if (databases.name === "MariaDB") for (const statement of change?.byHand ?? []) await db.raw(statement);
    });
    const { storage, migrate, close } = await migrated(url, less);
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    const { amount: _gone, ...kept } = row(2);
    expect(await storage.resources.find(less, idNumber(2), all)).toEqual({ ...kept, revision: 1 });
    await close();
  });

  test.each<readonly [string, Record<string, Field>, string, object | undefined]>([
    [
      "a renamed field keeps its values and its uniqueness",
      { code: { ...number, renamedFrom: "number" }, amount },
      "number is called code",
      { code: "R-2", number: undefined },
    ],
    [
      "a renamed field can grow at once",
      {
        code: { ...text(40, { unique: true, description: "c" }), renamedFrom: "number" },
        amount,
        note: nullable(note),
      },
      "number is called code",
      { code: "R-2", number: undefined, note: null },
    ],
    [
      "a text grows",
      { number: text(200, { unique: true, filter: "everyone", sort: "everyone", description: "n" }), amount },
      "number becomes varchar(200)",
      undefined,
    ],
    [
      "a text that no row fills shrinks",
      { number: text(10, { unique: true, description: "n" }), amount },
      "number becomes varchar(10)",
      undefined,
    ],
    ["a text becomes a long one", { number: prose(5000, { description: "n" }), amount }, "number becomes", undefined],
    [
      "a text becomes longer than a row takes",
      { number: text(20_000, { description: "n" }), amount },
      "number becomes",
      undefined,
    ],
    [
      "a decimal widens",
      { number, amount: decimal({ digits: 15, decimals: 4, sort: "everyone", description: "a" }) },
      "amount becomes decimal(15,4)",
      undefined,
    ],
    ["a field may be empty", { number, amount: nullable(amount) }, "amount may be empty", undefined],
    [
      "a field is unique no more",
      { number: { ...number, unique: false }, amount },
      "number is unique no more",
      undefined,
    ],
  ])("are brought to a declaration that loses nothing: %s", async (_what, fields, named, changes) => {
    const url = await withInvoices(2);
    const lines = resource(
      { invoice_id: reference("invoice", { onDelete: "cascade", description: "Its invoice." }) },
      { name: "line", plural: "lines", parent: { resource: "invoice", field: "invoice_id", createRequires: "update" } },
    );
    const before = await migrated(url, invoice, lines);
    const line = { id: idNumber(9), user_id: idNumber(1), invoice_id: idNumber(2), ...times };
    await before.storage.resources.insert(lines, line);
    await before.close();

    const changed = resource(fields);
    const { taken, migrate, storage, close } = await migrated(url, changed, lines);
    expect(taken.join("; ")).toContain(`invoices: `);
    expect(taken.join("; ")).toContain(named);
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    const { number: _n, ...expected } = { ...row(2), ...changes, revision: 1 } as Record<string, unknown>;
    const found = await storage.resources.find(changed, idNumber(2), all);
    expect(found).toMatchObject(expected);
    expect(await storage.resources.count(changed, { scope: all }, 9)).toBe(2);
    // What refers to the table still does.
    expect(await storage.resources.count(lines, { scope: all }, 9)).toBe(1);
    await storage.resources.delete(changed, idNumber(2), all);
    expect(await storage.resources.count(lines, { scope: all }, 9)).toBe(0);
    await close();
  });

  test("need a value in every row before it is needed, and fill none by themselves", async () => {
    const loose = resource({ number, amount: nullable(amount) });
    const url = await withInvoices(3, loose);
    const before = await migrated(url, loose);
    await before.storage.resources.update(loose, { id: idNumber(1), scope: all }, { amount: null });
    await before.close();
    const strict = resource({ number, amount: { ...amount, default: 7 } });
    expect(await refusal(url, strict)).toContain('"amount" would have to have a value, and 1 row has none');
    const { migrate, close } = openStorage({ url, resources: [strict] });
    const [change] = (await migrate.plan()).refused;
    await close();
    await withKnex(databases, url, async (db) => {
      for (const statement of change?.byHand ?? []) await db.raw(statement);
    });
    const after = await migrated(url, strict);
    expect((await after.storage.resources.find(strict, idNumber(1), all))?.amount).toBe(7);
    await after.close();
  });

  test("get a unique index only where no value stands twice", async () => {
    const plain = resource({ number: { ...number, unique: false }, amount });
    const url = await withInvoices(2, plain);
    const { storage, close } = await migrated(url, plain);
    await storage.resources.update(plain, { id: idNumber(2), scope: all }, { number: "R-1" });
    expect(await refusal(url, invoice)).toContain("1 value stands there more than once");
    await storage.resources.update(plain, { id: idNumber(2), scope: all }, { number: "R-2" });
    await close();
    const unique = await migrated(url, invoice);
    expect(unique.taken).toEqual(["invoices: index number, unique"]);
    await unique.close();
  });

  test("keep the indexes and triggers that an operator has made", async () => {
    const url = await withInvoices(1);
    await withKnex(databases, url, (db) => db.raw("CREATE INDEX own_index ON invoices (amount, number)"));
    const { migrate, close } = await migrated(
      url,
      resource({ number: { ...number, ...text(30, { unique: true, description: "n" }) }, amount }),
    );
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    expect(JSON.stringify(await structureOf(databases, url))).toContain("own_index");
    await close();
  });

  test("have an index for each list that is declared, and the plan says why", async () => {
    const lists = [["number", "-created_at"]];
    const listed = resource({ number, amount }, { lists });
    const url = await withInvoices(1);
    const opened = openStorage({ url, resources: [listed] });
    const { changes } = await opened.migrate.plan();
    expect(changes.map(({ indexes }) => indexes)).toEqual([
      [
        {
          columns: "user_id, number, created_at DESC, id DESC",
          why: "the declared list number, -created_at, for one user_id",
        },
      ],
      [{ columns: "number, created_at DESC, id DESC", why: "the declared list number, -created_at" }],
    ]);
    await opened.migrate.latest();
    expect(await opened.migrate.plan()).toEqual({ changes: [], refused: [] });
    await opened.close();
    const fresh = openStorage({ url: databases.url(), resources: [listed] });
    const plan = await fresh.migrate.plan();
    const whys = plan.changes.find(({ name }) => name === "invoices: create")?.indexes?.map(({ why }) => why);
    expect(whys).toEqual([
      "finds the rows that refer to one user",
      "keeps number unique",
      "lists sorted by number, for one user_id",
      "lists sorted by amount",
      "lists sorted by amount, for one user_id",
      "lists sorted by created_at",
      "lists sorted by created_at, for one user_id",
      "lists sorted by updated_at",
      "lists sorted by updated_at, for one user_id",
      "the declared list number, -created_at, for one user_id",
      "the declared list number, -created_at",
    ]);
    await fresh.close();
  });

  test("are listed, and those of a resource that disappeared are reported with their rows", async () => {
    const url = await withInvoices(2);
    const other = resource({ note: nullable(note) }, { name: "memo", plural: "memos" });
    const { migrate, close } = await migrated(url, other);
    expect(await migrate.tables()).toEqual({
      declared: [{ resource: "memo", table: "memos", pending: [] }],
      leftOver: [{ resource: "invoice", table: "invoices", rows: 2 }],
    });
    await close();
    const more = openStorage({ url, resources: [invoice, resource({ number }, { name: "memo", plural: "memos" })] });
    expect(await more.migrate.tables()).toEqual({
      declared: [
        { resource: "invoice", table: "invoices", pending: [] },
        { resource: "memo", table: "memos", pending: expect.arrayContaining([expect.stringContaining('"note"')]) },
      ],
      leftOver: [],
    });
    await more.close();
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
  expect(await look(({ knex: db, types }) => planTables(db, types, listed, known))).toMatchObject({
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
