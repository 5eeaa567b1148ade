import { readdirSync } from "node:fs";
import { parse } from "node:path";
import { choice, decimal, type Field, integer, nullable, prose, reference, text } from "@postern/core";
import { idNumber } from "@postern/core/testing";
import { expect, test } from "vitest";
import { fileOf, onEachDatabase, openStorage, withKnex } from "./databases.ts";
import { all, amount, invoice, note, number, resource, row, tablesOn, times } from "./declared-scene.ts";

onEachDatabase("tables of declared resources", (databases) => {
  const { withInvoices, migrated, refusal } = tablesOn(databases);

  test("get a required field without a default only while there are no rows", async () => {
    const wider = resource({ number, amount, note });
    const empty = await migrated(await withInvoices(0), wider);
    expect(await empty.migrate.plan()).toEqual({ changes: [], refused: [] });
    await empty.storage.resources.insert(wider, row(1, { note: "n" }));
    await empty.close();
    expect(await refusal(await withInvoices(1), wider)).toContain('have no value for the new field "note"');
  });

  test("are refused with an explanation if rows prevent a change, with the number of rows", async () => {
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

  test("keep a choice while rows have it, and lose it once no row has it", async () => {
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

  test("lose only a column by the statements of a refusal, which were tried on a copy", async () => {
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
    await withKnex(url, async (db) => {
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
      "number is renamed to code",
      { code: "R-2", number: undefined },
    ],
    [
      "a renamed field can grow at once",
      {
        code: { ...text(40, { unique: true, description: "c" }), renamedFrom: "number" },
        amount,
        note: nullable(note),
      },
      "number is renamed to code",
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
      "a field is no longer unique",
      { number: { ...number, unique: false }, amount },
      "number is no longer unique",
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
    // References to the table still work.
    expect(await storage.resources.count(lines, { scope: all }, 9)).toBe(1);
    await storage.resources.delete(changed, idNumber(2), all);
    expect(await storage.resources.count(lines, { scope: all }, 9)).toBe(0);
    await close();
  });

  test("make a field required only when every row has a value, and fill in no values themselves", async () => {
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
    await withKnex(url, async (db) => {
      for (const statement of change?.byHand ?? []) await db.raw(statement);
    });
    const after = await migrated(url, strict);
    expect((await after.storage.resources.find(strict, idNumber(1), all))?.amount).toBe(7);
    await after.close();
  });

  test("get a unique index only if no value is there twice", async () => {
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
});
