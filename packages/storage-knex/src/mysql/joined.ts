import type { ResultSetHeader } from "mysql2";
import { bufferOf, type RunOptions, type Value } from "../database.ts";
import { notBegun } from "../own-connection.ts";
import type { JoinedConnections } from "../server/server.ts";
import type { Failure } from "../server/session.ts";
import { type Connection, MysqlSession } from "./connection.ts";
import { mysqlErrors } from "./errors.ts";

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

/** Runs one statement, for as long as the application lets it. */
const ask = <Result>(connection: Connection, sql: string, values: readonly unknown[] = []): Promise<Result> =>
  new Promise((resolve, reject) => {
    connection.query(
      { sql, values: [...values], typeCast, rowsAsArray: false, nestTables: false },
      // The caller wrote the statement, so it knows the shape of the answer.
      (error, result) => (error === null ? resolve(result as Result) : reject(error)),
    );
  });

class JoinedSession extends MysqlSession {
  protected override send(
    sql: string,
    values: readonly Value[],
    _options: RunOptions,
  ): Promise<object[] | ResultSetHeader> {
    const bound = values.map((value) => (value instanceof Uint8Array ? bufferOf(value) : value));
    return ask(this.connection, sql, bound);
  }

  /** A deadlock is the application's, whose code knows the driver's error and may begin again. */
  protected override failure(thrown: unknown): Failure {
    const failure = super.failure(thrown);
    return mysqlErrors.isContention(thrown) && thrown instanceof Error ? { ...failure, error: thrown } : failure;
  }
}

/** Flags that the server sends with each answer. */
const inTransaction = 1;
const autocommit = 2;

export const joinedMysql: JoinedConnections = {
  session: (connection) => new JoinedSession(connection as Connection),
  requireBegun: async (connection) => {
    const { serverStatus } = await ask<ResultSetHeader>(connection as Connection, "DO 0");
    if ((serverStatus & inTransaction) === 0 && (serverStatus & autocommit) !== 0) throw notBegun();
  },
};
