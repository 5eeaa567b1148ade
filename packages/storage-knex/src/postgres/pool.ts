import knex, { type Knex } from "knex";
import type { PoolConfig, QueryResultRow } from "pg";
import type { DatabaseAddress } from "../database-url.ts";
import { queryBuilder } from "../query-builder.ts";
import { quietLog } from "../quiet-log.ts";
import type { Lineage } from "../server/lineage.ts";
import type { ServerPool } from "../server/server.ts";
import { type Connection, PostgresSession, query } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";
import { postgresErrors } from "./errors.ts";
import { spelled } from "./spelling.ts";

export type PostgresAddress = Extract<DatabaseAddress, { kind: "postgres" }>;

export interface PostgresSettings {
  /** False if the operator accepts that a power cut may lose the commits of the last second. */
  readonly requireFlush: boolean;
}

interface ConnectionSettings extends PostgresSettings {
  /** 0: as long as it takes. */
  readonly statementTimeoutMs: number;
}

/** The types of results whose text means something else in JavaScript. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  // Counters and milliseconds are below 2^53.
  20: Number,
  1700: Number,
  // The other databases answer 1 and 0.
  16: (text) => (text === "t" ? 1 : 0),
};

/** The driver's options for one of the hosts. */
const optionsFor = (
  address: PostgresAddress,
  { host, port }: PostgresAddress["hosts"][number],
  { requireFlush, statementTimeoutMs }: ConnectionSettings,
  types: NonNullable<PoolConfig["types"]>,
) => ({
  host,
  port,
  user: address.user,
  password: address.password,
  database: address.database,
  application_name: "postern",
  ...(address.tls === undefined ? {} : { ssl: address.tls }),
  types,
  keepAlive: true,
  connectionTimeoutMillis: 2000,
  // The server itself stops a statement a little earlier.
  ...(statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + 1000 }),
  options: [
    `-c statement_timeout=${statementTimeoutMs}`,
    "-c lock_timeout=2000",
    "-c idle_in_transaction_session_timeout=30000",
    "-c default_transaction_isolation=read\\ committed",
    "-c timezone=UTC",
    ...(requireFlush ? [] : ["-c synchronous_commit=off"]),
    ...(address.schema === undefined ? [] : [`-c search_path="${address.schema}"`]),
  ].join(" "),
});

interface ServerFacts {
  readonly version: number;
  readonly fsync: string;
  readonly commit: string;
  readonly standby: number;
  readonly readonly: string;
}

/** @throws Error with the code `UNSUITABLE_SERVER`. */
const unsuitable = (message: string): Error => Object.assign(new Error(message), { code: "UNSUITABLE_SERVER" });

/** Whether the server takes writes. @throws Error when it is too old, or does not flush each commit to the disk. */
const takesWrites = async (connection: Connection, { requireFlush }: PostgresSettings): Promise<boolean> => {
  const { rows } = await query<ServerFacts & QueryResultRow>(
    connection,
    `SELECT CAST(current_setting('server_version_num') AS integer) AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, pg_is_in_recovery() AS standby,
       current_setting('transaction_read_only') AS readonly`,
  );
  const [facts] = rows;
  if (facts === undefined) throw unsuitable("the server does not say what it is");
  if (facts.version < 140_000) {
    throw unsuitable(`this needs PostgreSQL 14 or later; the server has ${Math.floor(facts.version / 10_000)}`);
  }
  if (requireFlush && (facts.fsync !== "on" || facts.commit === "off")) {
    throw unsuitable(
      `fsync is ${facts.fsync} and synchronous_commit is ${facts.commit}: a power cut would lose accepted events; set both to on, or accept that with durability "relaxed"`,
    );
  }
  return facts.standby === 0 && facts.readonly === "off";
};

/**
 * A connection to the first host that takes writes. @throws the error of the last host that could not be
 * reached, or Error with the code `UNSUITABLE_SERVER` if all are standbys.
 */
