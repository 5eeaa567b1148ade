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
