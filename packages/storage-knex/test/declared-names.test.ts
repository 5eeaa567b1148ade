import { type Resource, reference, text } from "@postern/core";
import { expect, test } from "vitest";
import { onEachDatabase, openStorage } from "./databases.ts";
import { number, resource, tablesOn } from "./declared-scene.ts";

const title = text(20, { filter: "everyone", sort: "everyone", description: "A title." });
const toUser = reference("user", { onDelete: "cascade", as: "other", description: "Another user." });

const called = (name: string, fields: Resource["fields"], changes: Partial<Resource> = {}): Resource =>
  resource(fields, { name, plural: name.replaceAll("_", "-"), ...changes });

onEachDatabase("names that are made from those of a declaration", (databases) => {
  const { migrated } = tablesOn(databases);

  test("differ for two tables whose names and columns are the same when they are joined", async () => {
    const url = databases.url();
    await migrated(url, called("a", { b_c: toUser, b_c_d: title }), called("a_b", { c: toUser, c_d: title }));
    const again = openStorage({ url, resources: [] });
    expect(await again.migrate.latest()).toEqual([]);
  });

  test("differ for two indexes of one table, and for the table of a change", async () => {
    const fields = { a: title, b_c: title, a_b: title, c: title, user_id_a: toUser, by_a: toUser };
    const lists = [
      ["a", "b_c"],
      ["a_b", "c"],
    ] as const;
    const url = databases.url();
    const things = called("things", fields, { lists });
    const others = [called("things_new", { a: title }), called("things_by", { a: title })];
    await migrated(url, things, ...others);
    expect((await migrated(url, things, ...others)).taken).toEqual([]);
    const longer = { ...fields, a: text(200, { filter: "everyone", sort: "everyone", description: "A title." }) };
    await migrated(url, called("things", longer, { lists }), ...others);
  });

  test("differ from those that a table has from before", async () => {
    const fields = { a: title, b_c: title, a_b: title, c: title };
    const url = databases.url();
    await migrated(url, called("things", fields, { lists: [["a", "b_c"]] }));
    const changed = called("things", fields, { lists: [["a_b", "c"]] });
    expect((await migrated(url, changed)).taken).toEqual([
      "things: index user_id, a_b, c, id",
      "things: index a_b, c, id",
    ]);
    expect((await migrated(url, changed)).taken).toEqual([]);
  });

  test("may have thirty letters each", async () => {
    const long = (letter: string): string => letter.repeat(30);
    const fields = {
      [long("f")]: toUser,
      [long("g")]: title,
      [long("h")]: { ...number, unique: true },
      [`${long("f").slice(1)}x`]: title,
    };
    const { taken } = await migrated(databases.url(), called(long("t"), fields, { lists: [[long("g"), long("h")]] }));
    expect(taken).toContain(`${long("t")}: create`);
  });
});
