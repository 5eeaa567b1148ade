import type { Knex } from "knex";
import type { QueryResult, QueryResultRow } from "pg";
import type { RunOptions, Value } from "../engine/database.ts";
import type { DatabaseAddress } from "../engine/database-url.ts";
import { type OpenedPool, openedClient, openedPool } from "../engine/opened-pool.ts";
import { hasFailed, hasSetting, notBegun } from "../engine/own-connection.ts";
import { spelled } from "../engine/spelling.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import { firstWriter, unsuitable } from "../server/first-writer.ts";
import type { Lineage } from "../server/lineage.ts";
import { asOfDriver, type JoinedConnections, type ServerPool, type ServerSettings } from "../server/server.ts";
import { createServerWatch, type ServerWatch, type Standing } from "../server/server-watch.ts";
import type { Failure } from "../server/session.ts";
import { type Connection, PostgresSession, query } from "./connection.ts";
import { createPostgresDialect } from "./dialect.ts";
import { postgresErrors, refusesSettings } from "./errors.ts";
import { type ValueTypes, valueTypes } from "./value-types.ts";

export type PostgresAddress = Extract<DatabaseAddress, { kind: "postgres" }>;

interface ConnectionSettings extends ServerSettings {
  /** 0: as long as it takes. */
  readonly statementTimeoutMs: number;
}

const lockTimeoutMs = 2000;

const settingsOf = ({ requireFlush, statementTimeoutMs }: ConnectionSettings): readonly string[] => [
  `statement_timeout=${statementTimeoutMs}`,
  `lock_timeout=${lockTimeoutMs}`,
  "idle_in_transaction_session_timeout=30000",
  ...(requireFlush ? [] : ["synchronous_commit=off"]),
];

/** The driver's options for one of the hosts. */
const optionsFor = (
  address: PostgresAddress,
  { host, port }: PostgresAddress["hosts"][number],
  settings: ConnectionSettings,
  types: ValueTypes,
) => ({
  host,
  port,
  user: address.user,
  password: address.password,
  database: address.database,
  application_name: "postern",
  ...(address.tls === undefined ? {} : { ssl: address.tls }),
  ...(address.channelBinding === undefined ? {} : { enableChannelBinding: true }),
  types,
  keepAlive: true,
  connectionTimeoutMillis: 2000,
  // The server itself stops a statement a little earlier.
  ...(settings.statementTimeoutMs === 0 ? {} : { query_timeout: settings.statementTimeoutMs + 1000 }),
  // A pooler takes no settings of a session, which would be those of its next client as well.
  ...(address.pooled
    ? {}
    : {
        options: [
          ...settingsOf(settings).map((setting) => `-c ${setting}`),
          "-c default_transaction_isolation=read\\ committed",
          "-c timezone=UTC",
          ...(address.schema === undefined ? [] : [`-c search_path="${address.schema}"`]),
        ].join(" "),
      }),
});

/** The statements that begin a transaction with its settings behind a pooler, as one message. */
const beginWith = (settings: ConnectionSettings, mode = "READ COMMITTED"): string =>
  [`START TRANSACTION ISOLATION LEVEL ${mode}`, ...settingsOf(settings).map((setting) => `SET LOCAL ${setting}`)].join(
    "; ",
  );

interface ServerFacts {
  readonly version: number;
  readonly encoding: string;
  readonly fsync: string;
  readonly commit: string;
  readonly standby: number;
  readonly readonly: string;
  /** In milliseconds. */
  readonly locking: number;
}

const throughPooler = "a pooler in transaction mode stands in front of the server; add pooler=transaction to the URL";

/**
 * Whether the server takes writes. @throws Error when it is too old, does not flush each commit to the
 * disk, or did not get the settings of the connection.
 */
const takesWrites = async (
  connection: Connection,
  { pooled: isPooled }: PostgresAddress,
  { requireFlush }: ServerSettings,
): Promise<boolean> => {
  const { rows } = await query<ServerFacts & QueryResultRow>(
    connection,
    `SELECT CAST(current_setting('server_version_num') AS integer) AS version,
       current_setting('server_encoding') AS encoding, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, pg_is_in_recovery() AS standby,
       current_setting('transaction_read_only') AS readonly,
       (SELECT CAST(setting AS integer) FROM pg_settings WHERE name = 'lock_timeout') AS locking`,
  );
  const [facts] = rows;
  if (facts === undefined) throw unsuitable("the server does not say what it is");
  if (facts.version < 140_000) {
    throw unsuitable(`this needs PostgreSQL 14 or later; the server has ${Math.floor(facts.version / 10_000)}`);
  }
  if (facts.encoding !== "UTF8") {
    throw unsuitable(
      `the encoding of the database is ${facts.encoding}, in which not every text can be stored: make one with createdb --encoding=UTF8 --template=template0, and let the URL lead to it`,
    );
  }
  if (requireFlush && (facts.fsync !== "on" || facts.commit === "off")) {
    throw unsuitable(
      `fsync is ${facts.fsync} and synchronous_commit is ${facts.commit}: a power cut would lose accepted events; set both to on, or accept that with durability "relaxed"`,
    );
  }
  if (!isPooled && facts.locking !== lockTimeoutMs) throw unsuitable(throughPooler);
  return facts.standby === 0 && facts.readonly === "off";
};

