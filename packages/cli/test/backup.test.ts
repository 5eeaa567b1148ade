import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { create, directory, environment, postern, runIn, serve } from "./command-line.ts";

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
  const told = await runIn({ directory, environment: environment(), isTTY: true }, ["backup", "told.db"]);
  expect([told.code, told.err]).toEqual([0, expect.stringMatching(/backing up: \d+ s, \d+\.\d MiB written/)]);

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
  const other = await postern(["backup", "copy.db"], { variables: { DATABASE_URL: "oracle://x/y" } });
  expect([other.code, other.err]).toEqual([2, expect.stringContaining("DATABASE_URL")]);
});

test("a backup on a server says why there is none", async () => {
  const key = Buffer.alloc(32).toString("base64");
  const on = (url: string) => ({ variables: { DATABASE_URL: url, POSTERN_SECRET_KEY: key } });
  const pooled = await postern(["backup", "copy.dump"], on("postgres://u:pw@127.0.0.1:1/shop?pooler=transaction"));
  expect([pooled.code, pooled.out]).toEqual([9, ""]);
  expect(pooled.err).toMatch(/^The URL leads through a pooler\. Name the server itself/);
  const away = await postern(["backup", "copy.dump"], on("postgres://u:pw@127.0.0.1:1/shop"));
  // Nothing was run.
  expect([away.code, away.out]).toEqual([5, ""]);
  expect(away.err).toMatch(/^The database is not available .*nothing listens there.*DATABASE_URL/);
});
