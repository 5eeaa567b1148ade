import { isIP } from "node:net";
import type { ResultSetHeader } from "mysql2";
import { bufferOf, type Value } from "../engine/database.ts";
import type { DatabaseAddress, Host } from "../engine/database-url.ts";
import { type OpenedPool, openedClient, openedPool } from "../engine/opened-pool.ts";
import { hasSetting, notBegun } from "../engine/own-connection.ts";
import { firstWriter } from "../server/first-writer.ts";
import type { Lineage } from "../server/lineage.ts";
import type { ServerSettings } from "../server/server.ts";
import { asOfDriver, type JoinedConnections, type ServerPool } from "../server/server.ts";
import { createServerWatch, type ServerWatch, type Standing } from "../server/server-watch.ts";
import type { Failure } from "../server/session.ts";
import { type Connection, inspectServer, MysqlSession, prepareConnection, query } from "./connection.ts";
import { mysqlDialect } from "./dialect.ts";
import { mysqlErrors } from "./errors.ts";

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
  settings: ServerSettings,
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

/** The server that a connection leads to, and when it was started by the clock of this process. */
const standingOf = async (connection: Connection): Promise<Standing> => {
  const names = "'hostname', 'port', 'server_uid', 'server_uuid'";
  const facts = await query<{ Variable_name: string; Value: string }[]>(
    connection,
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names})`,
  );
  const [uptime] = await query<{ Value: string }[]>(connection, "SHOW GLOBAL STATUS LIKE 'Uptime'");
  const server = facts.map(({ Variable_name: name, Value: value }) => `${name}=${value}`).toSorted();
  return { server: server.join(" "), startedAt: performance.now() - Number(uptime?.Value ?? 0) * 1_000 };
};

export const mysqlPool = (
  address: MysqlAddress,
  size: number,
  settings: ServerSettings,
  lineage: Pick<Lineage, "compare">,
  servers: Pick<ServerWatch, "opened" | "used"> = createServerWatch(),
): ServerPool<Connection> => {
  const { acquire, release, discard, renew, close } = knexPool(address, size, async () => {
    const connection = await connect(address, settings);
    try {
      await prepareConnection(connection);
      await lineage.compare((sql) => query(connection, sql));
      servers.opened(connection, await standingOf(connection));
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
    readers: size,
    // Only this level has one snapshot for all statements.
    snapshot: [
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
      "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
    ],
    session: (connection, options) => new MysqlSession(connection, options),
    control: (connection, sql) => query(connection, sql),
    acquire: async () => {
      const connection = await acquire();
      servers.used(connection);
      return connection;
    },
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

/** A value as the driver's hook reads it. */
interface Field {
  readonly type: string;
  string(): string | null;
}

const asNumbers: ReadonlySet<string> = new Set(["LONGLONG", "NEWDECIMAL", "DECIMAL"]);
const asTexts: ReadonlySet<string> = new Set(["DATE", "DATETIME", "TIMESTAMP"]);

/** Reads values as the stores know them, whatever the application has set for its connection. */
const typeCast = (field: Field, next: () => unknown): unknown => {
  if (asTexts.has(field.type)) return field.string();
  if (!asNumbers.has(field.type)) return next();
  const text = field.string();
  return text === null ? null : Number(text);
};

/** A statement runs for as long as the application lets it. */
const asGiven = { typeCast, rowsAsArray: false, nestTables: false };

/** What no setting of a session reads otherwise: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-&(-[\]-~]*$/;

/**
 * The driver writes values into the text of a statement, and how the server reads quotes and other
 * characters there is a setting of the application's session. Digits mean the same in all of them.
 */
const safely = (value: Value): unknown => {
  if (value instanceof Uint8Array) return bufferOf(value);
  if (typeof value !== "string" || plain.test(value)) return value;
  return { toSqlString: () => `_utf8mb4 X'${Buffer.from(value).toString("hex")}'` };
};

class JoinedSession extends MysqlSession {
  protected override send(sql: string, values: readonly Value[]): Promise<object[] | ResultSetHeader> {
    return query(this.connection, sql, values.map(safely), asGiven);
  }

  protected override failure(thrown: unknown): Failure {
    return asOfDriver(super.failure(thrown), thrown, mysqlErrors);
  }
}

/** Flags that the server sends with each answer. */
const inTransaction = 1;
const autocommit = 2;

/** The mode in which quotes and backslashes in statements mean something else than drivers write. */
const otherEscapes = "NO_BACKSLASH_ESCAPES";
/** The mode of MariaDB that stores NULL for an empty text. */
const emptyIsNull = "EMPTY_STRING_IS_NULL";

const requireSettings: JoinedConnections["requireSettings"] = async (session) => {
  const [found] = await session.rows<Readonly<Record<string, string | null>>>(
    `SELECT @@character_set_client AS character_set_client, @@character_set_connection AS character_set_connection,
       @@character_set_results AS character_set_results, @@sql_mode AS sql_mode`,
  );
  const { sql_mode: modes = "", ...sets } = found ?? {};
  for (const [name, value] of Object.entries(sets)) {
    // Without a set for results, they come as they are stored.
    if (value === "utf8mb4" || (name === "character_set_results" && value === null)) continue;
    throw hasSetting(name, String(value), 'open it with charset "utf8mb4", or run SET NAMES utf8mb4 on it');
  }
  const mode = [otherEscapes, emptyIsNull].find((each) => (modes ?? "").split(",").includes(each));
  if (mode !== undefined) throw hasSetting("sql_mode", mode, `leave ${mode} out of sql_mode for this connection`);
};

const joinedMysql: JoinedConnections = {
  session: (connection) => new JoinedSession(connection as Connection),
  requireSettings,
  requireBegun: async (connection) => {
    const { serverStatus } = await query<ResultSetHeader>(connection as Connection, "DO 0", [], {});
    if ((serverStatus & inTransaction) === 0 && (serverStatus & autocommit) !== 0) throw notBegun();
  },
};
