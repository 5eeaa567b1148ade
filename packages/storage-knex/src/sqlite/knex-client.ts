import type { Knex } from "knex";
import { queryBuilder } from "../query-builder.ts";
import type { OwnQuery } from "../session.ts";
import type { Bound, SqliteConnection, SqliteDriverName, Step } from "./driver/driver.ts";
import { loadDriver } from "./driver/load-driver.ts";

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

/**
 * Knex's own client for SQLite, which makes the statements, on the connections of a driver of ours,
 * which runs them. The prototype's constructor is the only public way to that client. `beforeOpening` is
 * called before each connection, which makes no file.
 */
export const knexClient = (name: SqliteDriverName | undefined, beforeOpening: () => void): typeof Knex.Client => {
  const Base: typeof Knex.Client = queryBuilder("sqlite3").client.constructor;
  return class extends Base {
    _driver(): object {
      return {};
    }

    override async acquireRawConnection(): Promise<SqliteConnection> {
      const driver = await loadDriver(name);
      // What a pool passes as its `connection`.
      const { filename } = this.connectionSettings as { readonly filename: string };
      beforeOpening();
      return driver.open(filename, { create: false });
    }

    override destroyRawConnection(connection: SqliteConnection): Promise<void> {
      return connection.close();
    }

    async _query(connection: SqliteConnection, query: OwnQuery): Promise<OwnQuery> {
      // Knex's migrations write the time as a date, which `sqlite3` would store as milliseconds.
      const values = query.bindings?.map((value) => (value instanceof Date ? value.getTime() : value)) ?? [];
      await runQuery(connection, query, values as readonly Bound[]);
      return query;
    }
  };
};