/** Addresses that lead to the server itself, as was seen. */
const direct = new WeakSet<PostgresAddress>();

/**
 * Finds out whether the statements of one connection run on several of the server's. A pooler gives the
 * first statement's connection to a transaction that begins next, unless others use it meanwhile.
 * @throws Error with the code `UNSUITABLE_SERVER` if they do.
 */
const requireDirect = async (address: PostgresAddress, one: Connection, other: Connection): Promise<void> => {
  if (direct.has(address)) return;
  const backendOf = async (connection: Connection): Promise<number | undefined> => {
    const { rows } = await query<{ pid: number }>(connection, "SELECT pg_backend_pid() AS pid");
    return rows[0]?.pid;
  };
  try {
    await other.connect();
    const first = await backendOf(one);
    await query(other, "BEGIN");
    if ((await backendOf(other)) === first || (await backendOf(one)) !== first) throw unsuitable(throughPooler);
  } finally {
    await other.end().catch(() => undefined);
  }
  direct.add(address);
};

/** What a server may say in place of a demand that binds the password to the connection. */
const otherDemands = ["authenticationCleartextPassword", "authenticationMD5Password", "authenticationOk"] as const;

/**
 * Ends the connection, before a password is sent, with a server that does not bind the proof of the
 * password to this TLS connection: https://www.postgresql.org/docs/current/sasl-authentication.html.
 */
const requireBinding = ({ connection }: Connection): void => {
  let isBound = false;
  const refuse = (): void => {
    connection.emit("error", unsuitable("the URL has channel_binding=require, and the server offers none"));
    connection.stream.destroy();
  };
  connection.prependListener("authenticationSASL", ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
    isBound = mechanisms.includes("SCRAM-SHA-256-PLUS");
    if (!isBound) refuse();
  });
  for (const demand of otherDemands) {
    connection.prependListener(demand, () => {
      if (!isBound) refuse();
    });
  }
};

/**
 * A connection to the first host that takes writes. @throws the error of the last host that could not be
 * reached, or Error with the code `NO_PRIMARY` if all are standbys.
 */
