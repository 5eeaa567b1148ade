import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { allParts, resourcesOfParts } from "@postern/app";
import knex, { type Knex } from "knex";
import { beforeAll, describe, expect, test } from "vitest";
import { parseDatabaseUrl } from "../src/engine/database-url.ts";
import { openedPool } from "../src/engine/opened-pool.ts";
import { createKnexStorage, type KnexStorage } from "../src/index.ts";
import { connect, knexPool } from "../src/postgres/pool.ts";
import { sqliteDialect } from "../src/sqlite/dialect.ts";
import { loadDriver } from "../src/sqlite/driver/load-driver.ts";
import { sqliteEventKeys } from "../src/sqlite/event-keys.ts";
import { knexClient } from "../src/sqlite/knex-client.ts";
import { protectFile } from "../src/sqlite/private-file.ts";
import type { KnexStorageOptions } from "../src/storage/create-knex-storage.ts";
import {
  adminConnection,
  doesMysqlAnswer,
  doesPostgresAnswer,
  dropOnMysql,
  dropOnPostgres,
  folderOfRun,
  mysqlUrl,
  postgresConnection,
  postgresUrl,
  prefixOfRun,
  rowsOf,
} from "./database-servers.ts";
import { type PrivatePgbouncer, privatePgbouncer, startsPgbouncer } from "./private-pgbouncer.ts";
import { sqliteDriver } from "./sqlite-driver.ts";

export { adminConnection, postgresConnection };

/** The dialect of SQLite without a database, to check the statements that it makes. */
export const compilingDialect = sqliteDialect(
  sqliteEventKeys(() => Promise.reject(new Error("there is no database to read"))),
);

const required = process.env.POSTERN_REQUIRE_DATABASES === "1";
/**
 * Whether MariaDB or MySQL answers. If it is required but does not answer, the suites run and fail.
 */
const mysqlAnswers = (await doesMysqlAnswer()) || required;
const postgresAnswers = (await doesPostgresAnswer()) || required;
if (!postgresAnswers) process.stderr.write(`no PostgreSQL at ${postgresUrl.host}: its suites are skipped\n`);
if (!mysqlAnswers) process.stderr.write(`no MariaDB or MySQL at ${mysqlUrl.host}: its suites are skipped\n`);

/** The name of a database that does not exist yet. */
const newName = (): string => `${prefixOfRun}${randomBytes(6).toString("hex")}`;

/**
 * Databases of one kind. Each call of `fresh` gives an unused one, which is dropped after the tests
 * of the file.
 */
export interface TestDatabases {
  readonly name: "SQLite" | "MariaDB" | "PostgreSQL";
  /** Where databases of a server are made; empty if each is there already, or is made when it is opened. */
  readonly serverUrl: string;
  /** The URL of a new, empty place. */
  url(): string;
  /** The URL of a new database that has Postern's own tables, where that is sooner made than by steps. */
  prepared(): Promise<string>;
  /** A storage on a new, migrated database, or on the one at `url`. */
  fresh(options?: Partial<KnexStorageOptions>): Promise<KnexStorage>;
  /** The URL of the database that `fresh` opened: for a second storage on it. */
  urlOf(storage: KnexStorage): string;
}

const urls = new WeakMap<KnexStorage, string>();

const urlOf = (storage: KnexStorage): string => {
  const url = urls.get(storage);
  if (url === undefined) throw new Error("this storage was opened elsewhere");
  return url;
};

const opened: KnexStorage[] = [];

/** A storage that is closed after the file's tests. */
export const openStorage = (options: KnexStorageOptions): KnexStorage => {
  const resources = [...resourcesOfParts(options.parts ?? allParts), ...(options.resources ?? [])];
  const storage = createKnexStorage({ ...options, resources });
  opened.push(storage);
  urls.set(storage, options.url);
  return storage;
};

const migrated = async (options: KnexStorageOptions): Promise<KnexStorage> => {
  const storage = openStorage(options);
  await storage.migrate.latest();
  return storage;
};

/** What the tests of a file have made. */
const folders: string[] = [];
const databases: string[] = [];
const postgresDatabases: string[] = [];

