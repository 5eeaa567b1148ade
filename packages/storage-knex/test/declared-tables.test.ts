import { existsSync } from "node:fs";
import { builtInResources, comment, post, session, user } from "@postern/app";
import {
  boolean,
  choice,
  date,
  decimal,
  instant,
  integer,
  jsonObject,
  nullable,
  prose,
  type Resource,
  reference,
  text,
} from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { planTables } from "../src/schema/declared/declared-tables.ts";
import { sqliteMigrations } from "../src/sqlite/sqlite-migrations.ts";
import { fileOf, onEachDatabase, openStorage, sqlite, withKnex } from "./databases.ts";
import { all, amount, invoice, note, number, resource, row, structureOf, tablesOn, times } from "./declared-scene.ts";

onEachDatabase("tables of declared resources", (databases) => {
  const { withInvoices, migrated } = tablesOn(databases);

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
    const { storage, close } = await migrated(await databases.prepared(), everything);
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

  test("keep the indexes and triggers that an operator has made", async () => {
    const url = await withInvoices(1);
    await withKnex(url, (db) => db.raw("CREATE INDEX own_index ON invoices (amount, number)"));
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
    const statements = changes.flatMap((change) => change.statements);
    if (databases.serverUrl !== "") {
      const [creation = ""] = statements.splice(0, 1);
      expect(creation).toMatch(/^CREATE DATABASE/);
      await withKnex(databases.serverUrl, (db) => db.raw(creation));
    }
    await withKnex(byHand, async (db) => {
      for (const statement of statements) await db.raw(statement);
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
