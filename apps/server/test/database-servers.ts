import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import mysql from "mysql2/promise";
import pg from "pg";

/** Whether a server listens at this address. Always true if it is required: then the suites run and fail. */
const answers = (url: URL): Promise<boolean> =>
  new Promise((resolve) => {
    if (process.env.POSTERN_REQUIRE_DATABASES === "1") return resolve(true);
    const socket = connect(Number(url.port), url.hostname);
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });

const mysqlUrl = new URL(process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306/");
if (mysqlUrl.port === "") mysqlUrl.port = "3306";
const postgresUrl = new URL(process.env.POSTERN_TEST_POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres");
if (postgresUrl.port === "") postgresUrl.port = "5432";

const onMysql = async (sql: string): Promise<void> => {
  const connection = await mysql.createConnection(new URL("/", mysqlUrl).href);
  await connection.query(sql);
  await connection.end();
};

const onPostgres = async (sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: postgresUrl.href });
  await client.connect();
  await client.query(sql);
  await client.end();
};

/** A database for one test alone. It exists between `create` and `drop`. */
const databaseOn = (server: URL, run: (sql: string) => Promise<void>, force: string) => () => {
  const name = `postern_test_${randomBytes(6).toString("hex")}`;
  return {
    url: new URL(`/${name}`, server).href,
    create: () => run(`CREATE DATABASE ${name}`),
    drop: () => run(`DROP DATABASE IF EXISTS ${name}${force}`),
  };
};

export const mysqlAnswers = await answers(mysqlUrl);
export const mysqlDatabase = databaseOn(mysqlUrl, onMysql, "");

export const postgresAnswers = await answers(postgresUrl);
export const postgresDatabase = databaseOn(postgresUrl, onPostgres, " WITH (FORCE)");

/** The database servers of this machine. */
export const databaseServers = [
  { name: "MariaDB or MySQL", answers: mysqlAnswers, database: mysqlDatabase },
  { name: "PostgreSQL", answers: postgresAnswers, database: postgresDatabase },
].filter((server) => server.answers);
