import knex, { type Knex } from "knex";
import { quietLog } from "./quiet-log.ts";
import type { Change, OwnQuery, RunOptions, Session, Sessions, Statement, Value } from "./session.ts";

/**
 * Knex's query builder in the spelling of one kind of server. It makes statements and has no
 * connection; sessions run the statements. Use it wherever speed does not matter. A statement that
 * is written by hand says why.
 */
export type QueryBuilder = Knex;

export const queryBuilder = (client: "sqlite3" | "mysql2" | "pg"): QueryBuilder =>
  knex({ client, useNullAsDefault: true, log: quietLog });

/** Runs a statement on a connection as Knex's own client for this kind of server does. */
export const queryRunner = <Connection>(
  client: "mysql2" | "pg",
): ((connection: Connection, query: OwnQuery) => Promise<unknown>) => {
  // Knex's types do not have this method, which every client of Knex has.
  const { _query: run } = queryBuilder(client).client.constructor.prototype as {
    _query(connection: Connection, query: OwnQuery): Promise<unknown>;
  };
  return (connection, query) => run(connection, query);
};

/**
 * A query of the builder as a statement, with `?` in the place of each value. The session checks the
 * values before they reach a driver.
 */
const statementOf = (query: Knex.QueryBuilder): Statement => {
  const { sql, bindings } = query.toSQL();
  // Knex types what is bound as `any` values; `checkValues` refuses everything that is not a
  // `Value`.
  return { sql, values: bindings as readonly Value[] };
};

/** The rows of a query. `Row` states the columns it selects. */
export const findRows = <Row extends object>(session: Session, query: Knex.QueryBuilder): Promise<Row[]> => {
  const { sql, values } = statementOf(query);
  return session.rows<Row>(sql, values);
};

/** Runs an insert, an update or a delete. */
export const changeRows = (session: Session, query: Knex.QueryBuilder, options?: RunOptions): Promise<Change> => {
  const { sql, values } = statementOf(query);
  return session.run(sql, values, options);
};

/** The rows of a query, in a read of its own. */
export const readQuery = <Row extends object>(
  { read }: Pick<Sessions, "read">,
  query: Knex.QueryBuilder,
): Promise<Row[]> => read((session) => findRows<Row>(session, query));

/** Runs an insert, an update or a delete in a transaction of its own. Returns how many rows it changed. */
export const changeQuery = async ({ write }: Pick<Sessions, "write">, query: Knex.QueryBuilder): Promise<number> =>
  (await write((session) => changeRows(session, query))).changed;

/**
 * How many rows some queries find together, at one moment, counted up to `atMost`. The queries must
 * not select anything yet.
 */
export const countRows = async (
  session: Session,
  queries: readonly Knex.QueryBuilder[],
  atMost: number,
): Promise<number> => {
  if (!(Number.isSafeInteger(atMost) && atMost >= 1)) {
    throw new TypeError(`counting stops at a whole number, not ${atMost}`);
  }
  const parts = queries.map((query) => statementOf(query.select("id").limit(atMost)));
  const counts = parts.map(({ sql }) => `(SELECT COUNT(*) FROM (${sql}) AS found)`);
  const [row] = await session.rows<{ counted: number }>(
    `SELECT ${counts.join(" + ")} AS counted`,
    parts.flatMap(({ values }) => values),
  );
  return Math.min(Number(row?.counted ?? 0), atMost);
};

/** A column, and the value that every row of a list has in it. */
export interface Lead {
  readonly column: string;
  readonly value: string | number | Knex.Raw;
}

export interface Page {
  readonly before?: number | string;
  readonly after?: number | string;
  readonly limit: number;
}

/**
 * Limits a query to a page of a list: newest first, or oldest first for a page behind an id. `id` names
 * the column that orders the list.
 *
 * With a `lead`, an index of that column and the id finds the rows. The query asks for a range and
 * sorts by both columns: for `provider = ? AND id < ?`, MariaDB looks up the provider alone and reads
 * all its rows in front of the page, so a page would cost more the farther back it is.
 */
export const paged = (
  query: Knex.QueryBuilder,
  { before, after, limit }: Page,
  lead?: Lead,
  id = "id",
): Knex.QueryBuilder => {
  const direction = after === undefined ? "desc" : "asc";
  if (lead !== undefined) {
    const { column, value } = lead;
    query.where(column, ">=", value).where(column, "<=", value).orderBy(column, direction);
  }
  if (before !== undefined) query.where(id, "<", before);
  if (after !== undefined) query.where(id, ">", after);
  return query.orderBy(id, direction).limit(limit);
};
