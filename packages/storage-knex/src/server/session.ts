import { AppError } from "@postern/core";
import {
  type AppendedRow,
  type Change,
  checkValues,
  type OwnQuery,
  placeholders,
  quoted,
  type RunOptions,
  type Session,
  type Value,
} from "../engine/database.ts";

export interface SessionOptions {
  /** How long a statement that reads may take. Default: the bound of every statement. */
  readonly readLimitMs?: number;
  readonly isRepeat?: boolean;
}

/** What came of a statement that failed. */
export interface Failure {
  /** The error for the caller. */
  readonly error: Error;
  /** Whether the transaction must not be committed any more. */
  readonly endsTransaction: boolean;
}

/**
 * A session on a connection, for one run of a transaction or of a read. Each of them has one, so it is
 * an object of a class: with getters of its own, as a literal, an object costs V8 a map of its own.
 */
export abstract class ServerSession<Connection, Answer> implements Session {
  readonly isRepeat: boolean;
  /** Actions to run after the commit. */
  readonly committed: (() => void)[] = [];
  protected readonly connection: Connection;
  protected readonly readLimitMs: number | undefined;
  #broken: { readonly thrown: unknown; readonly error: Error; readonly isOwn: boolean } | undefined;
  #over: Error | undefined;

  constructor(connection: Connection, { readLimitMs, isRepeat = false }: SessionOptions = {}) {
    this.isRepeat = isRepeat;
    this.connection = connection;
    this.readLimitMs = readLimitMs;
  }

  /** Runs a statement as Knex's client for this database does. */
  protected abstract sendOwn(query: OwnQuery): Promise<unknown>;
  /** Runs a statement. Its errors are the driver's. */
  protected abstract send(sql: string, values: readonly Value[], options: RunOptions): Promise<Answer>;
  protected abstract failure(thrown: unknown, options: RunOptions): Failure | Promise<Failure>;
  protected abstract rowsIn(answer: Answer): object[];
  protected abstract changeIn(answer: Answer): Change;

  /** The error of the driver after which the transaction must not be committed. */
  get broken(): unknown {
    return this.#broken?.thrown;
  }

  /**
   * What the caller of a broken transaction gets when `thrown` has ended its work. After a statement on
   * tables of the application that is `thrown` itself, because only the application knows what its
   * driver's errors mean; but a database that is away or full is so for all tables.
   */
  errorFor(thrown: unknown): unknown {
    const { error, isOwn = false } = this.#broken ?? {};
    return isOwn && !(error instanceof AppError) ? thrown : error;
  }

  /** From now on every use throws `reason`. */
  end(reason: Error): void {
    this.#over = reason;
  }

  async rows<Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    // The caller wrote the statement, so it knows the columns.
    return this.rowsIn(await this.#guarded(sql, values)) as Row[];
  }

  async run(sql: string, values: readonly Value[] = [], options?: RunOptions): Promise<Change> {
    return this.changeIn(await this.#guarded(sql, values, options));
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

  async own(query: OwnQuery): Promise<void> {
    this.#requireOpen();
    try {
      await this.sendOwn(query);
    } catch (thrown) {
      await this.#failed(thrown, {}, true);
      throw thrown;
    }
  }

  #requireOpen(): void {
    const refusal = this.#over ?? this.#broken?.error;
    if (refusal !== undefined) throw refusal;
  }

  async #failed(thrown: unknown, options: RunOptions, isOwn: boolean): Promise<Error> {
    const { error, endsTransaction } = await this.failure(thrown, options);
    if (endsTransaction) this.#broken ??= { thrown, error, isOwn };
    return error;
  }

  async #guarded(sql: string, values: readonly Value[], options: RunOptions = {}): Promise<Answer> {
    this.#requireOpen();
    checkValues(values);
    try {
      return await this.send(sql, values, options);
    } catch (thrown) {
      throw await this.#failed(thrown, options, false);
    }
  }
}
