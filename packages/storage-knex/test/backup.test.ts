import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { user } from "@postern/app";
import { idNumber, userRow } from "@postern/core/testing";
import { expect, test } from "vitest";
import { backUp, restore } from "../src/index.ts";
import { refusalOf } from "./backup-refusal.ts";
import { fileOf, openStorage, sqlite } from "./databases.ts";

const all = { where: { all: [] }, reason: "test" };
const byId = [{ field: "id", direction: "asc" }] as const;

test("a backup ends while writes go on, and it holds one whole moment", async () => {
  const opened = await sqlite.fresh();
  const url = sqlite.urlOf(opened);
  const target = join(dirname(fileOf(url)), "backup.db");
  let stored = 0;
  let isOver = false;
  const insertPair = async (): Promise<void> => {
    const n = stored + 1;
    stored += 2;
    await opened.storage.transaction(async ({ resources }) => {
      await resources.insert(user, userRow(n));
      await resources.insert(user, userRow(n + 1));
    });
  };
  const writers = Array.from({ length: 4 }, async () => {
    while (!isOver) await insertPair();
  });
  while (stored < 400) await insertPair();
  const before = stored;
  const facts = await backUp(url, target);
  isOver = true;
  await Promise.all(writers);

  expect(facts).toMatchObject({ file: target, bytes: statSync(target).size });
  // Pairs were stored together, so no half of one is there.
  expect((facts.rows.users ?? 0) % 2).toBe(0);
  expect(facts.rows.users).toBeGreaterThanOrEqual(before - 8);
  expect(stored).toBeGreaterThan(before);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(target)).filter((name) => name.startsWith("backup"))).toEqual(["backup.db"]);

  const other = sqlite.url();
  expect(await restore(other, target)).toMatchObject({ file: fileOf(other), former: undefined, rows: facts.rows });
  expect(statSync(fileOf(other)).mode & 0o777).toBe(0o600);
  const { storage } = openStorage({ url: other });
  await storage.check();
  const rows = await storage.resources.list(user, { scope: all, order: byId, limit: 2 });
  expect(rows.map(({ id }) => id)).toEqual([idNumber(1), idNumber(2)]);
});

test("a backup is refused where it would do harm", async () => {
  const opened = await sqlite.fresh();
  const url = sqlite.urlOf(opened);
  const folder = dirname(fileOf(url));
  const target = join(folder, "backup.db");
  writeFileSync(target, "something else");
  expect(await refusalOf(backUp(url, target))).toMatch(/^exists: .*backup\.db exists already/);
  expect(readFileSync(target, "utf8")).toBe("something else");
  await backUp(url, target, { replace: true });
  expect(await refusalOf(backUp(url, fileOf(url), { replace: true }))).toMatch(/^in_use: .*the database itself/);
  expect(await refusalOf(backUp(url, join(folder, "no", "backup.db")))).toMatch(/^not_found: there is no folder/);
  expect(await refusalOf(backUp(sqlite.url(), target))).toMatch(/^not_found: there is no database/);
});

test("a restore is refused while a process uses the database, and without replace where one is", async () => {
  const first = await sqlite.fresh();
  const url = sqlite.urlOf(first);
  const file = fileOf(url);
  const backup = join(dirname(file), "backup.db");
  await first.storage.resources.insert(user, userRow(1));
  await backUp(url, backup);
  await first.storage.resources.insert(user, userRow(2));
  // SQLite's locks are those of a process, so another process must ask.
  const script = `import { restore } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
    await restore(...${JSON.stringify([url, backup, { replace: true }])}).catch(({ reason }) => console.log(reason));`;
  const tsx = ["--conditions=@postern/source", "--import", "tsx", "--input-type=module"];
  expect(execFileSync(process.execPath, [...tsx, "-e", script], { encoding: "utf8" })).toBe("in_use\n");
  await first.close();

  expect(await refusalOf(restore(url, backup))).toMatch(/^exists: .*nothing was changed/);
  const { former, rows } = await restore(url, backup, { replace: true });
  expect([former, rows.users]).toEqual([`${file}.before-restore`, 1]);
  const kept = openStorage({ url: `sqlite:${former}` });
  expect(await kept.storage.resources.list(user, { scope: all, order: byId, limit: 5 })).toHaveLength(2);
});

test("a restore takes nothing that is damaged, and leaves what is there as it was", async () => {
  const first = await sqlite.fresh();
  const url = sqlite.urlOf(first);
  await first.storage.resources.insert(user, userRow(1));
  await first.close();
  const file = fileOf(url);
  const before = readFileSync(file);
  const bad = join(dirname(file), "bad.db");
  const half = readFileSync(file);
  half.fill(0x55, 4096 * 3, 4096 * 8);
  for (const [content, said] of [
    [Buffer.from("this is a text file ".repeat(300)), "no SQLite database"],
    [half, "damaged"],
    [readFileSync(file).subarray(0, 20_000), "damaged"],
  ] as const) {
    writeFileSync(bad, content);
    expect(await refusalOf(restore(url, bad, { replace: true }))).toMatch(new RegExp(`^damaged: .*${said}`, "s"));
  }
  copyFileSync(file, bad);
  writeFileSync(`${bad}-wal`, "frames");
  expect(await refusalOf(restore(url, bad, { replace: true }))).toMatch(/write-ahead log beside it/);
  expect(await refusalOf(restore(url, join(dirname(file), "none.db")))).toMatch(/^not_found: /);
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(existsSync(`${file}.before-restore`)).toBe(false);
});

test("a log that is left of a removed database does not get into the restored one", async () => {
  const first = await sqlite.fresh();
  const url = sqlite.urlOf(first);
  const file = fileOf(url);
  const backup = join(dirname(file), "backup.db");
  await backUp(url, backup);
  await first.storage.resources.insert(user, userRow(1));
  const target = sqlite.url();
  copyFileSync(`${file}-wal`, `${fileOf(target)}-wal`);
  await restore(target, backup);
  expect(existsSync(`${fileOf(target)}-wal`)).toBe(false);
  const { storage } = openStorage({ url: target });
  expect(await storage.resources.list(user, { scope: all, order: byId, limit: 5 })).toEqual([]);
});
