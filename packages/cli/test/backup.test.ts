import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { create, directory, postern, serve } from "./command-line.ts";

test("backup names the copy and the key; restore refuses while a server runs, and replaces only when told", async () => {
  const server = await serve();
  await create("ada@example.com");
  const made = await postern(["backup", "copy.db"]);
  expect([made.code, made.err]).toEqual([0, ""]);
  expect(made.out).toMatch(/^Backed up to .*copy\.db, and checked: \d+\.\d MiB, users 1, events 0, jobs \d+\.\n/);
  expect(made.out).toContain(`keep a copy of ${join(directory, "data/postern.key")} in another place`);
  expect(await postern(["backup", "copy.db"])).toMatchObject({ code: 7, out: "" });
  expect(JSON.parse((await postern(["backup", "copy.db", "--replace", "--json"])).out)).toMatchObject({
    file: join(directory, "copy.db"),
    rows: { users: 1 },
  });

  const running = await postern(["restore", "copy.db", "--replace"]);
  expect([running.code, running.out]).toEqual([1, ""]);
  expect(running.err).toMatch(/^A process uses .*stop Postern first/);
  await server.stop();

  await create("bob@example.com");
  const unsure = await postern(["restore", "copy.db"]);
  expect([unsure.code, unsure.err]).toEqual([7, expect.stringContaining("say --replace to replace it")]);
  const restored = await postern(["restore", "copy.db", "--replace"]);
  expect([restored.code, restored.err]).toEqual([0, ""]);
  expect(restored.out).toContain("The former database is ");
  expect(restored.out).toContain(`put the secret key of that backup in ${join(directory, "data/postern.key")}`);
  const users = JSON.parse((await postern(["users", "list", "--json"])).out);
  expect(users.items).toHaveLength(1);
});

test("backup and restore say what is wrong, each with its exit code", async () => {
  expect(await postern(["backup", "copy.db"])).toMatchObject({ code: 3 });
  // Neither of them makes a database or a key.
  expect(existsSync(join(directory, "data"))).toBe(false);
  expect(await postern(["restore", "copy.db"])).toMatchObject({ code: 3 });
  writeFileSync(join(directory, "copy.db"), "not a database ".repeat(100));
  expect(await postern(["restore", "copy.db"])).toMatchObject({ code: 8 });
  const variables = {
    DATABASE_URL: "mysql://root@127.0.0.1/shop",
    POSTERN_SECRET_KEY: Buffer.alloc(32).toString("base64"),
  };
  const other = await postern(["backup", "copy.db"], { variables });
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("mysqldump --single-transaction shop")]);
});
