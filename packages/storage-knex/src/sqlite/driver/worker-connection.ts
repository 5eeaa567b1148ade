import { Worker } from "node:worker_threads";
import type { Change } from "../../engine/session.ts";
import { type Bound, type SqliteConnection, SqliteFault, type Step } from "./driver.ts";
import type { WorkerReply, WorkerRequest, WorkerStart } from "./worker-main.ts";
import { workerProgram } from "./worker-program.ts";

/**
 * So many threads of a process may still run a statement that was given up. Each takes processor time
 * until its statement ends, so without a bound a client that asks for slow reads could take all of it.
 */
export const mostGivenUp = 8;
let givenUp = 0;

interface Waiting {
  resolve(reply: WorkerReply): void;
  reject(reason: Error): void;
}

/**
 * A connection in a thread of its own, so that the main thread never waits for the disk. A thread
 * that died, or that was interrupted, is lost: its requests fail, and so does every later one.
 */
export class WorkerConnection implements SqliteConnection {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #lost: SqliteFault | undefined;
  #isGivenUp = false;
  #closed: Promise<void> | undefined;

  private constructor(start: WorkerStart) {
    this.#worker = new Worker(workerProgram, {
      eval: true,
      workerData: start,
      // Neither the flags nor the environment of the application are for this thread.
      execArgv: process.allowedNodeEnvironmentFlags.has("--disable-warning")
        ? ["--disable-warning=ExperimentalWarning"]
        : [],
      env: {},
    });
    this.#worker.on("message", (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on("error", (error: Error) => this.#lose(lostThread(error.message)));
    this.#worker.on("exit", () => {
      if (this.#isGivenUp) givenUp -= 1;
      this.#lose(lostThread("it ended"));
    });
  }

  /**
   * Opens the file. The first reply of the thread tells whether that worked. While too many threads
   * are given up, it is refused.
   */
  static async open(start: WorkerStart): Promise<WorkerConnection> {
    if (givenUp >= mostGivenUp) {
      throw new SqliteFault("SQLITE_IOERR", 10, `${givenUp} threads still run statements that were given up`);
    }
    const connection = new WorkerConnection(start);
    try {
      await connection.#reply();
    } catch (thrown) {
      await connection.#end();
      throw thrown;
    }
    return connection;
  }

  get isLost(): boolean {
    return this.#lost !== undefined;
  }

  async all<Row>(sql: string, values?: readonly Bound[], before: readonly Step[] = []): Promise<Row[]> {
    const { rows = [] } = await this.#ask({ kind: "all", steps: [...before, { sql, values }] });
    // The caller wrote the statement, so it knows its columns.
    return rows.map(withBuffers) as Row[];
  }

  async run(sql: string, values?: readonly Bound[], before: readonly Step[] = []): Promise<Change> {
    const steps = [...before, { sql, values }];
    const { changed = 0, insertId = 0 } = await this.#ask({ kind: "run", steps });
    return { changed, insertId };
  }

  async batch(steps: readonly Step[]): Promise<void> {
    await this.#ask({ kind: "run", steps });
  }

  interrupt(): void {
    if (this.#waiting.length === 0) return;
    this.#lose(new SqliteFault("SQLITE_INTERRUPT", 9, "interrupted"));
    this.#isGivenUp = true;
    givenUp += 1;
    // A thread ends only after its statement. Nobody waits for that.
    void this.#worker.terminate();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#lost !== undefined) return;
    await this.#ask({ kind: "close", steps: [] });
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#lost ??= lostThread("it was closed");
    await this.#worker.terminate();
  }

  async #ask(request: WorkerRequest): Promise<WorkerReply> {
    if (this.#lost !== undefined) throw this.#lost;
    this.#worker.postMessage(request);
    return this.#reply();
  }

  /** The thread answers in the order of the requests. While none waits, it does not keep the process alive. */
  #reply(): Promise<WorkerReply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      if (this.#waiting.length === 1) this.#worker.ref();
    });
  }

  #settle(reply: WorkerReply): void {
    const waiting = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#worker.unref();
    const { error } = reply;
    if (error === undefined) waiting?.resolve(reply);
    else waiting?.reject(new SqliteFault(error.code, error.errno, error.message));
  }

  #lose(reason: SqliteFault): void {
    this.#lost ??= reason;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
    this.#worker.unref();
  }
}

const lostThread = (why: string): SqliteFault =>
  new SqliteFault("SQLITE_IOERR", 10, `the thread of this connection is gone: ${why}`);

/** The bytes of a row as `Buffer`, which is what the other drivers return. */
const withBuffers = (row: unknown): unknown => {
  const columns = row as Record<string, unknown>;
  for (const name in columns) {
    const value = columns[name];
    if (value instanceof Uint8Array) columns[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return columns;
};
