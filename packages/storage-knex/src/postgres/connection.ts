import type { Client, QueryResult } from "pg";
import type { Change, OwnQuery, RunOptions, Value } from "../engine/database.ts";
import { queryRunner } from "../engine/query-builder.ts";
import { spelled } from "../engine/spelling.ts";
import { ConstraintViolation, queryTooSlow, translate } from "../engine/translate-error.ts";
import { type Failure, ServerSession, type SessionOptions } from "../server/session.ts";
import { isCanceled, postgresErrors } from "./errors.ts";
import type { ValueTypes } from "./value-types.ts";

export type Connection = Client;

/** The names of statements that the server keeps parsed, by their texts. */
const names = new Map<string, string>();

const nameOf = (text: string): string => {
  const name = names.get(text) ?? `postern_${names.size}`;
  names.set(text, name);
  return name;
};

/** Runs one statement. */
export const query = <Row extends object>(
  connection: Connection,
  sql: string,
  values: readonly Value[] = [],
  { prepared = false, types }: RunOptions & { readonly types?: ValueTypes } = {},
): Promise<QueryResult<Row>> => {
  const text = spelled(sql, values);
  return connection.query<Row>({
    text,
    values: [...values],
    ...(prepared ? { name: nameOf(text) } : {}),
    ...(types === undefined ? {} : { types }),
  });
};

/** How Knex's client for PostgreSQL runs a statement. */
const runQuery = queryRunner<Connection>("pg");

export class PostgresSession extends ServerSession<Connection, QueryResult<object>> {
  readonly #keepsStatements: boolean;

  /** `keepsStatements`: whether the next transaction finds what this one has let the server parse. */
  constructor(connection: Connection, options: SessionOptions, keepsStatements: boolean) {
    super(connection, options);
    this.#keepsStatements = keepsStatements;
  }

  /** Values come as the driver gives them to everybody, and not as these connections read rows. */
  protected async sendOwn(query: OwnQuery): Promise<unknown> {
    const { types } = (await import("pg")).default;
    query.options = { types, ...query.options };
    return runQuery(this.connection, query);
  }

  protected async send(sql: string, values: readonly Value[], given: RunOptions): Promise<QueryResult<object>> {
    const { connection } = this;
    const options = this.#keepsStatements ? given : { ...given, prepared: false };
    if (options.refusable !== true) return this.ask(sql, values, options);
    await query(connection, "SAVEPOINT refusable");
    const result = await this.ask(sql, values, options);
    await query(connection, "RELEASE SAVEPOINT refusable");
    return result;
  }

  protected ask(sql: string, values: readonly Value[], options: RunOptions): Promise<QueryResult<object>> {
    return query(this.connection, sql, values, options);
  }

  /** An error ends the transaction, unless it goes back to a savepoint. */
  protected async failure(thrown: unknown, { refusable = false }: RunOptions): Promise<Failure> {
    const { connection, readLimitMs } = this;
    if (readLimitMs !== undefined && isCanceled(thrown)) {
      return { error: queryTooSlow(readLimitMs, thrown), endsTransaction: false };
    }
    const error = translate(thrown, postgresErrors);
    if (!refusable || !(error instanceof ConstraintViolation)) return { error, endsTransaction: true };
    try {
      await query(connection, "ROLLBACK TO SAVEPOINT refusable");
      return { error, endsTransaction: false };
    } catch (lost) {
      return { error: translate(lost, postgresErrors), endsTransaction: true };
    }
  }

  protected rowsIn({ rows }: QueryResult<object>): object[] {
    return rows;
  }

  protected changeIn({ rowCount }: QueryResult<object>): Change {
    return { changed: rowCount ?? 0, insertId: 0 };
  }
}
