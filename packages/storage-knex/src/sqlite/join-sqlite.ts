import { statSync } from "node:fs";
import type { Knex } from "knex";
import {
  type AppendedRow,
  bufferOf,
  type Change,
  checkValues,
  type OwnQuery,
  placeholders,
  quoted,
  type Session,
  type Value,
} from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { IdBlocks } from "../engine/id-blocks.ts";
import { type JoinedDatabase, joinedDatabase } from "../engine/open-database.ts";
import { afterCommitOf, isElsewhere, ownConnectionOf, sessionOn } from "../engine/own-connection.ts";
import { translate, vendorErrorOf } from "../engine/translate-error.ts";
import { sqliteErrors } from "./errors.ts";

/** Knex's client, whose types do not have this method. */
interface QueryingClient {
  _query(connection: object, query: OwnQuery): Promise<unknown>;
}

/** A session in a transaction of Knex, with whatever driver that has. */
class TrxSession implements Session {
  readonly isRepeat = false;
  readonly #trx: Knex.Transaction;
  readonly #connection: object;

  constructor(trx: Knex.Transaction, connection: object) {
    this.#trx = trx;
    this.#connection = connection;
  }

  async rows<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    const { response } = await this.#run({ sql, bindings: values, method: "select" });
    // The caller wrote the statement, so it knows the columns.
    return response as Row[];
  }

  async run(sql: string, values: readonly Value[] = []): Promise<Change> {
    const { context } = await this.#run({ sql, bindings: values, method: "update" });
    const { changes = 0 } = (context ?? {}) as { readonly changes?: number };
    return { changed: changes, insertId: 0 };
  }

  async later(sql: string, values?: readonly Value[]): Promise<void> {
    await this.run(sql, values);
  }

  async append({ table, columns, values }: AppendedRow): Promise<void> {
    await this.run(`INSERT INTO ${table} (${quoted(columns)}) VALUES ${placeholders(1, values.length)}`, values);
  }

  afterCommit(action: () => void): void {
    afterCommitOf(this.#trx, action);
  }

  async own(query: OwnQuery): Promise<void> {
    await this.#run(query);
  }

  async #run(query: OwnQuery & { readonly bindings?: readonly unknown[] }): Promise<OwnQuery> {
    const values = (query.bindings ?? []) as readonly Value[];
    checkValues(values);
    const asked = {
      ...query,
      bindings: values.map((value) => (value instanceof Uint8Array ? bufferOf(value) : value)),
    };
    try {
      await (this.#trx.client as QueryingClient)._query(this.#connection, asked);
      return asked;
    } catch (thrown) {
      // Another process or transaction writes. The application knows this error, and may begin again.
      throw vendorErrorOf(thrown).code.startsWith("SQLITE_BUSY") ? thrown : translate(thrown, sqliteErrors);
    }
  }
}

const identityOf = (file: string): string => {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
};

/** @throws TypeError unless the session is on this file. */
const requireFile = async (session: Session, file: string): Promise<void> => {
  try {
    const [main] = await session.rows<{ file: string }>("SELECT file FROM pragma_database_list WHERE name = 'main'");
    if (main !== undefined && identityOf(main.file) === identityOf(file)) return;
  } catch (thrown) {
    throw isElsewhere(thrown);
  }
  throw isElsewhere();
};

/** Lets stores take part in a transaction that the application has begun on the same file. */
export const joinSqlite = (
  given: unknown,
  { file, dialect, ids }: { readonly file: string; readonly dialect: Dialect; readonly ids: IdBlocks },
): JoinedDatabase => {
  const own = ownConnectionOf(given, "sqlite");
  const open = sessionOn(own, async (connection) => {
    const session = new TrxSession(own.trx as Knex.Transaction /* no other is taken on SQLite */, connection);
    await requireFile(session, file);
    return session;
  });
  // A block of numbers is reserved by a write of its own, which would wait for this transaction.
  const take: IdBlocks["take"] = async (sequence, count) => ids.takeWithin(await open(), sequence, count);
  return {
    database: joinedDatabase(dialect, { ...ids, take }, open),
    afterCommit: (action) => afterCommitOf(own.trx, action),
  };
};
