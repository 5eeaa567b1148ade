import { type Database, type Session, within } from "../database.ts";
import { idBlocks } from "../id-blocks.ts";
import type { OpenDatabase } from "../open-database.ts";
import { transactionGuard } from "../transaction-guard.ts";
import { CommitUnknown, translate } from "../translate-error.ts";
import { type Connection, type MysqlSession, type MysqlSessionOptions, mysqlSession, query } from "./connection.ts";
import { mysqlDialect } from "./dialect.ts";
import { isContention, isLost, mysqlErrors } from "./errors.ts";
import type { MysqlPool } from "./pool.ts";

/**
 * How often a transaction runs again after a deadlock or a lost connection, and for how long
 * further runs may begin.
 */
const maxRepeats = 3;
const repeatWithinMs = 4000;

/** Why a transaction runs again: it was in conflict with others, or its connection was lost. */
type RepeatReason = "contention" | "connection";
type OnRepeat = (reason: RepeatReason) => void;

/** What broke a run, and whether the same run may be repeated. */
class BrokenRun extends Error {
  readonly error: Error;
  readonly repeatable: boolean;
  readonly reason: RepeatReason;

  constructor(thrown: unknown, repeatable: boolean) {
    super("a run broke");
    this.error = translate(thrown, mysqlErrors);
    this.repeatable = repeatable;
    this.reason = isContention(thrown) ? "contention" : "connection";
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Run<Result> = (isRepeat: boolean) => Promise<Result>;

/**
 * Runs it again after a deadlock or a lost connection. Before that it waits for a short random
 * time, so that those in conflict do not meet again.
 */
const repeatingWith = async <Result>(run: Run<Result>, onRepeat: OnRepeat): Promise<Result> => {
  const until = performance.now() + repeatWithinMs;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await run(repeats > 0);
    } catch (thrown) {
      if (!(thrown instanceof BrokenRun)) throw thrown;
      if (!thrown.repeatable || repeats >= maxRepeats || performance.now() >= until) throw thrown.error;
      onRepeat(thrown.reason);
      await pause((repeats + 1) * (5 + Math.random() * 20));
    }
  }
};

const control = async (connection: Connection, sql: string): Promise<void> => {
  try {
    await query(connection, sql);
  } catch (thrown) {
    throw new BrokenRun(thrown, isLost(thrown));
  }
};

const commit = async (connection: Connection): Promise<void> => {
  try {
    await query(connection, "COMMIT");
  } catch (thrown) {
    // The commit may have succeeded, and a second run could do the work twice. The caller can check
    // whether it is there.
    if (isContention(thrown)) throw new BrokenRun(thrown, true);
    throw new BrokenRun(new CommitUnknown(translate(thrown, mysqlErrors)), false);
  }
};

/**
 * Opens stores on MySQL or MariaDB. Short transactions run on connections from a pool, and run
 * again after a deadlock.
 */
export const openMysql = (
  pool: MysqlPool,
  { guardNesting, readLimitMs }: { readonly guardNesting: boolean; readonly readLimitMs: number },
  onRepeat: OnRepeat = () => undefined,
): OpenDatabase => {
  const repeating = <Result>(run: Run<Result>): Promise<Result> => repeatingWith(run, onRepeat);
  const guard = transactionGuard(guardNesting);
  const dialect = mysqlDialect;

  const acquire = async (): Promise<Connection> => {
    try {
      return await pool.acquire();
    } catch (thrown) {
      throw translate(thrown, mysqlErrors);
    }
  };

  /**
   * Runs `work` once on a connection. The connection goes back to the pool only if its state is
   * known.
   */
  const onConnection = async <Result>(
    work: (connection: Connection, session: MysqlSession) => Promise<Result>,
    options: MysqlSessionOptions = {},
  ): Promise<Result> => {
    const connection = await acquire();
    const session = mysqlSession(connection, options);
    try {
      const result = await work(connection, session);
      await pool.release(connection);
      return result;
    } catch (thrown) {
      const cause = session.broken;
      if (thrown instanceof BrokenRun) {
        await pool.discard(connection);
        throw thrown;
      }
      if (cause === undefined) {
        await pool.release(connection);
        throw thrown;
      }
      if (isContention(cause)) await rollBack(connection);
      else await pool.discard(connection);
      throw new BrokenRun(cause, isContention(cause) || isLost(cause));
    } finally {
      session.end(new Error("the transaction is over; its stores cannot be used any more"));
    }
  };

  /**
   * After a deadlock the connection can be used again, once the rest of the transaction is rolled
   * back.
   */
  const rollBack = async (connection: Connection): Promise<void> => {
    try {
      await query(connection, "ROLLBACK");
      await pool.release(connection);
    } catch {
      await pool.discard(connection);
    }
  };

  const transact = <Result>(work: (session: Session) => Promise<Result>): Promise<Result> =>
    repeating((isRepeat) =>
      onConnection(
        async (connection, session) => {
          await control(connection, "START TRANSACTION");
          let result: Result;
          try {
            result = await work(session);
          } catch (thrown) {
            if (session.broken === undefined) await control(connection, "ROLLBACK");
            throw thrown;
          }
          // `work` may have caught the error that broke the transaction, but the transaction is
          // over anyway.
          if (session.broken !== undefined) throw session.broken;
          await commit(connection);
          for (const action of session.committed) action();
          return result;
        },
        { isRepeat },
      ),
    );

  const write: Database["write"] = async (work) => {
    guard.refuseNested();
    return transact(work);
  };
  const ids = idBlocks(dialect, write);
  const read: Database["read"] = (work) =>
    repeating(() => onConnection((_connection, session) => work(session), { readLimitMs }));

  return {
    dialect,
    ids,
    read,
    select: ({ sql, values }) => read((session) => session.rows(sql, values)),
    write,
    transaction: async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
      guard.refuseNested();
      await ids.refill();
      return transact((session) => guard.inside(() => work(within(session, dialect, ids.inside(session)))));
    },
    close: () => pool.close(),
  };
};
