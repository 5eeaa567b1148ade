import { AsyncResource } from "node:async_hooks";
import { createFairQueue, runningTime } from "@postern/core/internal";
import type { Session } from "../engine/database.ts";
import { roundsOf } from "../engine/given-bytes.ts";
import { loopClock } from "../engine/loop-clock.ts";
import { translate, unavailable, vendorErrorOf } from "../engine/translate-error.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { sqliteErrors } from "./errors.ts";
import { commitGroup, type GroupLimits, type Member, type Outcome } from "./group-commit.ts";

export interface WriterLimits extends GroupLimits {
  /** Most transactions that may wait; further ones are refused. */
  readonly waiting: number;
  /**
   * How long a transaction may wait until it begins, in milliseconds. Only time in which the event
   * loop ran counts.
   */
  readonly waitMs: number;
}

/** What is used where nothing else is said. */
export const writerLimits: WriterLimits = {
  waiting: 10_000,
  waitMs: 2000,
  sharing: 64,
  least: 8,
  groupMs: 25,
  groupBytes: 256 * 1024,
  workMs: 5000,
};

/**
 * A connection does not recover from these errors. While the file cannot be written, SQLite opens a
 * connection as read-only, and it stays so.
 */
const lasting: ReadonlySet<string> = new Set(["SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_CANTOPEN"]);

/** Lends the one connection that writes. */
export interface WriterConnection {
  acquire(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): Promise<void>;
  /** Closes a connection whose state is not known. */
  discard(connection: SqliteConnection): Promise<void>;
  /** Called before a commit is acknowledged. @throws if the file is another one than before. */
  readonly requireSame?: () => void;
}

interface Waiting {
  readonly work: (session: Session) => Promise<unknown>;
  readonly charge: (bytes: number) => void;
  readonly settle: (outcome: Outcome) => void;
}

const rollBack = async (writer: WriterConnection, connection: SqliteConnection, error: Error): Promise<void> => {
  try {
    await connection.run("ROLLBACK");
    if (lasting.has(vendorErrorOf(error.cause).code)) await writer.discard(connection);
    else await writer.release(connection);
  } catch {
    // There was nothing to roll back, or the rollback failed. A new connection is sure to be clean.
    await writer.discard(connection);
  }
};

/** Takes one group of transactions from the queue, runs it and answers all of them. */
const runGroup = async (
  writer: WriterConnection,
  next: () => Waiting | undefined,
  limits: WriterLimits,
  now: () => number,
): Promise<void> => {
  const members: Member<Waiting>[] = [];
  let connection: SqliteConnection | undefined;
  try {
    connection = await writer.acquire();
    await commitGroup(connection, members, next, { ...limits, now, committed: writer.requireSame });
  } catch (thrown) {
    const error = translate(thrown, sqliteErrors);
    if (connection !== undefined) await rollBack(writer, connection, error);
    // The file may be locked by another process. All who wait for it have a patience of their own, and
    // the next of them may have come just now.
    const isLocked = vendorErrorOf(error.cause).code === "SQLITE_BUSY";
    if (members.length === 0 && !isLocked) next()?.settle({ error });
    for (const { waiting } of members) waiting.settle({ error });
    return;
  }
  await writer.release(connection);
  for (const { waiting, outcome } of members) waiting.settle(outcome);
};

/**
 * SQLite has one writer. Networks that wait for it take turns, and every second turn is for
 * Postern's own work, such as storing webhooks (docs/performance/storage.md). Waiting transactions
 * share a commit. A transaction that fails before it has written anything leaves nothing to roll
 * back. If one fails later, the group is rolled back and run again with a savepoint for each, and the
 * one that fails is rolled back alone. No caller gets an answer before the commit, not even a failure, because the
 * failure may come from what a neighbour wrote. If the commit fails, the whole group fails.
 *
 * It uses `BEGIN IMMEDIATE`, because a transaction that first reads and then writes fails with
 * SQLITE_BUSY_SNAPSHOT, whatever the busy timeout is.
 */
export const writerQueue = (
  writer: WriterConnection,
  limits: WriterLimits = writerLimits,
  now: () => number = () => performance.now(),
) => {
  const own = createFairQueue<Waiting>();
  const ofNetworks = createFairQueue<Waiting>();
  let ownIsNext = true;
  const patience = runningTime(loopClock, limits.waitMs);
  let draining: Promise<void> | undefined;
  let waits = 0;

  const waitingNow = (): number => own.waiting + ofNetworks.waiting;
  const next = (): Waiting | undefined => {
    const isOwn = own.waiting > 0 && (ownIsNext || ofNetworks.waiting === 0);
    ownIsNext = !isOwn;
    return (isOwn ? own : ofNetworks).next()?.item;
  };

  const drain = async (): Promise<void> => {
    while (waitingNow() > 0) await runGroup(writer, next, limits, now);
    draining = undefined;
  };

  return {
    /**
     * Runs `work` in a transaction for a network; without one, for Postern itself.
     * @throws AppError `unavailable` when too many transactions wait, when this one waits too long,
     *   or when the file cannot be written.
     */
    transaction: <Result>(work: (session: Session) => Promise<Result>, network?: string): Promise<Result> =>
      new Promise((resolve, reject) => {
        if (waitingNow() >= limits.waiting) {
          reject(unavailable(new Error(`${waitingNow()} transactions are waiting already`)));
          return;
        }
        const queue = network === undefined ? own : ofNetworks;
        const sharer = network ?? "Postern";
        // The work runs in a group that another caller may have started, but in the async context
        // of its own caller.
        const context = new AsyncResource("PosternTransaction");
        const waiting: Waiting = {
          work: (session) => context.runInAsyncScope(work, undefined, session),
          charge: (bytes) => queue.charge(sharer, roundsOf(bytes)),
          settle: (outcome) => {
            stopWaiting();
            if ("error" in outcome) reject(outcome.error);
            // The outcome belongs to this very work.
            else resolve(outcome.value as Result);
          },
        };
        const stopWaiting = patience.after(() => {
          if (!queue.remove(sharer, waiting)) return;
          reject(unavailable(new Error(`a transaction waited longer than ${limits.waitMs} ms to begin`)));
        });
        queue.add(sharer, waiting);
        if (draining !== undefined) waits += 1;
        draining ??= drain();
      }),
    /** How many transactions have waited for others so far. */
    waits: (): number => waits,
    /** Resolves when nothing is waiting or under way. */
    idle: async (): Promise<void> => draining,
  };
};
