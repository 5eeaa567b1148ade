import { AppError } from "@postern/core";
import type { Connection, QueryError, QueryOptions, ResultSetHeader } from "mysql2";
import { bufferOf, type Change, type OwnQuery, type RunOptions, type Value } from "../engine/database.ts";
import { lengthOf } from "../engine/given-bytes.ts";
import { queryRunner } from "../engine/query-builder.ts";
import { ConstraintViolation, queryTooSlow, tooLong, translate, vendorErrorOf } from "../engine/translate-error.ts";
import { unsuitable } from "../server/first-writer.ts";
import type { ServerSettings } from "../server/server.ts";
import { type Failure, ServerSession } from "../server/session.ts";
import { mysqlErrors } from "./errors.ts";

export type { Connection };

/** No statement of a request takes longer. The server itself stops it a little earlier. */
const statementTimeoutMs = 6000;

/** Runs one statement, with a bound unless `options` has another or none. */
export const query = <Result>(
  connection: Connection,
  sql: string,
  values: readonly unknown[] = [],
  options: Omit<QueryOptions, "sql" | "values"> = { timeout: statementTimeoutMs },
): Promise<Result> =>
  new Promise((resolve, reject) => {
    connection.query(
      { sql, values: [...values], ...options },
      // The caller wrote the statement, so it knows the shape of the answer.
      (error: QueryError | null, result) => (error === null ? resolve(result as Result) : reject(error)),
    );
  });

/** The error when the server already keeps as many statements as it may. */
const tooManyPrepared = 1461;

/**
 * Runs a statement that the server keeps parsed for this connection. Values are not written into
 * the text, so bytes are sent as they are. If the server can keep no more statements, this one runs
 * like any other.
 */
export const runPrepared = <Result>(
  connection: Connection,
  sql: string,
  values: readonly (Buffer | string | number | null)[],
): Promise<Result> =>
  new Promise((resolve, reject) => {
    // The driver's own bound begins only when the statement is prepared.
    const timer = setTimeout(() => {
      connection.destroy();
      reject(Object.assign(new Error("no answer to a prepared statement"), { code: "PROTOCOL_SEQUENCE_TIMEOUT" }));
    }, statementTimeoutMs);
    connection.execute({ sql, values: [...values] }, (error: QueryError | null, result) => {
      clearTimeout(timer);
      if (error === null) resolve(result as Result);
      else if (error.errno === tooManyPrepared) query<Result>(connection, sql, values).then(resolve, reject);
      else reject(error);
    });
  });

interface ServerFacts {
  readonly server: "mariadb" | "mysql";
  /** Whether it is a node of Galera. */
  readonly isNode: boolean;
  /** The most bytes of a statement with its values. */
  readonly packetBytes: number;
}

/** The server that a connection leads to, known once the connection has been inspected. */
const servers = new WeakMap<Connection, ServerFacts>();

/** @throws TypeError when the connection has not been inspected. */
export const serverOf = (connection: Connection): ServerFacts => {
  const facts = servers.get(connection);
  if (facts === undefined) throw new TypeError("the connection has not been inspected");
  return facts;
};

const isOn = (value: string | undefined): boolean => value !== undefined && !["OFF", "0"].includes(value.toUpperCase());

/** Variables, or the status, of the server. One that it does not know is `undefined`. */
const namesOf = async (
  connection: Connection,
  what: "VARIABLES" | "GLOBAL STATUS",
  names: readonly string[],
): Promise<Readonly<Record<string, string>>> => {
  const rows = await query<{ Variable_name: string; Value: string }[]>(
    connection,
    `SHOW ${what} WHERE Variable_name IN (${names.map((name) => `'${name}'`).join(", ")})`,
  );
  return Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value]));
};

const inspected = ["version", "innodb_flush_log_at_trx_commit", "max_allowed_packet", "read_only", "wsrep_on"];

/**
 * Finds out which server it is, and whether it takes writes. On MySQL, `super_read_only` implies
 * `read_only`. A node of Galera takes writes while it belongs to the greater part of its cluster.
 * @throws Error when the server is too old, or does not flush each commit to the disk.
 */
export const inspectServer = async (connection: Connection, { requireFlush }: ServerSettings): Promise<boolean> => {
  const facts = await namesOf(connection, "VARIABLES", inspected);
  const { version = "", innodb_flush_log_at_trx_commit: flush } = facts;
  const server = /mariadb/i.test(version) ? "mariadb" : "mysql";
  // For old replicas, MariaDB once put `5.5.5-` in front of its version.
  const [major = 0, minor = 0, patch = 0] = (/(\d+)\.(\d+)\.(\d+)/.exec(version.replace(/^5\.5\.5-/, "")) ?? [])
    .slice(1)
    .map(Number);
  const fits =
    server === "mariadb"
      ? major > 10 || (major === 10 && minor >= 6)
      : major > 8 || (major === 8 && (minor > 0 || patch >= 17));
  if (!fits) throw unsuitable(`this needs MariaDB 10.6 or MySQL 8.0.17, or later; the server is ${version}`);
  if (requireFlush && flush !== "1") {
    throw unsuitable(
      `innodb_flush_log_at_trx_commit is ${flush}: a power cut would lose accepted events; set it to 1, or accept that with durability "relaxed"`,
    );
  }
  const isNode = isOn(facts.wsrep_on);
  servers.set(connection, { server, isNode, packetBytes: Number(facts.max_allowed_packet) });
  if (isOn(facts.read_only)) return false;
  if (!isNode) return true;
  const node = await namesOf(connection, "GLOBAL STATUS", ["wsrep_ready", "wsrep_cluster_status"]);
  return isOn(node.wsrep_ready) && node.wsrep_cluster_status === "Primary";
};