const newSqliteUrl = (): string => {
  mkdirSync(folderOfRun, { recursive: true });
  const folder = mkdtempSync(join(folderOfRun, "file-"));
  return `sqlite:${join(folder, "test.db")}${driverParameter}`;
};

/** Makes something once for all files of tests that share a process. */
const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** Brings a new database up to date. */
const made = async (url: string): Promise<string> => {
  const { migrate, close } = createKnexStorage({ url });
  await migrate.latest();
  await close();
  return url;
};

/** To copy a migrated file for each test costs less than to migrate each time. */
const sqliteTemplate = once(async () => made(newSqliteUrl()));

/** The file of a database of SQLite. @throws Error for the URL of a server, which names no file. */
export const fileOf = (url: string): string => {
  const address = parseDatabaseUrl(url);
  if (address.kind !== "sqlite") throw new Error(`there is no file at ${url}`);
  return address.file;
};

const driverParameter = sqliteDriver === undefined ? "" : `?driver=${sqliteDriver}`;

export const sqlite: TestDatabases = {
  name: "SQLite",
  serverUrl: "",
  url: () => {
    const url = newSqliteUrl();
    folders.push(dirname(fileOf(url)));
    return url;
  },
  prepared: async () => {
    const url = sqlite.url();
    copyFileSync(fileOf(await sqliteTemplate()), fileOf(url));
    return url;
  },
  fresh: async (options) =>
    options?.url === undefined
      ? openStorage({ url: await sqlite.prepared(), ...options })
      : migrated({ url: options.url, ...options }),
  urlOf,
};

const newMariadbUrl = (): string => new URL(`/${newName()}`, mysqlUrl).href;

/** The statements that make the tables of a migrated database, and the names of those that hold rows. */
const mariadbTemplate = once(async () => {
  const name = nameOf(await made(newMariadbUrl()));
  const admin = await adminConnection();
  await admin.query(`USE \`${name}\``);
  const statements: string[] = [];
  for (const { table } of await rowsOf<{ table: string }>(
    admin,
    "SELECT table_name AS `table` FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY table_name",
  )) {
    const [shown] = await rowsOf<{ "Create Table": string }>(admin, `SHOW CREATE TABLE \`${table}\``);
    statements.push(shown?.["Create Table"] ?? "");
    const [row] = await rowsOf(admin, `SELECT 1 FROM \`${table}\` LIMIT 1`);
    if (row !== undefined) statements.push(`INSERT INTO \`${table}\` SELECT * FROM \`${name}\`.\`${table}\``);
  }
  await admin.end();
  return statements;
});

/** Makes tables as the template has them, which takes a fifth of the time of all migrations. */
const copiedMariadb = async (url: string): Promise<string> => {
  const statements = await mariadbTemplate();
  const admin = await adminConnection();
  await admin.query(`CREATE DATABASE \`${nameOf(url)}\``);
  await admin.query(`USE \`${nameOf(url)}\``);
  await admin.query("SET foreign_key_checks = 0");
  for (const statement of statements) await admin.query(statement);
  await admin.end();
  return url;
};

/** The database that tests share which empty it. */
const sharedMariadb = once(() => copiedMariadb(newMariadbUrl()));

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

/** The tables that tests fill. Rows of other tables are deleted with these. */
const filledTables = [
  "users",
  "webhook_providers",
  "forward_attempt",
  "deprecated_call",
  "delivery_count",
  "event_plan",
  "feed_entry",
  "refused_delivery",
  "count_bucket",
  "event_note",
  "inbox_event",
  "job",
  "job_failure",
  "lane",
  "paused_queue",
  "schedule_slot",
  "schedule_state",
  "runner",
  "rate_limit",
  "audit_log",
  "sealed_entry",
  "audit_progress",
  "audit_anchor",
  "kept_answer",
  "signing_key",
];

/** Empties the tables, and lets numbers start at 1 again. */
const emptied = async (url: string): Promise<void> => {
  const admin = await adminConnection();
  await admin.query(`USE \`${nameOf(url)}\``);
  for (const table of filledTables) {
    await admin.query(`DELETE FROM ${table}`);
  }
  await admin.query("UPDATE id_block SET next = 1");
  await admin.end();
};

