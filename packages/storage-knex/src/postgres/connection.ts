import type { Client, QueryResult } from "pg";
import {
  type AppendedRow,
  type Change,
  checkValues,
  placeholders,
  quoted,
  type RunOptions,
  type Value,
} from "../database.ts";
import type { ServerSession, SessionOptions } from "../server/server.ts";
import { ConstraintViolation, queryTooSlow, translate } from "../translate-error.ts";
import { isCanceled, postgresErrors } from "./errors.ts";
import { spelled } from "./spelling.ts";

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
  { prepared = false }: RunOptions = {},
): Promise<QueryResult<Row>> => {
  const text = spelled(sql, values);
  return connection.query<Row>({ text, values: [...values], ...(prepared ? { name: nameOf(text) } : {}) });
};

/** A session on a connection. Each read and each write has one. */
export class PostgresSession implements ServerSession {
  readonly isRepeat: boolean;
  readonly committed: (() => void)[] = [];
  readonly #connection: Connection;
  readonly #readLimitMs: number | undefined;
  #broken: { readonly thrown: unknown; readonly translated: Error } | undefined;
  #over: Error | undefined;

  constructor(connection: Connection, { readLimitMs, isRepeat = false }: SessionOptions = {}) {
    this.isRepeat = isRepeat;
    this.#connection = connection;
    this.#readLimitMs = readLimitMs;
  }

  get broken(): unknown {
    return this.#broken?.thrown;
  }

  end(reason: Error): void {
    this.#over = reason;
  }

  async rows<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return (await this.#guarded<Row>(sql, values)).rows;
  }

  async run(sql: string, values: readonly Value[] = [], options?: RunOptions): Promise<Change> {
    const { rowCount } = await this.#guarded(sql, values, options);
    return { changed: rowCount ?? 0, insertId: 0 };
  }

  async later(sql: string, values: readonly Value[] = [], options?: RunOptions): Promise<void> {
    await this.#guarded(sql, values, options);
  }

  async append({ table, columns, values }: AppendedRow): Promise<void> {
    await this.#guarded(`INSERT INTO ${table} (${quoted(columns)}) VALUES ${placeholders(1, values.length)}`, values);
  }

  afterCommit(action: () => void): void {
    this.committed.push(action);
  }

  async #guarded<Row extends object>(
    sql: string,
    values: readonly Value[],
    options: RunOptions = {},
  ): Promise<QueryResult<Row>> {
    const refusal = this.#over ?? this.#broken?.translated;
    if (refusal !== undefined) throw refusal;
    checkValues(values);
    const { refusable = false } = options;
    try {
      if (refusable) await query(this.#connection, "SAVEPOINT refusable");
      const result = await query<Row>(this.#connection, sql, values, options);
      if (refusable) await query(this.#connection, "RELEASE SAVEPOINT refusable");
      return result;
    } catch (thrown) {
      throw await this.#failed(thrown, refusable);
    }
  }

  /** The error to throw. An error ends the transaction, unless it goes back to a savepoint. */
  async #failed(thrown: unknown, refusable: boolean): Promise<Error> {
    const readLimitMs = this.#readLimitMs;
    const isTooSlow = readLimitMs !== undefined && isCanceled(thrown);
    const translated = isTooSlow ? queryTooSlow(readLimitMs, thrown) : translate(thrown, postgresErrors);
    if (refusable && translated instanceof ConstraintViolation) {
      try {
        await query(this.#connection, "ROLLBACK TO SAVEPOINT refusable");
        return translated;
      } catch (lost) {
        this.#broken ??= { thrown: lost, translated };
        return translated;
      }
    }
    if (!isTooSlow) this.#broken ??= { thrown, translated };
    return translated;
  }
}
