import type { Step } from "./driver.ts";

/** What the thread of a connection is given when it starts. */
export interface WorkerStart {
  readonly file: string;
  readonly create: boolean;
  /** The file of `better-sqlite3`. Without it, the thread uses `node:sqlite`. */
  readonly library: string | undefined;
}

/** What the thread is asked to do. It answers in the same order. */
export interface WorkerRequest {
  readonly kind: "all" | "run" | "close";
  readonly steps: readonly Step[];
}

interface WorkerError {
  readonly code: string;
  readonly errno: number;
  readonly message: string;
}

export interface WorkerReply {
  readonly rows?: readonly unknown[];
  readonly changed?: number;
  readonly insertId?: number;
  readonly error?: WorkerError;
}

/**
 * The program of a connection's thread. `worker-program.ts` has it as a text, so that it also works
 * where everything is bundled into one file, whatever the bundler does to functions. So it may use
 * nothing from outside itself.
 */
export const workerMain = (load: (name: string) => unknown): void => {
  // In the order of SQLite's numbers: https://sqlite.org/rescode.html
  const names =
    "OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB"
      .split(" ")
      .map((name) => `SQLITE_${name}`);
  // Most prepared statements that are kept; beyond it, the one that was used the longest ago goes.
  const maxPrepared = 256;

  interface Prepared {
    all(...values: unknown[]): unknown[];
    run(...values: unknown[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };
    /** `better-sqlite3` alone has it. */
    readonly reader?: boolean;
  }
  interface Database {
    prepare(sql: string): Prepared;
    close(): void;
  }
  const { parentPort, workerData } = load("node:worker_threads") as {
    readonly parentPort: {
      on(event: "message", listener: (request: WorkerRequest) => void): void;
      postMessage(reply: WorkerReply): void;
    };
    readonly workerData: WorkerStart;
  };

  const faultOf = (thrown: unknown): WorkerError => {
    const { code, errcode, message } = thrown as { code?: string; errcode?: number; message?: string };
    // `better-sqlite3` names the extended code, such as SQLITE_CONSTRAINT_UNIQUE.
    const known = Math.max(
      0,
      names.findIndex((name) => code === name || code?.startsWith(`${name}_`)),
    );
    const errno = errcode === undefined ? known : errcode & 255;
    const name = errno === 0 ? undefined : names[errno];
    return { code: name ?? code ?? "SQLITE_ERROR", errno, message: String(message ?? thrown) };
  };

  const open = (): Database => {
    const { file, create, library } = workerData;
    if (library !== undefined) {
      const Library = load(library) as new (
        file: string,
        options: object,
      ) => Database & { unsafeMode(on: boolean): void };
      const opened = new Library(file, { fileMustExist: !create });
      // A migration writes the schema itself.
      opened.unsafeMode(true);
      return opened;
    }
    const { DatabaseSync } = load("node:sqlite") as { DatabaseSync: new (file: string, options: object) => Database };
    // Only a URI can say that a missing file is not to be made. Node 22.13 takes it as a text.
    const { pathToFileURL } = load("node:url") as { pathToFileURL(path: string): { readonly href: string } };
    return new DatabaseSync(create ? file : `${pathToFileURL(file).href}?mode=rw`, {
      enableForeignKeyConstraints: false,
      enableDoubleQuotedStringLiterals: true,
      // A migration writes the schema itself. Node before 24.12 has no such mode.
      defensive: false,
    });
  };

  const prepared = new Map<string, Prepared>();
  const statementOf = (database: Database, sql: string): Prepared => {
    const known = prepared.get(sql);
    if (known !== undefined) {
      prepared.delete(sql);
      prepared.set(sql, known);
      return known;
    }
    const made = database.prepare(sql);
    prepared.set(sql, made);
    if (prepared.size > maxPrepared) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest);
        break;
      }
    }
    return made;
  };

  const boundValues = ({ sql, values = [] }: Step): unknown[] => {
    // `sqlite3` stores -0 as 0.
    const bound = values.map((value) =>
      typeof value === "boolean" || value === 0 ? Number(value) + 0 : (value ?? null),
    );
    // To `better-sqlite3`, `?1` is a name.
    const isNumbered = workerData.library !== undefined && /\?\d/.test(sql);
    return isNumbered ? [Object.fromEntries(bound.map((value, index) => [index + 1, value]))] : bound;
  };

  const answer = (database: Database, request: WorkerRequest): WorkerReply => {
    if (request.kind === "close") {
      database.close();
      return {};
    }
    let reply: WorkerReply = {};
    for (const step of request.steps) {
      const statement = statementOf(database, step.sql);
      const values = boundValues(step);
      // `better-sqlite3` runs a statement that returns rows by `all` alone, and another one by `run`.
      const returns = statement.reader ?? request.kind === "all";
      if (returns) reply = { rows: statement.all(...values) };
      else {
        const result = statement.run(...values);
        reply = { rows: [], changed: Number(result.changes), insertId: Number(result.lastInsertRowid) };
      }
    }
    return reply;
  };

  let database: Database;
  try {
    database = open();
  } catch (thrown) {
    parentPort.postMessage({ error: faultOf(thrown) });
    return;
  }
  parentPort.postMessage({});
  parentPort.on("message", (request) => {
    try {
      parentPort.postMessage(answer(database, request));
    } catch (thrown) {
      parentPort.postMessage({ error: faultOf(thrown) });
    }
  });
};
