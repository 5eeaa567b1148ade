import type { Knex } from "knex";
import type { PoolConfig, QueryResultRow } from "pg";
import type { DatabaseAddress } from "../database-url.ts";
import { firstWriter, unsuitable } from "../server/first-writer.ts";
import type { Lineage } from "../server/lineage.ts";
import { type OpenedPool, openedClient, openedPool } from "../server/opened-pool.ts";
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
  } as NonNullable<PoolConfig["types"]>;
  return firstWriter(address.hosts, {
    open: async (host) => {
      const connection = new Client(optionsFor(address, host, settings, ownTypes));
      // A connection that is lost while it is idle fails with its next statement. Without a listener,
      // the loss would end the process.
      connection.on("error", () => undefined);
      try {
        await connection.connect();
        return connection;
      } catch (thrown) {
        await connection.end().catch(() => undefined);
        throw thrown;
      }
    },
    takesWrites: (connection) => takesWrites(connection, settings),
    end: (connection) => connection.end(),
  });
};

/** What Knex knows of a statement that it runs. */
interface Query {
  sql: string;
}

/** Knex's client for PostgreSQL, which takes names in backticks, as the migrations write them. */
const knexClient = (open: () => Promise<Connection>, connections: Set<Connection>): typeof Knex.Client => {
  const Opened = openedClient("pg", { open, end: (connection: Connection) => connection.end() }, connections);
  return class extends Opened {
    _query(connection: Connection, given: Query): Promise<unknown> {
      given.sql = spelled(given.sql);
      // Knex's types do not have this method, which every client of Knex has.
      const { _query: run } = Opened.prototype as unknown as {
        _query(connection: Connection, given: Query): Promise<unknown>;
      };
      return run.call(this, connection, given);
    }
  };
};

export const knexPool = (size: number, open: () => Promise<Connection>): OpenedPool<Connection> =>
  openedPool((connections) => knexClient(open, connections), { size, acquireMs: 4000 });

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
  const uses = new WeakMap<Connection, OpenedPool<Connection>>();
  const poolOf = (connection: Connection): OpenedPool<Connection> => uses.get(connection) ?? pools.write;

  return {
    dialect: postgresDialect,
    errors: postgresErrors,
    size: writing,
    acquire: async (use) => {
      const connection = await pools[use].acquire();
      uses.set(connection, pools[use]);
      return connection;
    },
    release: (connection) => poolOf(connection).release(connection),
    discard: (connection) => poolOf(connection).discard(connection),
    renew: () => {
      pools.read.renew();
      pools.write.renew();
    },
    session: (connection, options) => new PostgresSession(connection, options),
    control: (connection, sql) => query(connection, sql),
    close: async () => {
      await Promise.all([pools.read.close(), pools.write.close()]);
    },
  };
};
