import { AsyncResource } from "node:async_hooks";
import type { AppendedRow, Session } from "../database.ts";
import { translate, unavailable, vendorErrorOf } from "../translate-error.ts";
import { execute, insertAppended, type SqliteHandle, type SqliteSession, sqliteSession } from "./connection.ts";
import { sqliteErrors } from "./errors.ts";

export interface WriterLimits {
  /** Transactions that may wait; further ones are refused. */
  readonly waiting: number;
  /** How long one may wait for its turn. */
  readonly waitMs: number;
  /** The most transactions that share one commit, and how long a turn takes new ones in. */
  readonly sharing: number;
  readonly turnMs: number;
  /** How long one transaction's work may take. */
  readonly workMs: number;
}

const writerLimits: WriterLimits = { waiting: 10_000, waitMs: 2000, sharing: 64, turnMs: 25, workMs: 5000 };

/** From these a connection does not recover: SQLite opens one read-only while the file cannot be written, and so it stays. */
const lasting: ReadonlySet<string> = new Set(["SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN"]);

/** Where the one connection that writes comes from and goes back to. */
export interface WriterConnection {
  acquire(): Promise<SqliteHandle>;
  release(connection: SqliteHandle): Promise<void>;
  /** Closes a connection whose state is not known. */
  discard(connection: SqliteHandle, reason: Error): Promise<void>;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown; readonly tooLong?: true };

interface Waiting {
  readonly work: (session: Session) => Promise<unknown>;
  readonly settle: (outcome: Outcome) => void;
}

/** One transaction of a turn, what came of it and the rows that are still to be inserted for it. */
interface Member {
  readonly waiting: Waiting;
  outcome: Outcome;
  appended: readonly AppendedRow[];
}

/** A transaction failed that has written, and the others of its turn are to stand. */
class Undo extends Error {}

/**
 * SQLite has one writer, so there is one queue, first come, first served. What waits shares a turn: one `BEGIN IMMEDIATE … COMMIT`, hence one
 * flush to the disk. One that fails before it has written anything leaves nothing to take back; where one fails later, the turn is taken back and run
 * again with a savepoint for each, and the one that fails is taken back alone. Nobody gets an
 * answer before the commit, not even a failure: it may come from what a neighbour wrote. When the commit fails, all of the turn fail.
 *
 * `BEGIN IMMEDIATE`, because a transaction that starts reading and then writes fails with SQLITE_BUSY_SNAPSHOT, whatever the busy timeout.
 */
