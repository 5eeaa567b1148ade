import { isIP } from "node:net";
import type { DatabaseAddress, Host } from "../database-url.ts";
import { firstWriter } from "../server/first-writer.ts";
import type { Lineage } from "../server/lineage.ts";
import { type OpenedPool, openedClient, openedPool } from "../server/opened-pool.ts";
import type { ServerPool } from "../server/server.ts";
import {
  type Connection,
  inspectServer,
  MysqlSession,
  type MysqlSettings,
  prepareConnection,
  query,
} from "./connection.ts";
import { mysqlDialect } from "./dialect.ts";
import { mysqlErrors } from "./errors.ts";
import { joinedMysql } from "./joined.ts";

export type MysqlAddress = Extract<DatabaseAddress, { kind: "mysql" }>;

/** How long one of the hosts may take to answer. */
const connectTimeoutMs = 2000;

/**
 * Whether the server's certificate must be for the host in the URL: otherwise everybody with a
 * certificate of the same authority could stand in for the server. The driver can check a name and
 * no address; there a private authority alone vouches for the server.
 */
export const isNamed = ({ socketPath, tls }: MysqlAddress, { host }: Host): boolean =>
  socketPath === undefined && (isIP(host) === 0 || tls?.ca === undefined);

/** The driver's options for one of the hosts. */
const optionsFor = (address: MysqlAddress, host: Host) => {
  const { user, password, socketPath, tls } = address;
  return {
    ...(socketPath === undefined ? host : { socketPath }),
    user,
    password,
    ...(tls === undefined ? {} : { ssl: { rejectUnauthorized: true, verifyIdentity: isNamed(address, host), ...tls } }),
    // Knex puts this into its own CREATE TABLE; our columns name their collations.
    charset: "utf8mb4",
    timezone: "Z",
    connectTimeout: connectTimeoutMs,
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

const end = (connection: Connection): Promise<void> => new Promise((resolve) => connection.end(() => resolve()));

/**
 * A connection to the first host that takes writes. With `database: undefined` it uses none, because
 * it may not exist yet. @throws the driver's error; see `firstWriter`.
 */
export const connect = async (
  address: MysqlAddress,
  settings: MysqlSettings,
  { database }: { readonly database: string | undefined } = address,
): Promise<Connection> => {
  const { createConnection } = await import("mysql2");
  return firstWriter(address.hosts, {
    open: (host) =>
      new Promise<Connection>((resolve, reject) => {
        const named = database === undefined ? {} : { database };
        const connection = createConnection({ ...optionsFor(address, host), ...named });
        // If the connection is lost while it is idle, its next statement fails. Without a listener,
        // the loss would end the process.
        connection.on("error", reject);
        connection.connect((error) => (error === null ? resolve(connection) : reject(error)));
      }),
    takesWrites: (connection) => inspectServer(connection, settings),
    end,
  });
};

/** The pool of Knex alone. `open` opens a connection, and makes its settings. */
export const knexPool = (
  address: MysqlAddress,
  size: number,
  open: () => Promise<Connection>,
): OpenedPool<Connection> =>
  openedPool((connections) => openedClient("mysql2", { open, end }, connections), {
    size,
    acquireMs: connectTimeoutMs * address.hosts.length,
  });

export const mysqlPool = (
  address: MysqlAddress,
  size: number,
  settings: MysqlSettings,
  lineage: Pick<Lineage, "compare">,
): ServerPool<Connection> => {
  const { acquire, release, discard, renew, close } = knexPool(address, size, async () => {
    const connection = await connect(address, settings);
    try {
      await prepareConnection(connection);
      await lineage.compare((sql) => query(connection, sql));
      return connection;
    } catch (thrown) {
      connection.destroy();
      throw thrown;
    }
  });
  return {
    dialect: mysqlDialect,
    errors: mysqlErrors,
    joined: joinedMysql,
    size,
    session: (connection, options) => new MysqlSession(connection, options),
    control: (connection, sql) => query(connection, sql),
    acquire,
    release,
    discard: (connection) => {
      // A statement may be under way, and `end` would wait for it.
      connection.destroy();
      return discard(connection);
    },
    renew,
    close,
  };
};
