import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { user } from "@postern/app";
import { newEvent, userRow } from "@postern/core/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { urlOfDatabase } from "../src/engine/database-url.ts";
import { backUp, restore } from "../src/index.ts";
import { placeOf } from "../src/tools/copy/connection.ts";
import { type DatabaseSums, sumsOf } from "../src/tools/dump/rows-of.ts";
import { refusalOf } from "./backup-refusal.ts";
import {
  adminConnection,
  mariadb,
  onMariadb,
  onPostgres,
  openStorage,
  postgres,
  postgresConnection,
  type TestDatabases,
} from "./databases.ts";

const directory = mkdtempSync(join(tmpdir(), "postern-backup-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const inDirectory = (name: string): string => join(directory, name);

/** Beside other tests, a server needs many times the usual second to make a database. */
const slow = { timeout: 60_000 };
/** Servers take long for each table. */
const parts = ["users", "inbox"] as const;

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const beside = (url: string, suffix: string): string => urlOfDatabase(url, nameOf(url) + suffix);

/** What a database holds. */
const sumsAt = (url: string): Promise<DatabaseSums | undefined> =>
  placeOf(url).look(async (connection) => (connection === undefined ? undefined : sumsOf(connection, "it")));

/** A database with rows, which nothing uses. */
const filled = async (databases: TestDatabases, change = (url: string): string => url): Promise<string> => {
  const url = change(databases.url());
  const { storage, migrate, close } = openStorage({ url, parts });
  await migrate.latest();
  await storage.resources.insert(user, userRow(1));
  await storage.events.accept([newEvent("evt_1", { body: Buffer.from([0, 39, 92, 10, 13, 195, 40, 255, 26]) })]);
  await close();
  return url;
};

interface Server {
  readonly databases: TestDatabases;
  /** Runs statements as the administrator. */
  command(...statements: readonly string[]): Promise<void>;
  /** Statements that make a user who may read this database, and make no other; and that drop the user. */
  reader(name: string, database: string): { readonly make: readonly string[]; readonly drop: string };
}

const promises = ({ databases, command, reader }: Server): void => {
  let url: string;
  const lines: string[] = [];
  const file = inDirectory(`${databases.name}.backup`);
  beforeAll(async () => {
    url = await filled(databases);
    const facts = await backUp(url, file, { onCommand: (line) => lines.push(line) });
    expect(facts).toMatchObject({ file, bytes: statSync(file).size, rows: { users: 1, inbox_event: 1, job: 1 } });
  }, slow.timeout);

  test("a backup can be read by nobody else, and says by which commands it was made and checked", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain(file);
    const { mtimeMs } = statSync(file);
    expect(await refusalOf(backUp(url, file))).toMatch(/^exists: /);
    expect(await refusalOf(backUp(databases.url(), inDirectory("other")))).toMatch(/^not_found: .*DATABASE_URL/);
    expect(readdirSync(directory).filter((name) => !name.endsWith(".backup"))).toEqual([]);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  test("without its program, the command is told", async () => {
    vi.stubEnv("PATH", directory);
    const refusal = await refusalOf(backUp(url, inDirectory("other"))).finally(() => vi.unstubAllEnvs());
    expect(refusal).toMatch(/^no_tool: (?:pg_dump|mariadb-dump or mysqldump) is not installed here\. .* run this/);
    expect(refusal).toMatch(new RegExp(`(?:pg_dump|mariadb-dump) --.*${nameOf(url)}`));
  });

  test("a user who may make no database backs up without the check, when told to", async () => {
    const name = `reader_of_${nameOf(url)}`.slice(0, 32);
    const { make, drop } = reader(name, nameOf(url));
    await command(...make);
    try {
      const asReader = new URL(url);
      asReader.username = name;
      const other = inDirectory("unchecked");
      expect(await refusalOf(backUp(asReader.href, other))).toMatch(new RegExp(`^not_allowed: .*${name}.* Let it: `));
      const { rows, bytes } = await backUp(asReader.href, other, { verify: false });
      expect([rows, bytes > 1000]).toEqual([{}, true]);
      rmSync(other);
    } finally {
      await command(drop);
    }
  });

  test("a backup that is damaged or of something else is refused before anything changes", slow, async () => {
    const good = readFileSync(file);
    const half = Math.floor(good.length / 2);
    const flipped = Buffer.from(good).fill(0x55, half, half + 50);
    const bad = inDirectory("bad.backup");
    const before = await sumsAt(url);
    const empty = databases.url();
    const ofMysql = (): readonly (readonly [Buffer, string])[] => [
      [gzipSync(gunzipSync(good).subarray(0, 4000)), "not whole"],
      // Statements for another database are left out.
      [gzipSync(`USE mysql; CREATE TABLE ${nameOf(url)}.x (id INT);\n-- Dump completed\n`), "no database of"],
    ];
    for (const [content, said] of [
      [Buffer.from("this is a text file ".repeat(300)), "no file of"],
      [good.subarray(0, half), ""],
      [flipped, ""],
      ...(databases === mariadb ? ofMysql() : []),
    ] as const) {
      writeFileSync(bad, content);
      expect(await refusalOf(restore(url, bad, { replace: true }))).toMatch(
        new RegExp(`^damaged: .*bad\\.backup.*${said}`, "s"),
      );
    }
    // PostgreSQL puts in all or nothing, and a truncated file of the others is seen before.
    writeFileSync(bad, flipped);
    expect(await refusalOf(restore(empty, bad, { verify: false }))).toMatch(/^damaged: /);
    expect(await sumsAt(url)).toEqual(before);
    for (const suffix of ["_scratch", "_before_restore"]) expect(await sumsAt(beside(url, suffix))).toBeUndefined();
  });

  test("a restore keeps the former database, and makes one that is missing", slow, async () => {
    const before = await sumsAt(url);
    const { storage, close } = openStorage({ url, parts });
    await storage.resources.insert(user, userRow(2));
    if (databases === mariadb) {
      expect(await refusalOf(restore(url, file, { replace: true }))).toMatch(/^in_use: a process uses .* stop Postern/);
    }
    await close();
    expect(await refusalOf(restore(url, file))).toBe(
      `exists: ${nameOf(url)} holds tables already; nothing was changed`,
    );
    const former = beside(url, "_before_restore");
    try {
      const { rows, ...restored } = await restore(url, file, { replace: true });
      expect(restored).toEqual({ file: nameOf(url), former: nameOf(former), bytes: statSync(file).size });
      expect(rows).toMatchObject({ users: 1, inbox_event: 1 });
      expect(await sumsAt(url)).toEqual(before);
      expect((await sumsAt(former))?.get("users")?.rows).toBe(2);
      expect(await refusalOf(restore(url, file, { replace: true }))).toMatch(
        /^left_over: there is a database .*_before_/,
      );

      const other = databases.url();
      expect(await restore(other, file)).toMatchObject({ former: undefined, rows });
      expect(await sumsAt(other)).toEqual(before);
      expect(await sumsAt(beside(other, "_scratch"))).toBeUndefined();
      const opened = openStorage({ url: other, parts });
      await opened.storage.check();
      await opened.close();
    } finally {
      await command(`DROP DATABASE IF EXISTS ${nameOf(former)}`);
    }
  });
};

onMariadb("backups", () =>
  promises({
    databases: mariadb,
    command: async (...statements) => {
      const admin = await adminConnection();
      for (const statement of statements) await admin.query(statement);
      await admin.end();
    },
    reader: (name, database) => ({
      make: [`CREATE USER ${name}@'%'`, `GRANT ALL ON \`${database}\`.* TO ${name}@'%'`],
      drop: `DROP USER ${name}@'%'`,
    }),
  }),
);

onPostgres("backups", () => {
  const command = async (...statements: readonly string[]): Promise<void> => {
    const client = await postgresConnection();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  promises({
    databases: postgres,
    command,
    reader: (name) => ({
      make: [`CREATE ROLE ${name} LOGIN IN ROLE pg_read_all_data`],
      drop: `DROP ROLE ${name}`,
    }),
  });

  test("a schema goes into an empty one, which keeps the settings of its database", slow, async () => {
    const url = await filled(postgres, (each) => `${each}?schema=Shop`);
    const file = inDirectory("schema.backup");
    await backUp(url, file, { verify: false });
    const other = `${postgres.url()}?schema=Shop`;
    await command(
      `CREATE DATABASE ${nameOf(other)}`,
      `ALTER DATABASE ${nameOf(other)} SET default_statistics_target = 77`,
    );
    expect(await restore(other, file, { verify: false })).toMatchObject({ rows: { users: 1 }, former: undefined });
    expect(await sumsAt(other)).toEqual(await sumsAt(url));
    const client = await postgresConnection(other.replace(/\?.*/, ""));
    expect((await client.query("SHOW default_statistics_target")).rows).toEqual([{ default_statistics_target: "77" }]);
    await client.end();
    expect(await refusalOf(restore(other, file, { replace: true }))).toMatch(/^not_fitting: .* the schema Shop/);
    expect(await refusalOf(backUp(`${url.replace(/\?.*/, "")}?pooler=transaction`, inDirectory("other")))).toMatch(
      /^not_fitting: .*pooler/,
    );
  });
});
