import knex, { type Knex } from "knex";
import { quietLog } from "./quiet-log.ts";
import type { Change, Session, Statement, Value } from "./session.ts";

/**
 * Knex's query builder in the spelling of one kind of server. It makes statements and has no connection: sessions run
 * what it makes. Used wherever speed does not matter; a statement written by hand says why it is one.
 */
export type QueryBuilder = Knex;

export const queryBuilder = (client: "sqlite3" | "mysql2"): QueryBuilder =>
  knex({ client, useNullAsDefault: true, log: quietLog });

/** A query of the builder as a statement. The session checks the values before they reach a driver. */
const statementOf = (query: Knex.QueryBuilder): Statement => {
  const { sql, bindings } = query.toSQL().toNative();
  // Knex types what is bound as `any` values; `checkValues` refuses all that is no `Value`.
  return { sql, values: bindings as readonly Value[] };
};

/** The rows of a query. `Row` states the columns it selects. */
export const findRows = <Row extends object>(session: Session, query: Knex.QueryBuilder): Promise<Row[]> => {
  const { sql, values } = statementOf(query);
  return session.rows<Row>(sql, values);
};

/** Runs an insert, an update or a delete. */
export const changeRows = (session: Session, query: Knex.QueryBuilder): Promise<Change> => {
  const { sql, values } = statementOf(query);
  return session.run(sql, values);
};

/** How many rows some queries have together, at one moment, counted up to `atMost`. They select nothing yet. */
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

/** Puts a page of a list into a query: newest first, or behind an id oldest first. */
export const paged = (
  query: Knex.QueryBuilder,
  { before, after, limit }: { readonly before?: number; readonly after?: number; readonly limit: number },
): Knex.QueryBuilder => {
  if (before !== undefined) query.where("id", "<", before);
  if (after !== undefined) query.where("id", ">", after);
  return query.orderBy("id", after === undefined ? "desc" : "asc").limit(limit);
};
