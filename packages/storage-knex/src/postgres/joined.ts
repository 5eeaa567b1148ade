import type { QueryResult } from "pg";
import type { RunOptions, Value } from "../database.ts";
import { hasFailed, notBegun } from "../own-connection.ts";
import type { JoinedConnections } from "../server/server.ts";
import type { Failure } from "../server/session.ts";
import { vendorErrorOf } from "../translate-error.ts";
import { type Connection, PostgresSession, query } from "./connection.ts";
import { postgresErrors } from "./errors.ts";
import { valueTypes } from "./value-types.ts";

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

  /** A deadlock or a serialization failure is the application's, whose code knows the driver's error and may begin again. */
  protected override async failure(thrown: unknown, options: RunOptions): Promise<Failure> {
    const failure = await super.failure(thrown, options);
    return postgresErrors.isContention(thrown) && thrown instanceof Error ? { ...failure, error: thrown } : failure;
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

export const joinedPostgres: JoinedConnections = {
  session: (connection) => new JoinedSession(connection as Connection),
  requireBegun: async (given) => {
    const connection = given as Connection & { getTransactionStatus?(): string | null };
    if (connection.getTransactionStatus === undefined) return requireBegunOnServer(connection);
    const status = connection.getTransactionStatus();
    if (status === "E") throw hasFailed();
    if (status !== "T") throw notBegun();
  },
};
