import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { comment, post, user } from "@postern/app";
import { idNumber, newEvent } from "@postern/core/testing";
import { afterAll, describe, expect, test } from "vitest";
import { restore } from "../src/index.ts";
import { findTable } from "../src/schema/declared/found-table.ts";
import { firstSchema } from "../src/schema/migrations/first-schema.ts";
import { migrations } from "../src/schema/migrations/index.ts";
import { placeOf } from "../src/tools/copy/connection.ts";
import { tablesIn } from "../src/tools/copy/tables.ts";
import {
  fileOf,
  mariadb,
  onMariadb,
  onPostgres,
  openStorage,
  postgres,
  sqlite,
  type TestDatabases,
} from "./databases.ts";
import { laterVersion } from "./later-step.ts";
import { program } from "./program.ts";
import { fillSchema, now } from "./schema-rows.ts";

/** Databases as older versions left them: `test/schemas/README.md`. */
const folder = fileURLToPath(new URL("../../../test/schemas/", import.meta.url));
const fixtures = readdirSync(folder).filter((name) => name.endsWith(".gz"));
const directory = mkdtempSync(join(tmpdir(), "postern-schemas-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const slow = { timeout: 60_000 };

/** A database of that schema, which nothing has opened yet. */
const opened = async (databases: TestDatabases, fixture: string): Promise<string> => {
  const url = databases.url();
  const content = readFileSync(join(folder, fixture));
  if (databases === sqlite) {
    writeFileSync(fileOf(url), gunzipSync(content));
    return url;
  }
  const file = join(directory, fixture);
  // PostgreSQL's own files are compressed only here.
  writeFileSync(file, databases === postgres ? gunzipSync(content) : content);
  await restore(url, file, { verify: false });
  return url;
};

/** The columns and indexes of each table. */
const shapeOf = (url: string): Promise<Readonly<Record<string, readonly string[]>>> =>
  placeOf(url).look(async (connection) => {
    if (connection === undefined) throw new Error("there is no database");
    const shape: Record<string, readonly string[]> = {};
    for (const table of await tablesIn(connection)) {
      const found = await findTable(connection.knex, connection.types, table);
      const indexes = found?.indexes.map(({ name }) => `index ${name}`) ?? [];
      shape[table] = [...(found?.columns.keys() ?? []), ...indexes].toSorted();
    }
    return shape;
  });

/** Carries a database on to today, and reads back what the older version has stored. */
const carryOn = async (url: string): Promise<void> => {
  const { storage, migrate, close } = openStorage({ url });
  await migrate.latest();
  expect(await migrate.latest()).toEqual([]);
  await storage.check();

  const all = { where: { all: [] }, reason: "test" } as const;
  const listed = (resource: typeof user | typeof post | typeof comment) =>
    storage.resources.list(resource, { scope: all, order: [{ field: "id", direction: "asc" }], limit: 9 });
  expect(await listed(user)).toEqual([
    expect.objectContaining({ id: idNumber(1), name: "Zoë 👩‍🚀", preferences: { theme: "dark" }, role: "user" }),
    expect.objectContaining({
      id: idNumber(2),
      subscription: { status: "none", since: null },
      name: "User 2",
      email: "user2@example.com",
      role: "admin",
    }),
  ]);
  expect(await listed(post)).toEqual([expect.objectContaining({ user_id: idNumber(1), title: "ü\n\ttab '\"\\ " })]);
  expect(await listed(comment)).toEqual([expect.objectContaining({ post_id: idNumber(3), body: "Comment 4" })]);

  const events = await storage.events.list({ limit: 99 });
  expect(Object.fromEntries(events.map(({ eventId, state }) => [eventId, state]))).toEqual({
    evt_done: "processed",
    evt_dead: "dead",
    evt_ignored: "ignored",
    evt_quarantined: "quarantined",
    evt_running: "processing",
    evt_ready: "received",
    evt_later: "received",
  });
  const first = await storage.events.find(events.at(-1)?.id ?? 0);
  expect(Buffer.from(first?.body ?? [])).toEqual(Buffer.from([0, 1, 255, 39, 92, 10]));
  const again = await storage.events.accept(["evt_done", "evt_ignored", "evt_new"].map((key) => newEvent(key)));
  expect(again.map(({ outcome }) => outcome)).toEqual(["duplicate", "duplicate", "accepted"]);

  const [runner, ...others] = await storage.runners.live();
  expect([runner?.name, others]).toEqual(["first", []]);
  const policy = { now, maxLosses: 3, suspectLosses: 2, delayMs: () => 0 };
  expect(await storage.runners.recover(runner?.id ?? 0, policy)).toEqual({ recovered: 1, dead: [] });
  expect(await storage.jobs.promoteDue(now + 60_000)).toBe(2);
  const runnerId = await storage.runners.register({ name: "second", kinds: ["log", "mail"] }, now);
  const claim = (queue: string) => storage.jobs.claim({ runnerId, queue, limit: 9, now: now + 60_000 });
  const done = (jobs: Awaited<ReturnType<typeof claim>>) =>
    storage.jobs.finish(
      jobs.map((job) => ({ job, end: { to: "done" } as const })),
      now + 60_001,
    );
  expect((await claim("default")).map(({ kind }) => kind)).toEqual(["log", "log", "log", "log"]);
  expect(await claim("mails")).toEqual([expect.objectContaining({ kind: "mail", payload: { to: "ü" } })]);
  const one = await claim("lanes");
  await done(one);
  expect([one.length, (await claim("lanes")).length]).toEqual([1, 1]);
  expect(await storage.jobRecords.countByState()).toMatchObject({ ready: 0, scheduled: 0, blocked: 0, dead: 1 });

  const [entry] = await storage.audit.list({ limit: 9 });
  expect(entry).toMatchObject({ actor: { kind: "user", id: idNumber(1) }, action: "createPost", fields: ["title"] });
  expect(await storage.answers.find("key-1", now)).toMatchObject({ sealed: "answer 1" });
  await close();
};

const statementsOf = async (url: string, statements: number): Promise<string | number | null> => {
  const child = spawn(process.execPath, [program("migrate-and-die"), url, String(statements)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
};

const promises = (databases: TestDatabases, kills: readonly number[]): void => {
  const own = fixtures.filter((name) => name.includes(`.${databases.name.toLowerCase()}.`));

  test.each(own)("%s is opened and carried on", slow, async (fixture) => {
    const url = await opened(databases, fixture);
    await carryOn(url);
    expect(await shapeOf(url)).toEqual(await shapeOf(databases.urlOf(await databases.fresh())));
  });

  // The whole form kills at each statement, so `.ci/long` asks for it.
  test("the oldest one is carried on to a later version after a kill", { timeout: 24 * 3_600_000 }, async () => {
    const [oldest = ""] = own;
    const isWhole = process.env.POSTERN_TEST_LONG === "1";
    let ended: string | number | null = "SIGKILL";
    for (let n = 0; isWhole ? ended === "SIGKILL" : n < kills.length; n += 1) {
      const url = await opened(databases, oldest);
      ended = await statementsOf(url, isWhole ? n : (kills[n] ?? 0));
      if (!isWhole) expect(ended).toBe("SIGKILL");
      await laterVersion(url).latest();
      await carryOn(url);
    }
  });
};

describe("a database of an older schema on SQLite", () => promises(sqlite, [41, 44]));
onMariadb("a database of an older schema", () => promises(mariadb, [32, 45]));
onPostgres("a database of an older schema", () => promises(postgres, [34]));

test("the present schema gives back the rows of a fixture, so that the next one can be made", async () => {
  const url = sqlite.url();
  await fillSchema(url);
  await carryOn(url);
});

test("the fixtures begin with the first schema, and none is of a later one than there is", () => {
  const newest = Number.parseInt(migrations.at(-1)?.name ?? "", 10);
  const numbers = fixtures.map((name) => Number.parseInt(name, 10));
  expect([Math.min(...numbers), Math.max(...numbers) <= newest]).toEqual([Number(firstSchema), true]);
});
