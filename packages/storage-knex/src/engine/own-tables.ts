import knex, { type Knex } from "knex";
import type { Database } from "./database.ts";
import { queryBuilder } from "./query-builder.ts";
import { quietLog } from "./quiet-log.ts";
import type { OwnQuery } from "./session.ts";

const clientNames = { sqlite: "sqlite3", mysql: "mysql2", postgres: "pg" } as const;

const ending = /^(?:begin|start\s+transaction|commit|rollback|savepoint|release|end|set\s+autocommit)\b/i;
/** On MySQL, these commit the transaction that they are in. */
const committing = /^(?:create(?!\s+temporary)|alter|drop(?!\s+temporary)|truncate|rename|lock|unlock)\b/i;

// What a database reads over before a statement. MySQL runs what stands in a comment that begins with an
// exclamation mark.
const blank = {
  sqlite: /[\s;]+|--.*/y,
  postgres: /[\s;]+|--.*/y,
  mysql: /[\s;]+|--.*|#.*|\/\*M?!\d*/y,
} as const;

/** Where the comment that begins at `from` ends. In PostgreSQL, comments may contain others. */
const commentEnd = (sql: string, from: number, nests: boolean): number => {
  let depth = 0;
  for (const { 0: mark, index } of sql.slice(from).matchAll(/\/\*|\*\//g)) {
    depth = mark === "*/" ? depth - 1 : nests ? depth + 1 : 1;
    if (depth === 0) return from + index + mark.length;
  }
  return sql.length;
};

/** `sql` without the comments before its statement. */
const statementIn = (dialect: keyof typeof blank, sql: string): string => {
  const pattern = blank[dialect];
  let at = 0;
  for (;;) {
    pattern.lastIndex = at;
    if (pattern.test(sql)) at = pattern.lastIndex;
    else if (sql.startsWith("/*", at)) at = commentEnd(sql, at, dialect === "postgres");
    else return sql.slice(at);
  }
};

/** The setting by which a connection of SQLite refuses writes. It would stay with the connection. */
const queryOnly = /^pragma\s+(?:\w+\s*\.\s*)?["'`[]?query_only\b/i;

const refuseEnd = (dialect: Database["dialect"], sql: string): void => {
  const statement = statementIn(dialect.name, sql);
  if (dialect.name === "sqlite" && queryOnly.test(statement)) {
    throw new TypeError("PRAGMA query_only says what this connection may do, and stays as it is");
  }
  if (ending.test(statement) || (dialect.name === "mysql" && committing.test(statement))) {
    const [word = ""] = statement.split(/\W/, 1);
    throw new TypeError(
      `${word.toUpperCase()} would end the transaction that this Knex belongs to; it ends when your work has ended`,
    );
  }
};

const noTransaction = (): never => {
  throw new TypeError("this Knex belongs to a transaction already, and begins no other in it; use it as it is");
};

/** Knex's own client, whose statements run in one transaction. */
const clientClass = (name: keyof typeof clientNames): typeof Knex.Client => {
  const Base: typeof Knex.Client = queryBuilder(clientNames[name]).client.constructor;
  return class extends Base {
    /** Lets a query of another Knex run here: `query.transacting(tx.knex)`. */
    transacting = true;

    _driver(): object {
      return {};
    }

    override async acquireConnection(): Promise<object> {
      return {};
    }

    override async releaseConnection(): Promise<void> {
      // The transaction gives its connection back.
    }

    async _query(_connection: unknown, query: OwnQuery): Promise<OwnQuery> {
      const { database } = this.config as { readonly database: Database };
      refuseEnd(database.dialect, query.sql);
      await database.write((session) => session.own(query));
      return query;
    }

    _stream(): never {
      throw new TypeError("this Knex reads no streams; read the rows in portions");
    }

    override transaction(): never {
      return noTransaction();
    }
  };
};

const classes = new Map<string, typeof Knex.Client>();

/** Knex whose statements belong to the transaction of `database`. */
const knexIn = (database: Database): Knex => {
  const { name } = database.dialect;
  const client = classes.get(name) ?? clientClass(name);
  classes.set(name, client);
  // Knex keeps members of its configuration that it does not know.
  return knex({ client, useNullAsDefault: true, log: quietLog, database } as Knex.Config);
};

/** What a transaction lends to code of the application. */
export class KnexTables {
  readonly #database: Database;
  #knex: Knex | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  get knex(): Knex {
    this.#knex ??= knexIn(this.#database);
    return this.#knex;
  }
}
