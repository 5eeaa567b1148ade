import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import pg from "pg";

/** The processes of a run of tests have the same one. */
const run = process.env.POSTERN_TEST_RUN ?? randomBytes(4).toString("hex");
process.env.POSTERN_TEST_RUN = run;

/** The names of all databases of this run begin with it. */
export const prefixOfRun = `postern_test_${run}_`;
/** All files of SQLite of this run are in it. */
export const folderOfRun = join(tmpdir(), `postern-test-${run}`);

export const mysqlUrl = new URL(process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/");

export const adminConnection = () =>
  mysql.createConnection({
    host: mysqlUrl.hostname,
    port: mysqlUrl.port === "" ? 3306 : Number(mysqlUrl.port),
    user: decodeURIComponent(mysqlUrl.username),
    password: decodeURIComponent(mysqlUrl.password),
    supportBigNumbers: true,
  });

export const postgresUrl = new URL(
  process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres",
);

/** A connection to the server, or to one of its databases. */
export const postgresConnection = async (url: string = postgresUrl.href): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

const answers = async (connect: () => Promise<{ end(): Promise<void> }>): Promise<boolean> => {
  try {
    await (await connect()).end();
    return true;
  } catch {
    return false;
  }
};

export const doesPostgresAnswer = (): Promise<boolean> => answers(postgresConnection);
export const doesMysqlAnswer = (): Promise<boolean> => answers(adminConnection);

export const rowsOf = async <Row>(admin: mysql.Connection, sql: string): Promise<readonly Row[]> =>
  (await admin.query(sql))[0] as unknown as readonly Row[];

export const dropOnMysql = async (names: readonly string[]): Promise<void> => {
  if (names.length === 0) return;
  const admin = await adminConnection();
  for (const name of names) await admin.query(`DROP DATABASE IF EXISTS \`${name}\``);
  await admin.end();
};

export const dropOnPostgres = async (names: readonly string[]): Promise<void> => {
  if (names.length === 0) return;
  const client = await postgresConnection();
  for (const name of names) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  await client.end();
};

/** Drops what a run of tests has left: what its files shared, and what a file that was killed had made. */
export const dropDatabasesOfRun = async (): Promise<void> => {
  rmSync(folderOfRun, { recursive: true, force: true });
  const like = `${prefixOfRun.replaceAll("_", "\\_")}%`;
  if (await doesMysqlAnswer()) {
    const admin = await adminConnection();
    const sql = `SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name LIKE '${like}'`;
    const found = await rowsOf<{ name: string }>(admin, sql);
    await admin.end();
    await dropOnMysql(found.map(({ name }) => name));
  }
  if (await doesPostgresAnswer()) {
    const client = await postgresConnection();
    const { rows } = await client.query("SELECT datname AS name FROM pg_database WHERE datname LIKE $1", [like]);
    await client.end();
    await dropOnPostgres(rows.map(({ name }) => name));
  }
};
