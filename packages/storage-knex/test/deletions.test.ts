import { user } from "@postern/app";
import {
  allRows,
  defineResource,
  integer,
  nullable,
  ownedBy,
  type Resource,
  type Row,
  reference,
  text,
} from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage, withKnex } from "./databases.ts";

const all = allRows("test");
const access = { read: ownedBy("user_id"), update: ownedBy("user_id"), delete: ownedBy("user_id") };
const owner = () => reference("user", { onDelete: "cascade", description: "Whose it is." });

const shelf = defineResource({
  name: "shelf",
  plural: "shelves",
  description: "A shelf.",
  fields: {
    user_id: owner(),
    label: text(8, { unique: true, description: "A label." }),
    number: integer({ min: 0, max: 1_000_000, unique: true, description: "A number." }),
    code: nullable(text(20, { unique: true, description: "A code." })),
  },
  owner: "user_id",
  access,
});
const book = defineResource({
  name: "book",
  plural: "books",
  description: "A book.",
  fields: { user_id: owner(), shelf_id: reference("shelf", { onDelete: "cascade", description: "Its shelf." }) },
  owner: "user_id",
  parent: { resource: "shelf", field: "shelf_id", createRequires: "update" },
  access,
});
const page = defineResource({
  name: "page",
  plural: "pages",
  description: "A page.",
  fields: { user_id: owner(), book_id: reference("book", { onDelete: "cascade", description: "Its book." }) },
  owner: "user_id",
  parent: { resource: "book", field: "book_id", createRequires: "update" },
  access,
});

const moment = "2026-01-02T03:04:05.678Z";
const row = (n: number, by: number, fields: Row): Row => ({
  id: idNumber(n),
  user_id: idNumber(by),
  created_at: moment,
  updated_at: moment,
  ...fields,
});

onEachDatabase("deletions of many rows", (databases) => {
  /** The second user has a book with 700 pages on a shelf of the first one. */
  const library = async () => {
    const opened = await databases.fresh({ resources: [shelf, book, page], durability: "relaxed" });
    await opened.migrate.latest();
    await opened.storage.transaction(async ({ resources }) => {
      for (const n of [1, 2]) await resources.insert(user, userRow(n));
      await resources.insert(shelf, row(10, 1, { label: "A", number: 1, code: "x" }));
      await resources.insert(shelf, row(11, 2, { label: "B", number: 2, code: null }));
      for (const n of [20, 21]) await resources.insert(book, row(n, 2, { shelf_id: idNumber(n === 20 ? 10 : 11) }));
      await resources.insert(page, row(1000, 2, { book_id: idNumber(20) }));
      await resources.insert(page, row(30, 1, { book_id: idNumber(21) }));
    });
    await withKnex(databases.urlOf(opened), async (db) => {
      const first = await db("pages")
        .where({ id: idNumber(1000) })
        .first();
      const others = Array.from({ length: 699 }, (_, n) => ({ ...first, id: idNumber(1001 + n) }));
      await db.batchInsert("pages", others, 50);
    });
    return opened;
  };
  const count = async ({ storage }: Awaited<ReturnType<typeof library>>, resource: Resource) =>
    storage.resources.count(resource, { scope: all }, 10_000);

  test("delete rows of other users below the deleted ones, too, and are finished by another process", async () => {
    const opened = await library();
    const { resources } = opened.storage;
    expect(await resources.delete(shelf, idNumber(10), all)).toBe("done");
    expect([await count(opened, shelf), await count(opened, book), await count(opened, page)]).toEqual([1, 1, 1]);
    expect(await resources.find(page, idNumber(1000), all)).toBeUndefined();
    expect((await resources.find(page, idNumber(30), all))?.id).toBe(idNumber(30));
    expect(await opened.storage.housekeeping.unfinishedDeletions(10_000)).toEqual({ deletions: 1, rows: 702 });
    expect(await opened.storage.housekeeping.unfinishedDeletions(300)).toEqual({ deletions: 1, rows: 300 });
    expect(await opened.storage.housekeeping.finishDeletions(500)).toBe(500);
    expect((await opened.storage.housekeeping.unfinishedDeletions(10_000)).rows).toBe(202);

    const other = openStorage({ url: databases.urlOf(opened), resources: [shelf, book, page] });
    expect(await other.storage.housekeeping.finishDeletions(500)).toBe(202);
    expect(await other.storage.housekeeping.finishDeletions(500)).toBe(0);
    expect(await other.storage.housekeeping.unfinishedDeletions(10_000)).toEqual({ deletions: 0, rows: 0 });
    expect([await count(opened, shelf), await count(opened, book), await count(opened, page)]).toEqual([1, 1, 1]);
  });

  test("free every unique value at once, of whatever kind", async () => {
    const { storage } = await library();
    const { resources, housekeeping } = storage;
    expect(await resources.delete(shelf, idNumber(10), all)).toBe("done");
    await resources.insert(shelf, row(12, 2, { label: "A", number: 1, code: "x" }));
    expect(await resources.find(shelf, idNumber(12), all)).toMatchObject({ label: "A", number: 1, code: "x" });
    await expect(resources.insert(shelf, row(13, 2, { label: "A", number: 3, code: null }))).rejects.toMatchObject({
      code: "conflict",
    });
    while ((await housekeeping.finishDeletions(500)) > 0);
    expect((await resources.find(shelf, idNumber(12), all))?.label).toBe("A");
  });

  test("refuse new rows below a deleted one, whichever reference leads there", async () => {
    const opened = await library();
    const { storage } = opened;
    expect(await storage.resources.delete(shelf, idNumber(10), all)).toBe("done");
    let runs = 0;
    const insert = (resource: Resource, fields: Row) =>
      storage
        .transaction(async ({ resources }) => {
          runs += 1;
          await resources.insert(resource, row(4000 + runs, 1, fields));
        })
        .then(
          () => "stored",
          ({ code }) => code,
        );
    const elsewhere = [insert(book, { shelf_id: idNumber(11) }), insert(page, { book_id: idNumber(21) })];
    const below = [insert(book, { shelf_id: idNumber(10) }), insert(page, { book_id: idNumber(20) })];
    expect(await Promise.all([...elsewhere, ...below])).toEqual(["stored", "stored", "not_found", "not_found"]);
    // SQLite's statement refuses the row itself, so nothing has to be rolled back.
    if (databases.urlOf(opened).startsWith("sqlite:")) expect(runs).toBe(4);
    while ((await storage.housekeeping.finishDeletions(500)) > 0);
  });

  test("leave no row below a deleted one when they race with writers", async () => {
    const opened = await library();
    const { resources, housekeeping } = opened.storage;
    const writes = Array.from({ length: 40 }, (_, n) =>
      resources.insert(page, row(3000 + n, 1, { book_id: idNumber(20) })).then(
        () => "stored",
        ({ code }) => code,
      ),
    );
    const deleted = resources.delete(book, idNumber(20), all);
    const outcomes = new Set(await Promise.all(writes));
    expect(await deleted).toBe("done");
    for (const outcome of outcomes) expect(["stored", "not_found"]).toContain(outcome);
    expect(await count(opened, page)).toBe(1);
    while ((await housekeeping.finishDeletions(500)) > 0);
    expect(await count(opened, page)).toBe(1);
  });
});