export const mariadb: TestDatabases = {
  name: "MariaDB",
  serverUrl: new URL("/mysql", mysqlUrl).href,
  url: () => {
    const url = newMariadbUrl();
    databases.push(nameOf(url));
    return url;
  },
  prepared: () => copiedMariadb(mariadb.url()),
  // Tests share one database and run one after the other, because MariaDB takes long to make tables.
  fresh: async (options) => {
    if (options?.url !== undefined) return migrated({ connections: 5, url: options.url, ...options });
    const url = await sharedMariadb();
    await emptied(url);
    return openStorage({ url, connections: 5, ...options });
  },
  urlOf,
};

const newPostgresUrl = (): string => new URL(`/${newName()}`, postgresUrl).href;

/** Nobody is connected to it, so it can be copied. */
const postgresTemplate = once(() => made(newPostgresUrl()));

const copiedPostgres = async (url: string): Promise<string> => {
  const origin = await postgresTemplate();
  const client = await postgresConnection();
  await client.query(`CREATE DATABASE "${nameOf(url)}" TEMPLATE "${nameOf(origin)}"`);
  await client.end();
  return url;
};

const sharedPostgres = once(() => copiedPostgres(newPostgresUrl()));

/** The database that tests share. */
const emptiedPostgres = async (): Promise<string> => {
  const url = await sharedPostgres();
  const client = await postgresConnection(url);
  await client.query(filledTables.map((table) => `DELETE FROM ${table}`).join("; "));
  await client.query("UPDATE id_block SET next = 1");
  await client.end();
  return url;
};

export const postgres: TestDatabases = {
  name: "PostgreSQL",
  serverUrl: postgresUrl.href,
  url: () => {
    const url = newPostgresUrl();
    postgresDatabases.push(nameOf(url));
    return url;
  },
  prepared: () => copiedPostgres(postgres.url()),
  // As on MariaDB, tests share one database and run one after the other.
  fresh: async (options) => {
    if (options?.url !== undefined) return migrated({ connections: 6, url: options.url, ...options });
    return openStorage({ url: await emptiedPostgres(), connections: 6, ...options });
  },
  urlOf,
};

let pooler: PrivatePgbouncer | undefined;

/**
 * The URL of a new, empty database that is made at once. A pooler that has not found a database does
 * not look again for a while.
 */
const createdNow = (): string => {
  const url = postgres.url();
  const script = `const { Client } = require("pg");
    const client = new Client({ connectionString: process.argv[1] });
    client.connect().then(() => client.query('CREATE DATABASE "' + process.argv[2] + '"')).then(() => client.end());`;
  execFileSync(process.execPath, ["-e", script, postgresUrl.href, nameOf(url)], {
    cwd: import.meta.dirname,
  });
  return url;
};

/** The databases of the same server, through a pooler in transaction mode. */
const pooledPostgres: TestDatabases = {
  ...postgres,
  serverUrl: "",
  url: () => pooledUrlOf(createdNow()),
  prepared: async () => pooledUrlOf(await postgres.prepared()),
  fresh: async (options) => {
    if (options?.url !== undefined) return postgres.fresh(options);
    return openStorage({ url: pooledUrlOf(await emptiedPostgres()), connections: 6, ...options });
  },
};

const pooledUrlOf = (url: string): string => {
  if (pooler === undefined) throw new Error("the pooler is not started yet");
  return `${pooler.through(url)}?pooler=transaction`;
};

/** Advisory locks of sessions in databases of this file. A pooler would keep them for nobody. */
const locksLeft = async (): Promise<number> => {
  const client = await postgresConnection();
  const { rowCount } = await client.query(
    "SELECT 1 FROM pg_locks JOIN pg_database AS d ON d.oid = database WHERE locktype = 'advisory' AND datname = ANY($1)",
    [[...postgresDatabases, nameOf(await sharedPostgres())]],
  );
  await client.end();
  return rowCount ?? 0;
};

