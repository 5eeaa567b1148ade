import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allParts, resourcesOfParts } from "@postern/app";
import { afterEach, expect, test, vi } from "vitest";
import { sqliteDriverNames } from "../src/engine/driver-names.ts";
import { mayPass } from "../src/engine/translate-error.ts";
import { createKnexStorage } from "../src/index.ts";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { explained } from "../src/sqlite/place-fault.ts";

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "postern-held-"));
  folders.push(folder);
  return folder;
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const installed: string[] = [];
for (const name of sqliteDriverNames) {
  await loadDriver(name).then(
    () => installed.push(name),
    () => undefined,
  );
}

/** Opens a storage whose lines are collected. */
const opened = (url: string) => {
  const told: string[] = [];
  const telemetry = {
    count: () => undefined,
    gauge: () => undefined,
    observe: () => undefined,
    log: (_level: string, text: string) => void told.push(text),
  };
  return { told, ...createKnexStorage({ url, telemetry, resources: resourcesOfParts(allParts) }) };
};

test.each(installed)(
  "with %s, a migration waits while another process holds the lock of the file, and says so",
  {
    timeout: 30_000,
  },
  async (driver) => {
    const file = join(newFolder(), "test.db");
    const first = opened(`sqlite:${file}?driver=${driver}`);
    await first.migrate.latest();
    await first.close();
    const holder = await (await loadDriver(undefined)).open(file, { create: false });
    await holder.run("BEGIN EXCLUSIVE");
    const { told, migrate, close } = opened(`sqlite:${file}?driver=${driver}`);
    let isDone = false;
    const migrated = migrate.latest().finally(() => {
      isDone = true;
    });
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(2), { timeout: 15_000 });
    expect(told[0]).toBe(`waiting for another process, which holds the lock of ${file}`);
    expect(isDone).toBe(false);
    await holder.run("ROLLBACK");
    expect(await migrated).toEqual([]);
    await holder.close();
    await close();
  },
);

test("a migration waits while another one runs, and says so", { timeout: 30_000 }, async () => {
  const file = join(newFolder(), "test.db");
  writeFileSync(`${file}.migrating`, "");
  const holder = await (await loadDriver(undefined)).open(`${file}.migrating`, { create: false });
  await holder.run("BEGIN EXCLUSIVE");
  const { told, migrate, close } = opened(`sqlite:${file}`);
  const migrated = migrate.latest();
  await vi.waitFor(() => expect(told).toContain("waiting for another process, which migrates the database"), {
    timeout: 15_000,
  });
  await holder.close();
  expect((await migrated).length).toBeGreaterThan(0);
  await close();
});

test("where every lock is refused, as on a file system without locks, a migration says so at once", async () => {
  const file = join(newFolder(), "test.db");
  const driver = await loadDriver(undefined);
  // SQLite has one answer for a lock that others have and for one that the file system refuses.
  const held = [`${file}.migrating`, `${file}.locks-${process.pid}`];
  const holders = await Promise.all(held.map((path) => driver.open(path, { create: true })));
  for (const holder of holders) await holder.run("BEGIN EXCLUSIVE");
  const { told, migrate, close } = opened(`sqlite:${file}`);
  const failed = await migrate.latest().catch((thrown: unknown) => thrown);
  expect(failed).toMatchObject({
    code: "unavailable",
    cause: { message: expect.stringMatching(/the file system of .* takes no locks \(ENOLCK\).*local disk/) },
  });
  expect(mayPass(failed)).toBe(false);
  expect(told).toEqual([]);
  for (const holder of holders) await holder.close();
  await close();
});

/** Takes the right to write into a folder away, and gives it back. Modes do not keep root out. */
const readOnly = (folder: string): (() => void) => {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return () => chmodSync(folder, 0o700);
  }
  execFileSync("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", folder], { stdio: "ignore" });
  return () => void execFileSync("umount", [folder]);
};

const takesRights = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "postern-read-only-"));
  try {
    readOnly(folder)();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test("a file that cannot be used is told by what is wrong with it", async () => {
  const folder = newFolder();
  mkdirSync(join(folder, "a-folder"));
  const { migrate, close } = opened(`sqlite:${join(folder, "a-folder")}`);
  const failed = await migrate.latest().catch((thrown: unknown) => thrown);
  await close();
  expect(failed).toMatchObject({
    code: "unavailable",
    cause: { message: expect.stringContaining("is a folder: name a file in it") },
  });
  expect(mayPass(failed)).toBe(false);
});

test.skipIf(!takesRights())("a folder that cannot be written is named", async () => {
  const folder = newFolder();
  const giveBack = readOnly(folder);
  try {
    const { migrate, close } = opened(`sqlite:${join(folder, "test.db")}`);
    const failed = await migrate.latest().catch((thrown: unknown) => thrown);
    await close();
    expect(failed).toMatchObject({
      code: "unavailable",
      cause: { message: expect.stringMatching(/the folder .* cannot be written \(E(?:ROFS|ACCES)\)/) },
    });
  } finally {
    giveBack();
  }
});

test("an error that the file system does not explain stays as it is", () => {
  const file = join(newFolder(), "test.db");
  const locked = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  const broken = Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
  expect(explained(locked, file)).toBe(locked);
  expect(explained(broken, file)).toBe(broken);
});