export const connect = async (address: PostgresAddress, settings: ConnectionSettings): Promise<Connection> => {
  const { Client } = (await import("pg")).default;
  const types = await valueTypes();
  const clientOf = (host: PostgresAddress["hosts"][number]): Connection => {
    const client = new Client(optionsFor(address, host, settings, types));
    // A connection that is lost while it is idle fails with its next statement. Without a listener,
    // the loss would end the process.
    client.on("error", () => undefined);
    if (address.channelBinding === true) requireBinding(client);
    return client;
  };
  return firstWriter(address.hosts, {
    open: async (host) => {
      const connection = clientOf(host);
      try {
        await connection.connect();
        if (!address.pooled) await requireDirect(address, connection, clientOf(host));
        return connection;
      } catch (thrown) {
        await connection.end().catch(() => undefined);
        throw refusesSettings(thrown) ? unsuitable(throughPooler) : thrown;
      }
    },
    takesWrites: (connection) => takesWrites(connection, address, settings),
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
  // One stays open for an idle worker, which asks twice a minute.
  openedPool((connections) => knexClient(open, connections), { size, idle: 1, acquireMs: 4000 });

/**
 * The server that a connection leads to. No two starts are in the same microsecond, so the start names
 * the server; through a pooler, it is that of the connection behind it.
 */
const standingOf = async (connection: Connection): Promise<Standing> => {
  const { rows } = await query<{ started: string | number }>(
    connection,
    "SELECT CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS bigint) AS started",
  );
  const started = String(rows[0]?.started);
  return { server: started, startedAt: Number(started) / 1_000 };
};

/** No statement of a request takes longer. */
const statementTimeoutMs = 5000;

/**
 * Connections that read, whose statements the server ends after `readLimitMs`, and connections that
 * write.
 */
export const postgresPool = (
  address: PostgresAddress,
  size: number,
  { readLimitMs, ...settings }: ServerSettings & { readonly readLimitMs: number },
  lineage: Pick<Lineage, "compare">,
  servers: Pick<ServerWatch, "opened" | "used"> = createServerWatch(),
): ServerPool<Connection> => {
  const open = async (timeoutMs: number): Promise<Connection> => {
    const connection = await connect(address, { ...settings, statementTimeoutMs: timeoutMs });
    try {
      await lineage.compare(async (sql) => (await query<{ number: number }>(connection, sql)).rows);
      servers.opened(connection, await standingOf(connection));
      return connection;
    } catch (thrown) {
      await connection.end().catch(() => undefined);
      throw thrown;
    }
  };
  const writing = Math.max(1, Math.ceil(size / 2));
  const begin = {
    write: beginWith({ ...settings, statementTimeoutMs }),
    read: beginWith({ ...settings, statementTimeoutMs: readLimitMs }),
  };
  const ofSnapshot = "REPEATABLE READ, READ ONLY";
  const beginSnapshot = address.pooled
    ? beginWith({ ...settings, statementTimeoutMs: readLimitMs }, ofSnapshot)
    : `START TRANSACTION ISOLATION LEVEL ${ofSnapshot}`;
  const reading = Math.max(1, size - writing);
  const pools = {
    write: knexPool(writing, () => open(statementTimeoutMs)),
    read: knexPool(reading, () => open(readLimitMs)),
  };
  const uses = new WeakMap<Connection, OpenedPool<Connection>>();
  const poolOf = (connection: Connection): OpenedPool<Connection> => uses.get(connection) ?? pools.write;

  return {
    dialect: createPostgresDialect(),
    errors: postgresErrors,
    joined: joinedPostgres,
    size: writing,
    readers: reading,
    // The first statement takes the snapshot. After it, nobody can let the transaction write.
    snapshot: [`${beginSnapshot}; SELECT 1`],
    ...(address.pooled ? { begin } : {}),
    acquire: async (use) => {
      const connection = await pools[use].acquire();
      uses.set(connection, pools[use]);
      servers.used(connection);
      return connection;
    },
    release: (connection) => poolOf(connection).release(connection),
    discard: (connection) => poolOf(connection).discard(connection),
    renew: () => {
      pools.read.renew();
      pools.write.renew();
    },
    session: (connection, options) => new PostgresSession(connection, options, !address.pooled),
    control: (connection, sql) => query(connection, sql),
    close: async () => {
      await Promise.all([pools.read.close(), pools.write.close()]);
    },
  };
};

class JoinedSession extends PostgresSession {
  constructor(connection: Connection) {
    // The application may have a pooler, which keeps no statements.
    super(connection, {}, false);
  }

  /** Values are read as the stores know them, whatever the application has set. */
  protected override async ask(
    sql: string,
    values: readonly Value[],
    options: RunOptions,
  ): Promise<QueryResult<object>> {
    return query(this.connection, sql, values, { ...options, types: await valueTypes() });
  }

  protected override async failure(thrown: unknown, options: RunOptions): Promise<Failure> {
    return asOfDriver(await super.failure(thrown, options), thrown, postgresErrors);
  }
}

/** PostgreSQL's code for a savepoint outside a transaction. */
const noTransaction = "25P01";
const failedTransaction = "25P02";

/** Asks the server, for a driver that does not tell. */
const requireBegunOnServer = async (connection: Connection): Promise<void> => {
  try {
    await query(connection, "SAVEPOINT postern");
    await query(connection, "RELEASE SAVEPOINT postern");
  } catch (thrown) {
    const { code } = vendorErrorOf(thrown);
    if (code === noTransaction) throw notBegun();
    throw code === failedTransaction ? hasFailed() : thrown;
  }
};

/** What a session has, and what it must have. */
const neededSettings = { client_encoding: "UTF8", standard_conforming_strings: "on" } as const;

const requireSettings: JoinedConnections["requireSettings"] = async (session) => {
  const [found] = await session.rows<Readonly<Record<string, string>>>(
    `SELECT ${Object.keys(neededSettings)
      .map((name) => `current_setting('${name}') AS ${name}`)
      .join(", ")}`,
  );
  for (const [name, needed] of Object.entries(neededSettings)) {
    const value = String(found?.[name]);
    if (value !== needed) throw hasSetting(name, value, `run SET ${name} = '${needed}' on it`);
  }
};

const joinedPostgres: JoinedConnections = {
  session: (connection) => new JoinedSession(connection as Connection),
  requireSettings,
  requireBegun: async (given) => {
    const connection = given as Connection & { getTransactionStatus?(): string | null };
    if (connection.getTransactionStatus === undefined) return requireBegunOnServer(connection);
    const status = connection.getTransactionStatus();
    if (status === "E") throw hasFailed();
    if (status !== "T") throw notBegun();
  },
};