/** Describes the same promises for PostgreSQL behind a pooler in transaction mode. */
const onPooledPostgres = (title: string, define: (databases: TestDatabases) => void): void => {
  describe.skipIf(!postgresAnswers || !startsPgbouncer)(`${title} on PostgreSQL behind a pooler`, () => {
    beforeAll(async () => {
      pooler ??= await privatePgbouncer(postgresUrl.href);
    });
    define(pooledPostgres);
    test("leaves no lock of a session behind", async () => {
      expect(await locksLeft()).toBe(0);
    });
  });
};

/** Whether suites that run on each database run on PostgreSQL behind a pooler only. `.ci/long` does that. */
const onlyPooled = process.env.POSTERN_TEST_POOLER === "1";

/** Describes the same promises for each available database. */
export const onEachDatabase = (title: string, define: (databases: TestDatabases) => void): void => {
  if (onlyPooled) {
    onPooledPostgres(title, define);
    return;
  }
  describe(`${title} on SQLite`, () => define(sqlite));
  describe.skipIf(!mysqlAnswers)(`${title} on MariaDB`, () => define(mariadb));
  describe.skipIf(!postgresAnswers)(`${title} on PostgreSQL`, () => define(postgres));
};

/**
 * The same for promises that need the database itself: a lock of a session, and who uses a database.
 * `pooler.test.ts` says what holds in their place behind a pooler.
 */
export const onEachDatabaseItself = (title: string, define: (databases: TestDatabases) => void): void => {
  if (!onlyPooled) onEachDatabase(title, define);
};

export const onPostgres = (title: string, define: () => void): void => {
  describe.skipIf(!postgresAnswers)(`${title} on PostgreSQL`, define);
};

export const onMariadb = (title: string, define: () => void): void => {
  describe.skipIf(!mysqlAnswers)(`${title} on MariaDB`, define);
};

/** Closes and drops what the tests of a file have made. What all files of a process share stays. */
export const dropDatabases = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((storage) => storage.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  await pooler?.end();
  pooler = undefined;
  await dropOnMysql(databases.splice(0));
  await dropOnPostgres(postgresDatabases.splice(0));
};

/** A bare connection to a test database. It uses the same driver as the storages of the tests. */
export const openKnex = (url: string): Knex => {
  const address = parseDatabaseUrl(url);
  if (address.kind === "postgres") {
    return knexPool(1, () => connect(address, { requireFlush: false, statementTimeoutMs: 0 })).knex;
  }
  if (address.kind === "mysql") return knex({ client: "mysql2", connection: url, pool: { min: 1, max: 1 } });
  const open = async () => {
    protectFile(address.file);
    return (await loadDriver(sqliteDriver)).open(address.file, { create: false });
  };
  return openedPool(() => knexClient(open), { size: 1, idle: 1, acquireMs: 4000 }).knex;
};

/** The names of the tables of a test database. */
export const tablesIn = async ({ name }: TestDatabases, db: Knex): Promise<readonly string[]> => {
  if (name === "SQLite") {
    const found = await db.raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    return found.map((row: { name: string }) => row.name);
  }
  if (name === "PostgreSQL") {
    const { rows } = await db.raw("SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()");
    return rows.map((row: { name: string }) => row.name);
  }
  const [rows] = await db.raw(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()",
  );
  return rows.map((row: { name: string }) => row.name);
};

/** Makes the database at `url`, empty. A file of SQLite is made when it is opened. */
export const createDatabase = async (url: string): Promise<void> => {
  const name = nameOf(url);
  if (url.startsWith("postgres:")) {
    // Behind a pooler it is there already.
    if (new URL(url).searchParams.has("pooler")) return;
    const client = await postgresConnection();
    await client.query(`CREATE DATABASE "${name}"`);
    await client.end();
  } else if (!url.startsWith("sqlite:")) {
    const admin = await adminConnection();
    await admin.query(`CREATE DATABASE \`${name}\``);
    await admin.end();
  }
};

/** A bare connection to a test database, closed after `work`. */
export const withKnex = async <Result>(url: string, work: (db: Knex) => Promise<Result>): Promise<Result> => {
  const db = openKnex(url);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
};