export const writerTurns = (writer: WriterConnection, limits: WriterLimits = writerLimits) => {
  const queue = new Set<Waiting>();
  let draining: Promise<void> | undefined;

  const next = (): Waiting | undefined => {
    for (const waiting of queue) {
      queue.delete(waiting);
      return waiting;
    }
    return undefined;
  };

  const attempt = async (work: Waiting["work"], session: SqliteSession): Promise<Outcome> => {
    let timer: NodeJS.Timeout | undefined;
    let over: Error | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        over = unavailable(
          new Error(
            `a transaction took longer than ${limits.workMs} ms (a write to the outer storage from inside its work would wait for it)`,
          ),
        );
        reject(over);
      }, limits.workMs);
    });
    try {
      return { value: await Promise.race([work(session), tooLong]) };
    } catch (error) {
      return error === over ? { error, tooLong: true } : { error };
    } finally {
      clearTimeout(timer);
      // A statement that is still under way would otherwise land behind the end of the transaction, outside of it.
      await session.end(new Error("the transaction is over; its stores cannot be used any more"));
    }
  };

  /** Commits what stands of a turn. Rows that were appended go in at its end, all by one statement: each would cost a trip to the database of its own. */
  const commit = async (connection: SqliteHandle, members: readonly Member[]): Promise<void> => {
    await insertAppended(
      connection,
      members.flatMap(({ outcome, appended }) => ("error" in outcome ? [] : appended)),
    );
    await execute(connection, "COMMIT");
  };

  /**
   * Runs the first of the queue and whoever comes in time; throws what made a commit impossible. There are no savepoints, each of which would cost
   * every transaction two more trips to the database: where one fails that has written, `Undo` is thrown.
   */
  const share = async (connection: SqliteHandle, members: Member[]): Promise<void> => {
    await execute(connection, "BEGIN IMMEDIATE");
    const closesAt = performance.now() + limits.turnMs;
    for (let waiting = next(); waiting !== undefined; waiting = next()) {
      const session = sqliteSession(connection);
      const outcome = await attempt(waiting.work, session);
      members.push({ waiting, outcome, appended: session.appended });
      if (session.broken !== undefined) throw session.broken;
      if ("error" in outcome && session.wrote) throw new Undo();
      if (members.length >= limits.sharing || performance.now() >= closesAt) break;
    }
    await commit(connection, members);
  };

  /** Runs the members of a turn that was taken back once more, so that the one that fails is taken back alone. */
  const shareApart = async (connection: SqliteHandle, members: Member[]): Promise<void> => {
    await execute(connection, "ROLLBACK");
    // The only one is taken back already.
    if (members.length === 1) return;
    await execute(connection, "BEGIN IMMEDIATE");
    for (const member of members) {
      // It would only take too long again.
      if ("tooLong" in member.outcome) continue;
      await execute(connection, "SAVEPOINT work");
      const session = sqliteSession(connection);
      member.outcome = await attempt(member.waiting.work, session);
      member.appended = session.appended;
      if (session.broken !== undefined) throw session.broken;
      if ("error" in member.outcome) await execute(connection, "ROLLBACK TO work");
      await execute(connection, "RELEASE work");
    }
    await commit(connection, members);
  };

  const takeBack = async (connection: SqliteHandle, error: Error): Promise<void> => {
    try {
      await execute(connection, "ROLLBACK");
      if (lasting.has(vendorErrorOf(error.cause).code)) await writer.discard(connection, error);
      else await writer.release(connection);
    } catch (thrown) {
      // Nothing to roll back, or a rollback that failed: a new connection is sure to be clean.
      await writer.discard(connection, translate(thrown, sqliteErrors));
    }
  };

  const turn = async (): Promise<void> => {
    const members: Member[] = [];
    let connection: SqliteHandle | undefined;
    try {
      connection = await writer.acquire();
      await share(connection, members).catch(async (thrown: unknown) => {
        if (!(thrown instanceof Undo) || connection === undefined) throw thrown;
        await shareApart(connection, members);
      });
    } catch (thrown) {
      const error = translate(thrown, sqliteErrors);
      if (connection !== undefined) await takeBack(connection, error);
      if (members.length === 0) next()?.settle({ error });
      for (const { waiting } of members) waiting.settle({ error });
      return;
    }
    await writer.release(connection);
    for (const { waiting, outcome } of members) waiting.settle(outcome);
  };

  const drain = async (): Promise<void> => {
    while (queue.size > 0) await turn();
    draining = undefined;
  };

  return {
    /** Runs `work` in a transaction. @throws AppError `unavailable` when too many wait, for too long, or the file cannot be written. */
    transaction: <Result>(work: (session: Session) => Promise<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (queue.size >= limits.waiting) {
          reject(unavailable(new Error(`${queue.size} transactions are waiting already`)));
          return;
        }
        // The work runs in the turn that somebody else may have started, but in the async context of its own caller.
        const context = new AsyncResource("PosternTransaction");
        const waiting: Waiting = {
          work: (session) => context.runInAsyncScope(work, undefined, session),
          settle: (outcome) => {
            clearTimeout(timer);
            if ("error" in outcome) reject(outcome.error);
            // The outcome of this very work.
            else resolve(outcome.value as Result);
          },
        };
        const timer = setTimeout(() => {
          if (!queue.delete(waiting)) return;
          reject(unavailable(new Error(`a transaction waited longer than ${limits.waitMs} ms for its turn`)));
        }, limits.waitMs);
        queue.add(waiting);
        draining ??= drain();
      }),
    /** Resolves when nothing is waiting or under way. */
    idle: async (): Promise<void> => draining,
  };
};
