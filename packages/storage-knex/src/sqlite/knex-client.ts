import type { Knex } from "knex";
import { type Opener, openedClient } from "../engine/opened-pool.ts";
import type { OwnQuery } from "../engine/session.ts";
import type { Bound, SqliteConnection, Step } from "./driver/driver.ts";

const changes: ReadonlySet<string> = new Set(["insert", "update", "del", "counter"]);

/** Runs a statement of Knex, and gives Knex what it reads from it. `before` runs in front of it. */
export const runQuery = async (
  connection: SqliteConnection,
  query: OwnQuery,
  values: readonly Bound[],
  before?: readonly Step[],
): Promise<void> => {
  if (changes.has(query.method ?? "") && query.returning === undefined) {
    const { changed, insertId } = await connection.run(query.sql, values, before);
    query.context = { changes: changed, lastID: insertId };
  } else query.response = await connection.all(query.sql, values, before);
};

/** Knex's own client for SQLite, which makes the statements, on the connections of a driver of ours, which runs them. */
export const knexClient = (open: Opener<SqliteConnection>["open"]): typeof Knex.Client =>
  class extends openedClient<SqliteConnection>("sqlite3", { open, end: (connection) => connection.close() }) {
    override async validateConnection(connection: SqliteConnection): Promise<boolean> {
      return !connection.isLost;
    }

    async _query(connection: SqliteConnection, query: OwnQuery): Promise<OwnQuery> {
      // Knex's migrations write the time as a date, which `sqlite3` would store as milliseconds.
      const values = query.bindings?.map((value) => (value instanceof Date ? value.getTime() : value)) ?? [];
      await runQuery(connection, query, values as readonly Bound[]);
      return query;
    }
  };