export const connect = async (address: PostgresAddress, settings: ConnectionSettings): Promise<Connection> => {
  const { Client, types } = (await import("pg")).default;
  const ownTypes = {
    getTypeParser: (oid: number, format: "text" | "binary" = "text") =>
      (format === "text" ? parsers[oid] : undefined) ?? types.getTypeParser(oid, format),
  };
  let failure: unknown;
  for (const host of address.hosts) {
    const connection = new Client(optionsFor(address, host, settings, ownTypes as NonNullable<PoolConfig["types"]>));
    // A connection that is lost while it is idle fails with its next statement. Without a listener,
    // the loss would end the process.
    connection.on("error", () => undefined);
    try {
      await connection.connect();
      if (await takesWrites(connection, settings)) return connection;
      failure = unsuitable("no server of the URL takes writes: all that answer are standbys");
    } catch (thrown) {
      failure = thrown;
    }
    await connection.end().catch(() => undefined);
  }
  throw failure;
};

/** What Knex knows of a statement that it runs. */
interface Query {
  sql: string;
}

/**
 * Knex's own client for PostgreSQL, on connections of ours. The prototype's constructor is the only
 * public way to that client.
 */
const knexClient = (open: () => Promise<Connection>): typeof Knex.Client => {
  const Base: typeof Knex.Client = queryBuilder("pg").client.constructor;
  return class extends Base {
    _driver(): object {
      return {};
    }

    override async acquireRawConnection(): Promise<Connection> {
      const connection: Connection & { __knex__disposed?: unknown } = await open();
      const dispose = (reason: unknown): void => {
        connection.__knex__disposed = reason ?? "the connection ended";
      };
      connection.on("error", dispose).on("end", () => dispose(undefined));
      return connection;
    }

    override destroyRawConnection(connection: Connection): Promise<void> {
      return connection.end();
    }

    // Statements of the migrations have names in backticks.
    _query(connection: Connection, given: Query): Promise<unknown> {
      given.sql = spelled(given.sql);
      // Knex's types do not have this method, which every client of Knex has.
      const { _query: run } = Base.prototype as unknown as {
        _query(connection: Connection, given: Query): Promise<unknown>;
      };
      return run.call(this, connection, given);
    }
  };
};

export const knexPool = (size: number, open: () => Promise<Connection>): Knex =>
  knex({
    client: knexClient(open),
    // Without it, Knex makes no pool.
    connection: {},
    log: quietLog,
    acquireConnectionTimeout: 4000,
    pool: { min: 0, max: size },
  });

/** No statement of a request takes longer. */
const statementTimeoutMs = 5000;

/**
 * Connections that read, whose statements the server ends after `readLimitMs`, and connections that
 * write.
 */
export const postgresPool = (
  address: PostgresAddress,
  size: number,
  { readLimitMs, ...settings }: PostgresSettings & { readonly readLimitMs: number },
  lineage: Pick<Lineage, "compare">,
): ServerPool<Connection> => {
  const open = async (timeoutMs: number): Promise<Connection> => {
    const connection = await connect(address, { ...settings, statementTimeoutMs: timeoutMs });
    try {
      await lineage.compare(async (sql) => (await query<{ origin: string }>(connection, sql)).rows);
      return connection;
    } catch (thrown) {
      await connection.end().catch(() => undefined);
      throw thrown;
    }
  };
  const writing = Math.max(1, Math.ceil(size / 2));
  const pools = {
    write: knexPool(writing, () => open(statementTimeoutMs)),
    read: knexPool(Math.max(1, size - writing), () => open(readLimitMs)),
  };
  const uses = new WeakMap<Connection, "read" | "write">();
  // Knex types its client as `any`; these are the documented methods of `Knex.Client`.
  const clientOf = (use: "read" | "write"): Knex.Client => pools[use].client as Knex.Client;
  const release = (connection: Connection): Promise<void> =>
    clientOf(uses.get(connection) ?? "write").releaseConnection(connection);

  return {
    dialect: postgresDialect,
    errors: postgresErrors,
    size: writing,
    acquire: async (use) => {
      const connection: Connection = await clientOf(use).acquireConnection();
      uses.set(connection, use);
      return connection;
    },
    release,
    discard: async (connection) => {
      // Knex never hands out a connection that is marked so.
      Object.assign(connection, { __knex__disposed: "its state is not known" });
      await release(connection);
    },
    session: (connection, options) => new PostgresSession(connection, options),
    control: (connection, sql) => query(connection, sql),
    close: async () => {
      await Promise.all([pools.read.destroy(), pools.write.destroy()]);
    },
  };
};
