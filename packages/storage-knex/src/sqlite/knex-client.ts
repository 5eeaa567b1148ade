import type { Knex } from "knex";
import { queryBuilder } from "../query-builder.ts";
import type { Bound, SqliteConnection, SqliteDriverName } from "./driver/driver.ts";
import { loadDriver } from "./driver/load-driver.ts";

/** What Knex knows of a statement that it runs, and what it reads from it afterwards. */
interface Query {
  readonly sql: string;
  readonly bindings?: readonly (Bound | Date)[];
  readonly method?: string;
  readonly returning?: unknown;
  response?: readonly unknown[];
  context?: { readonly changes: number; readonly lastID: number };
}

const changes: ReadonlySet<string> = new Set(["insert", "update", "del", "counter"]);

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

    async _query(connection: SqliteConnection, query: Query): Promise<Query> {
      // Knex's migrations write the time as a date, which `sqlite3` would store as milliseconds.
      const values = query.bindings?.map((value) => (value instanceof Date ? value.getTime() : value));
      if (changes.has(query.method ?? "") && query.returning === undefined) {
        const { changed, insertId } = await connection.run(query.sql, values);
        query.context = { changes: changed, lastID: insertId };
      } else query.response = await connection.all(query.sql, values);
      return query;
    }
  };
};
