import { createRequire } from "node:module";
import type { Database, Statement } from "sqlite3";
import { isMissingPackage } from "../../engine/no-driver.ts";
import type { Change } from "../../engine/session.ts";
import type { Bound, SqliteConnection, SqliteDriver, Step } from "./driver.ts";

/**
 * Most prepared statements that a connection keeps. Beyond it, the one that was used the longest
 * ago is dropped.
 */
const maxPrepared = 256;

/** `sqlite3` runs statements on the threads of libuv. It takes bytes as a `Buffer` alone. */
const boundValues = (values: readonly Bound[]): readonly unknown[] =>
  values.some((value) => value instanceof Uint8Array)
    ? values.map((value) =>
        value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value,
      )
    : values;

class Sqlite3Connection implements SqliteConnection {
  readonly isLost = false;
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();
  #closed: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async all<Row>(sql: string, values: readonly Bound[] = [], before?: readonly Step[]): Promise<Row[]> {
    if (before !== undefined) await this.batch(before);
    const statement = this.#kept(sql) ?? (await this.#prepare(sql));
    return new Promise((resolve, reject) =>
      statement.all<Row>(boundValues(values), (error, rows) => (error === null ? resolve(rows) : reject(error))),
    );
  }

  async run(sql: string, values: readonly Bound[] = [], before?: readonly Step[]): Promise<Change> {
    if (before !== undefined) await this.batch(before);
    const statement = this.#kept(sql) ?? (await this.#prepare(sql));
    return new Promise((resolve, reject) =>
      statement.run(boundValues(values), function (error) {
        if (error === null) resolve({ changed: this.changes, insertId: this.lastID });
        else reject(error);
      }),
    );
  }

  async batch(steps: readonly Step[]): Promise<void> {
    for (const { sql, values } of steps) await this.run(sql, values);
  }

  interrupt(): void {
    this.#database.interrupt();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** A connection that has prepared statements cannot be closed. */
  async #close(): Promise<void> {
    const kept = [...this.#prepared.values()];
    this.#prepared.clear();
    await Promise.all(kept.map((statement) => new Promise<void>((resolve) => statement.finalize(() => resolve()))));
    await new Promise<void>((resolve, reject) =>
      this.#database.close((error) => (error === null ? resolve() : reject(error))),
    );
  }

  /** A statement that is prepared already. Nearly all are, and then nobody has to wait for a promise. */
  #kept(sql: string): Statement | undefined {
    const known = this.#prepared.get(sql);
    // The order matters only when there will soon be too many.
    if (known !== undefined && this.#prepared.size > maxPrepared / 2) {
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
    }
    return known;
  }

  async #prepare(sql: string): Promise<Statement> {
    const made = await new Promise<Statement>((resolve, reject) => {
      const statement = this.#database.prepare(sql, (error) => (error === null ? resolve(statement) : reject(error)));
    });
    this.#prepared.set(sql, made);
    for (const [oldest, statement] of this.#prepared) {
      if (this.#prepared.size <= maxPrepared) break;
      this.#prepared.delete(oldest);
      statement.finalize();
    }
    return made;
  }
}

type Library = typeof import("sqlite3");

/**
 * What our own package brings, or what the application has installed itself. A package that is there
 * and does not load says more than one that is not there. @throws what that one throws.
 */
export const ownOrInstalled = (own: () => Library, installed: () => Library): Library => {
  try {
    return own();
  } catch (ofOwn) {
    try {
      return installed();
    } catch (ofInstalled) {
      throw isMissingPackage(ofOwn) ? ofInstalled : ofOwn;
    }
  }
};

/** It uses `require`: where an import of it fails, Node 20 ends the process, although the error is caught. */
const library = (): Library => {
  const require = createRequire(import.meta.url);
  return ownOrInstalled(
    () => createRequire(require.resolve("@postern/sqlite3/package.json"))("sqlite3"),
    () => require("sqlite3"),
  );
};

export const loadSqlite3 = async (): Promise<SqliteDriver> => {
  const sqlite = library();
  return {
    name: "sqlite3",
    version: sqlite.VERSION,
    open: (file, { create }) =>
      new Promise((resolve, reject) => {
        const mode = sqlite.OPEN_READWRITE | (create ? sqlite.OPEN_CREATE : 0);
        const database = new sqlite.Database(file, mode, (error) =>
          error === null ? resolve(new Sqlite3Connection(database)) : reject(error),
        );
      }),
  };
};
