import { isIP } from "node:net";
import knex, { type Knex } from "knex";
import type { DatabaseAddress } from "../database-url.ts";
import { quietLog } from "../quiet-log.ts";
import type { Lineage } from "../server/lineage.ts";
import type { ServerPool } from "../server/server.ts";
import { type Connection, MysqlSession, type MysqlSettings, prepareConnection, query } from "./connection.ts";
import { mysqlDialect } from "./dialect.ts";
import { mysqlErrors } from "./errors.ts";

export type MysqlAddress = Extract<DatabaseAddress, { kind: "mysql" }>;

export interface MysqlPool extends ServerPool<Connection> {
  readonly knex: Knex;
}

/**
 * Whether the server's certificate must be for the host in the URL: otherwise everybody with a
 * certificate of the same authority could stand in for the server. The driver can check a name and
 * no address; there a private authority alone vouches for the server.
 */
const isNamed = ({ host, socketPath, tls }: MysqlAddress): boolean =>
  socketPath === undefined && (isIP(host) === 0 || tls?.ca === undefined);

/** The driver's options. Leave out `database` to reach a server on which it does not exist yet. */
export const connectionOptions = (address: MysqlAddress) => {
  const { host, port, user, password, database, socketPath, tls } = address;
  return {
    ...(socketPath === undefined ? { host, port } : { socketPath }),
    user,
    password,
    database,
    ...(tls === undefined ? {} : { ssl: { rejectUnauthorized: true, verifyIdentity: isNamed(address), ...tls } }),
    // Knex puts this into its own CREATE TABLE; our columns name their collations.
    charset: "utf8mb4",
    timezone: "Z",
    connectTimeout: 2000,
    enableKeepAlive: true,
    // An object among the values becomes text, never a piece of SQL. One query is one statement.
    stringifyObjects: true,
    multipleStatements: false,
    // Counters and milliseconds are below 2^53, and come as numbers.
    supportBigNumbers: true,
    bigNumberStrings: false,
    decimalNumbers: true,
    dateStrings: true,
  };
};

type AfterCreate = (connection: Connection) => Promise<void>;

export const mysqlPool = (address: MysqlAddress, size: number, afterCreate: AfterCreate): MysqlPool => {
  const pool = knex({
    client: "mysql2",
    connection: connectionOptions(address),
    log: quietLog,
    acquireConnectionTimeout: 2000,
    pool: {
      min: 0,
      max: size,
      afterCreate: (connection: Connection, done: (error: unknown, connection: Connection) => void) => {
        afterCreate(connection).then(
          () => done(null, connection),
          (error: unknown) => {
            connection.destroy();
            done(error, connection);
          },
        );
      },
    },
  });
  // Knex types its client as `any`; these are the documented methods of `Knex.Client`.
  const client = pool.client as Knex.Client;

  return {
    knex: pool,
    dialect: mysqlDialect,
    errors: mysqlErrors,
    size,
    session: (connection, options) => new MysqlSession(connection, options),
    control: (connection, sql) => query(connection, sql),
    acquire: async () => client.acquireConnection(),
    release: async (connection) => client.releaseConnection(connection),
    discard: async (connection) => {
      // Knex never hands out a connection whose socket is closed.
      connection.destroy();
      await client.releaseConnection(connection);
    },
    close: () => pool.destroy(),
  };
};

export const requestPool = (
  address: MysqlAddress,
  size: number,
  settings: MysqlSettings,
  lineage: Pick<Lineage, "compare">,
): MysqlPool =>
  mysqlPool(address, size, async (connection) => {
    await prepareConnection(connection, settings);
    await lineage.compare((sql) => query(connection, sql));
  });
