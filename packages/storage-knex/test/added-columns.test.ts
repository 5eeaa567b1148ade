import { user, userWith } from "@postern/app";
import { allRows, choice, type Field, integer, nullable, text } from "@postern/core";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { MigrationRefused } from "../src/index.ts";
import { onEachDatabase, openStorage } from "./databases.ts";
import { structureOf } from "./declared-scene.ts";

const all = allRows("test");
const handle = (length: number): Field => nullable(text(length, { unique: true, description: "A short name." }));
const credit = integer({ default: 5, sort: "everyone", description: "What they may order." });
const tier = choice(["free", "it's paid"], { default: "free", description: "What they pay for." });
const member = userWith({ fields: { handle: handle(30), credit, tier }, without: ["phone", "preferences"] });
const added = [
  "users: add handle",
  "users: add credit",
  "users: add tier",
  "users: index handle, unique",
  "users: index credit, id",
];

onEachDatabase("columns of fields that an application adds to users", (databases) => {
  const migrated = async (url: string, one = member) => {
    const opened = openStorage({ url, resources: [one] });
    return { ...opened, taken: await opened.migrate.latest() };
  };

  test("are made beside the rows that are there, and found to fit afterwards", async () => {
    const url = await databases.prepared();
    const before = openStorage({ url });
    await before.storage.resources.insert(user, { ...userRow(1), phone: "1" });
    await before.close();
    const { taken, storage, migrate, close } = await migrated(url);
    expect(taken).toEqual(added);
    await storage.check();
    expect((await migrate.tables()).declared).toEqual([{ resource: "user", table: "users", pending: [] }]);
    const { resources } = storage;
    expect(await resources.find(member, idNumber(1), all)).toMatchObject({
      handle: null,
      credit: 5,
      tier: "free",
      phone: "1",
    });
    const own = { handle: "ada", credit: 9, tier: "it's paid" };
    await resources.insert(member, { ...userRow(2), ...own });
    await resources.insert(member, { ...userRow(3), ...own, handle: null });
    expect(await resources.find(member, idNumber(2), all)).toMatchObject(own);
    await expect(resources.update(member, { id: idNumber(3), scope: all }, { handle: "ada" })).rejects.toMatchObject({
      code: "conflict",
      faults: [{ pointer: "/handle" }],
    });
    await close();
    const again = await migrated(url);
    expect(again.taken).toEqual([]);
    expect(await again.migrate.plan()).toEqual({ changes: [], refused: [] });
    await again.close();
  });

  test("are planned for a new database, and make it as they make an older one", async () => {
    const older = await databases.prepared();
    await (await migrated(older)).close();
    const url = databases.url();
    const planned = openStorage({ url, resources: [member] });
    const { changes, refused } = await planned.migrate.plan();
    expect([changes.map(({ name }) => name).filter((name) => name.startsWith("users: ")), refused]).toEqual([
      added,
      [],
    ]);
    expect((await planned.migrate.latest()).filter((name) => name.startsWith("users: "))).toEqual(added);
    await planned.close();
    expect(await structureOf(databases, url)).toEqual(await structureOf(databases, older));
  });

  test("become wider with their field, and the accounts and their unique addresses stay", async () => {
    const url = await databases.prepared();
    const first = await migrated(url);
    await first.storage.resources.insert(member, { ...userRow(1), handle: "ada", credit: 1, tier: "free" });
    await first.close();
    const wider = userWith({ fields: { handle: handle(200), credit, tier } });
    const { storage, close } = await migrated(url, wider);
    const { resources } = storage;
    await resources.update(wider, { id: idNumber(1), scope: all }, { handle: "a".repeat(200) });
    expect(await resources.find(wider, idNumber(1), all)).toMatchObject({ credit: 1, email: userRow(1).email });
    const twin = { ...userRow(2), email: userRow(1).email ?? "", handle: null, credit: 1, tier: "free" };
    await expect(resources.insert(wider, twin)).rejects.toMatchObject({ faults: [{ pointer: "/email" }] });
    await close();
  });

  test.each([
    ["some of them", userWith({ fields: { credit, tier } })],
    ["all of them", user],
  ])("are kept until a person says that their values can go, when %s are taken out", async (_what, fewer) => {
    const url = await databases.prepared();
    await (await migrated(url)).close();
    const { migrate, close } = openStorage({ url, resources: [fewer] });
    const thrown = await migrate.latest().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MigrationRefused);
    expect(String(thrown)).toContain('users: the column "handle" is not declared (any more)');
    await migrate.runByHand();
    expect(await migrate.latest()).toEqual([]);
    expect(await migrate.plan()).toEqual({ changes: [], refused: [] });
    await close();
  });
});