/** The server may have other sets than the driver asked for: by `init_connect`, or because it ignores the driver. */
export const inUtf8 =
  "character_set_client = utf8mb4, character_set_connection = utf8mb4, character_set_results = utf8mb4";

const sqlMode = "STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";

/** Makes the settings that end with the connection, which has been inspected. */
export const prepareConnection = async (connection: Connection): Promise<void> => {
  const { server, isNode } = serverOf(connection);
  const slow = server === "mariadb" ? "max_statement_time = 5" : "max_execution_time = 5000";
  // READ COMMITTED takes no gap locks outside of duplicate checks, and a statement sees what others
  // have committed meanwhile.
  await query(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  await query(
    connection,
    `SET SESSION ${inUtf8}, sql_mode = '${sqlMode}', time_zone = '+00:00', innodb_lock_wait_timeout = 2, ${slow}`,
  );
  // A node applies what others have committed a moment later. Reads and transactions first wait until
  // it has, so that they see what this process has committed on another node.
  if (isNode) await query(connection, "SET SESSION wsrep_sync_wait = 1");
};

/**
 * Adds a time limit to a statement, in the syntax of its server. Only a statement that begins with
 * SELECT can have one.
 */
const bounded = (connection: Connection, sql: string, limitMs: number): string => {
  if (!/^select\b/i.test(sql)) return sql;
  return servers.get(connection)?.server === "mysql"
    ? `SELECT /*+ MAX_EXECUTION_TIME(${limitMs}) */${sql.slice("select".length)}`
    : `SET STATEMENT max_statement_time = ${limitMs / 1000} FOR ${sql}`;
};

/** Room for the header of a packet, and for what stands beside each value in it. */
const aroundBytes = (values: readonly unknown[]): number => 1024 + 16 * values.length;

/**
 * The server refuses a statement that is too long, and cuts the connection, sometimes before it has
 * said why. So such a statement is not sent.
 * @throws AppError `content_too_large`
 */
const requireFits = (
  connection: Connection,
  sql: string,
  values: readonly (Buffer | string | number | null)[],
  prepared: boolean,
): void => {
  const packetBytes = servers.get(connection)?.packetBytes;
  // Written into the text, a character or a byte takes six at most.
  if (packetBytes === undefined || (sql.length + lengthOf(values)) * 6 + aroundBytes(values) < packetBytes) return;
  const ofValue = (value: Buffer | string | number | null): number =>
    typeof value === "string" || Buffer.isBuffer(value) ? Buffer.byteLength(value) : 8;
  const bytes = prepared
    ? values.reduce<number>((sum, value) => sum + ofValue(value), 0)
    : Buffer.byteLength(connection.format(sql, [...values]));
  if (bytes + aroundBytes(values) > packetBytes) {
    throw tooLong(
      new Error(`a statement has ${bytes} bytes, and max_allowed_packet of the database is ${packetBytes}`),
    );
  }
};

/** MariaDB's and MySQL's errors for a statement that took too long. */
const tooSlow = new Set([1969, 3024]);

/** How Knex's client for MySQL runs a statement. */
const runQuery = queryRunner<Connection>("mysql2");

export class MysqlSession extends ServerSession<Connection, object[] | ResultSetHeader> {
  protected sendOwn(query: OwnQuery): Promise<unknown> {
    return runQuery(this.connection, query);
  }

  protected async send(
    sql: string,
    values: readonly Value[],
    { prepared = false }: RunOptions,
  ): Promise<object[] | ResultSetHeader> {
    const { connection, readLimitMs } = this;
    const bound = values.map((value) => (value instanceof Uint8Array ? bufferOf(value) : value));
    requireFits(connection, sql, bound, prepared);
    if (prepared) return runPrepared(connection, sql, bound);
    return query(connection, readLimitMs === undefined ? sql : bounded(connection, sql, readLimitMs), bound);
  }

  protected failure(thrown: unknown): Failure {
    const { readLimitMs } = this;
    if (readLimitMs !== undefined && tooSlow.has(vendorErrorOf(thrown).errno)) {
      return { error: queryTooSlow(readLimitMs, thrown), endsTransaction: false };
    }
    // A deadlock has already rolled back the whole transaction. After any other failure, except that
    // of a constraint or of a statement that was not sent, we do not know enough to go on.
    const error = translate(thrown, mysqlErrors);
    return { error, endsTransaction: !(error instanceof ConstraintViolation || thrown instanceof AppError) };
  }

  protected rowsIn(answer: object[] | ResultSetHeader): object[] {
    return answer as object[] /* the caller says that it selects */;
  }

  protected changeIn(answer: object[] | ResultSetHeader): Change {
    const { affectedRows, insertId } = answer as ResultSetHeader /* the caller says that it changes */;
    return { changed: affectedRows, insertId };
  }
}
