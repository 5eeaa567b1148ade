import { user } from "@postern/app";
import { type Field, nullable, prose, type Resource, text } from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage, withKnex } from "./databases.ts";
import { all, invoice, number, resource, row, tablesOn } from "./declared-scene.ts";

const composed = "caf\u00e9";
const apart = "cafe\u0301";
/** The same text in NFC, and neither is in it. */
const [turned, halfway] = ["e\u0301\u0323", "\u00e9\u0323"];

onEachDatabase("texts that are compared in NFC", (databases) => {
  const { withInvoices, migrated, refusal } = tablesOn(databases);

  /** Stores texts as a version did that knew no normal forms. */
  const asBefore = (url: string, texts: Readonly<Record<number, string>>): Promise<void> =>
    withKnex(url, async (db) => {
      if (databases.name === "SQLite") await db.raw("PRAGMA synchronous = OFF");
      for (const [n, written] of Object.entries(texts))
        await db("invoices")
          .where({ id: idNumber(Number(n)) })
          .update({ number: written });
      await db("nfc_column").del();
    });
  const numbers = (url: string): Promise<readonly unknown[]> =>
    withKnex(url, (db) => db("invoices").orderBy("id").pluck("number"));

  test("come to NFC with the migration, as a new revision, and are found by either form", async () => {
    const url = await withInvoices(3);
    await asBefore(url, { 1: apart, 2: composed.toUpperCase() });
    await withKnex(url, (db) => db("users").update({ name: apart, address: apart }));
    const planned = openStorage({ url, resources: [invoice] });
    expect((await planned.migrate.plan()).changes.map(({ name }) => name)).toEqual([
      "users: name is kept in Unicode's form NFC, which changes 1 row",
      "invoices: number is kept in Unicode's form NFC, which changes 1 row",
    ]);
    const { migrate, storage, taken } = await migrated(url, invoice);
    expect(taken).toEqual([
      "users: name is kept in Unicode's form NFC, which changes 1 row",
      "invoices: number is kept in Unicode's form NFC, which changes 1 row",
    ]);
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    expect(await migrate.latest()).toEqual([]);
    const read = await storage.resources.find(invoice, idNumber(1), all, ["number", "revision"]);
    expect(read).toEqual({ number: composed, revision: 2 });
    expect(await storage.resources.find(user, idNumber(1), all, ["name", "address"])).toEqual({
      name: composed,
      address: apart,
    });
    for (const value of [composed, apart]) {
      const where = { field: "number", op: "eq", value } as const;
      expect(await storage.resources.count(invoice, { scope: all, where }, 9)).toBe(1);
    }
  });

  test("stop the migration with the ids of rows that would become equal, and nothing is changed", async () => {
    const url = await withInvoices(5);
    await asBefore(url, { 1: apart, 2: composed, 3: turned, 4: halfway, 5: apart.toUpperCase() });
    const before = await numbers(url);
    const told = await refusal(url, invoice);
    expect(told).toContain(`${idNumber(2)} and ${idNumber(1)}`);
    expect(told).toContain(`${idNumber(3)} and ${idNumber(4)}`);
    expect(told).not.toContain(idNumber(5));
    expect(await numbers(url)).toEqual(before);
    await withKnex(url, (db) =>
      db("invoices")
        .whereIn("id", [idNumber(1), idNumber(4)])
        .del(),
    );
    expect((await migrated(url, invoice)).taken).toHaveLength(1);
    expect(await numbers(url)).toEqual([composed, "\u1eb9\u0301", composed.toUpperCase()]);
  });

  test("stop the migration with the ids of rows that would become too long", async () => {
    const url = await withInvoices(3);
    // In NFC, each of these letters is two characters. A smiley is one, though it is two in UTF-16.
    await asBefore(url, { 1: "\u0958".repeat(10), 2: "\u0958".repeat(11), 3: `${"\u{1F600}".repeat(18)}e\u0301` });
    const told = await refusal(url, invoice);
    expect(told).toContain("at most 20 characters");
    expect(told).toContain(idNumber(2));
    for (const n of [1, 3]) expect(told).not.toContain(idNumber(n));
  });

  test("come to NFC in small transactions, and the next start goes on after one that failed", async () => {
    const url = await withInvoices(1);
    const many = Array.from({ length: 520 }, (_, n) => ({ ...row(n + 1), number: `${apart} ${n + 1}`, revision: 1 }));
    await withKnex(url, async (db) => {
      await db("invoices").del();
      await db.batchInsert("invoices", many, 50);
      await db("nfc_column").del();
      const when = `new.id = '${idNumber(510)}'`;
      const stopping = {
        SQLite: [
          `create trigger stop before update on invoices when ${when} begin select raise(abort, 'stopped'); end`,
        ],
        MariaDB: [
          `create trigger stop before update on invoices for each row begin if ${when} then signal sqlstate '45000' set message_text = 'stopped'; end if; end`,
        ],
        PostgreSQL: [
          "create function stopped() returns trigger language plpgsql as $$ begin raise 'stopped'; end $$",
          `create trigger stop before update on invoices for each row when (${when}) execute function stopped()`,
        ],
      };
      for (const statement of stopping[databases.name]) await db.raw(statement);
    });
    await expect(migrated(url, invoice)).rejects.toThrow();
    const isDone = (written: unknown) => String(written).startsWith(composed);
    expect((await numbers(url)).filter(isDone)).toHaveLength(500);
    await withKnex(url, (db) =>
      db.raw(databases.name === "PostgreSQL" ? "drop trigger stop on invoices" : "drop trigger stop"),
    );
    expect((await migrated(url, invoice)).taken).toEqual([
      "invoices: number is kept in Unicode's form NFC, which changes 20 rows",
    ]);
    expect((await numbers(url)).every(isDone)).toBe(true);
    const revisions = await withKnex(url, (db) => db("invoices").distinct("revision").pluck("revision"));
    expect(revisions).toEqual([2]);
  });

  const plain: Field = text(20, { description: "n" });
  test.each<readonly [string, Field, Record<string, Field>, string]>([
    ["becomes unique", plain, { number: { ...plain, unique: true } }, "number"],
    ["can be filtered by", plain, { number: { ...plain, filter: "everyone" } }, "number"],
    ["gets another name", plain, { code: { ...plain, filter: "everyone", renamedFrom: "number" } }, "code"],
    [
      "of many lines can be filtered by",
      nullable(prose(200, { description: "n" })),
      { number: nullable(prose(200, { description: "n", filter: "everyone" })) },
      "number",
    ],
  ])("come to NFC once a field %s, and again if it was not for a while", async (_what, before, after, name) => {
    const [loose, strict] = [resource({ number: before }), resource(after)];
    const url = await withInvoices(0, loose);
    const write = async (declared: Resource, n: number, value: string): Promise<unknown> => {
      const { storage, close } = await migrated(url, declared);
      const { amount: _none, ...bare } = row(n);
      await storage.resources.insert(declared, { ...bare, number: value });
      const found = await storage.resources.find(declared, idNumber(n), all, ["number"]);
      await close();
      return found?.number;
    };
    expect(await write(loose, 1, apart)).toBe(apart);
    const first = await migrated(url, strict);
    expect(first.taken.at(-1)).toContain("which changes 1 row");
    expect(await first.storage.resources.find(strict, idNumber(1), all, [name])).toEqual({ [name]: composed });
    await first.close();
    if (name !== "number") return;
    expect(await write(loose, 2, apart.toUpperCase())).toBe(apart.toUpperCase());
    expect((await migrated(url, strict)).taken.at(-1)).toContain("which changes 1 row");
  });

  test("stay as an older version writes them after the migration, until their row is written again", async () => {
    const url = await withInvoices(2);
    const { storage, migrate } = await migrated(url, invoice);
    const old = (written: string) =>
      withKnex(url, (db) =>
        db("invoices")
          .where({ id: idNumber(1) })
          .update({ number: written }),
      );
    const count = (value: string) =>
      storage.resources.count(invoice, { scope: all, where: { field: "number", op: "eq", value } }, 9);
    await old(apart);
    expect([await count(apart), await count(composed)]).toEqual([0, 0]);
    expect(await migrate.latest()).toEqual([]);
    const first = { id: idNumber(1), scope: all };
    expect(await storage.resources.update(invoice, first, { number: apart })).toBe("done");
    expect([await count(apart), await count(composed)]).toEqual([1, 1]);
    // Nothing keeps an older version from a text that is unique only for it.
    await old(apart);
    await storage.resources.update(invoice, { id: idNumber(2), scope: all }, { number: composed });
    const again = storage.resources.update(invoice, first, { number: apart });
    await expect(again).rejects.toMatchObject({ code: "conflict" });
  });

  test("are equal in any form, for every text: unique, found, and none else", { timeout: 60_000 }, async () => {
    const named = resource({ number: { ...number, unique: false }, code: nullable({ ...number, sort: "nobody" }) });
    const { storage, migrate } = openStorage({ url: await databases.prepared(), resources: [named] });
    await migrate.latest();
    await storage.resources.insert(user, userRow(1));
    const letter = fc.constantFrom(..."aAeoqsK\u212a\u00e9\u00c9\u1ec5\uac00\u11a8\u0958\u03a9\u2126%_[");
    const mark = fc.constantFrom("\u0301", "\u0308", "\u0323", "\u0307", "");
    const words = fc
      .array(fc.tuple(letter, mark, mark), { minLength: 1, maxLength: 3 })
      .map((parts) => parts.flat().join(""));
    const form = fc.constantFrom("NFC", "NFD", "given" as const);
    const written = fc.tuple(words, form).map(([word, which]) => (which === "given" ? word : word.normalize(which)));
    const folded = (word: string): string =>
      word.normalize("NFC").replaceAll(/[A-Z]/g, (capital) => capital.toLowerCase());
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(written, { minLength: 2, maxLength: 6 }), written, async (given, asked) => {
        const forms = (value: string) => [value.normalize("NFD"), value.normalize("NFC")];
        const texts = [...given, ...forms(given[0] ?? "")];
        await storage.resources.deleteWhere(named, all, { all: [] });
        const stored: [string, string][] = [];
        for (const [n, value] of texts.entries()) {
          const isTaken = stored.some(([, other]) => other.normalize("NFC") === value.normalize("NFC"));
          const { amount: _none, ...bare } = row(n + 1);
          const insert = storage.resources.insert(named, { ...bare, number: value, code: value });
          if (isTaken) await expect(insert).rejects.toMatchObject({ code: "conflict" });
          else await insert;
          if (!isTaken) stored.push([idNumber(n + 1), value]);
        }
        const order = [{ field: "id", direction: "asc" }] as const;
        for (const question of [asked, ...texts.slice(0, 2).flatMap(forms)]) {
          const same = (other: string): boolean => other.normalize("NFC") === question.normalize("NFC");
          const cases = [
            [{ field: "number", op: "eq", value: question }, same],
            [{ field: "number", in: [question] }, same],
            [{ field: "number", op: "ne", value: question }, (other: string) => !same(other)],
            [{ field: "number", notIn: [question] }, (other: string) => !same(other)],
            [
              { field: "number", op: "contains", value: question },
              (other: string) => folded(other).includes(folded(question)),
            ],
            [
              { field: "number", op: "starts_with", value: question },
              (other: string) => folded(other).startsWith(folded(question)),
            ],
          ] as const;
          for (const [where, holds] of cases) {
            const found = await storage.resources.list(named, { scope: all, where, order, limit: 99, fields: ["id"] });
            const expected = stored.flatMap(([id, value]) => (holds(value) ? [id] : []));
            expect(
              found.map(({ id }) => id),
              JSON.stringify(where),
            ).toEqual(expected);
          }
        }
      }),
      { numRuns: databases.name === "SQLite" ? 30 : 15 },
    );
  });
});
