import { createRequire } from "node:module";

const driver = createRequire(new URL("../../packages/storage-knex/package.json", import.meta.url));
const servers: Readonly<Record<string, string>> = {
  postgres: process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres",
  mariadb: process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306",
};

const runOnPostgres = async (url: string, sql: string): Promise<void> => {
  const client = new (driver("pg").Client)(url);
  await client.connect();
  await client.query(sql);
  await client.end();
};

const runOnMariadb = async (url: string, sql: string): Promise<void> => {
  const connection = await driver("mysql2/promise").createConnection(url);
  await connection.query(sql);
  await connection.end();
};

/** The URL of a database on a server of this name, and how a statement runs on the server itself. */
export const statement = (name: string, database: string) => {
  const server = servers[name];
  if (server === undefined) throw new Error(`there is no "${name}": sqlite, postgres or mariadb`);
  const url = new URL(server);
  url.pathname = `/${database}`;
  return {
    url: url.href,
    run: (sql: string) => (name === "postgres" ? runOnPostgres : runOnMariadb)(server, sql),
  };
};
