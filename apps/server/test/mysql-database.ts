import { randomBytes } from "node:crypto";
import { connect } from "node:net";
import mysql from "mysql2/promise";

const serverUrl = (process.env.POSTERN_TEST_MYSQL_URL ?? "mysql://root@127.0.0.1:3306").replace(/\/$/, "");

/** Whether a server listens at this address. */
const listens = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port || 3306), hostname);
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });

/**
 * Whether MariaDB or MySQL answers. Always true if it is required: then the suites run and fail.
 */
export const mysqlAnswers = (await listens(serverUrl)) || process.env.POSTERN_REQUIRE_DATABASES === "1";

const statement = async (sql: string): Promise<void> => {
  const connection = await mysql.createConnection(serverUrl);
  await connection.query(sql);
  await connection.end();
};

/**
 * A database on MariaDB or MySQL for one test alone. It exists between `create` and `drop`.
 */
export const mysqlDatabase = () => {
  const name = `postern_test_${randomBytes(6).toString("hex")}`;
  return {
    url: `${serverUrl}/${name}`,
    create: () => statement(`CREATE DATABASE ${name}`),
    drop: () => statement(`DROP DATABASE IF EXISTS ${name}`),
  };
};
