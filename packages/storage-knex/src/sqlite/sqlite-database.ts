import { type Database, type Statement, within } from "../database.ts";
import { idBlocks } from "../id-blocks.ts";
import type { OpenDatabase } from "../open-database.ts";
import { transactionGuard } from "../transaction-guard.ts";
import { translate } from "../translate-error.ts";
import { sqliteCheckpoints } from "./checkpoints.ts";
import { SqliteSession, type SqliteSettings } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { sqliteErrors } from "./errors.ts";
import { type EventKeyLimits, sqliteEventKeys } from "./event-keys.ts";
import { joinSqlite } from "./join-sqlite.ts";
import type { EventKeyTelemetry } from "./key-index.ts";
import { openedFile } from "./opened-file.ts";
import { sqlitePool } from "./pool.ts";
import { sharedReads } from "./shared-reads.ts";
import { writerLimits, writerQueue } from "./writer-queue.ts";

/**
 * Opens one connection that writes and a few that read. In WAL mode the readers and the writer
 * never wait for each other.
 */
export const openSqlite = (
  file: string,
  {
    readers,
    guardNesting,
    readLimitMs,
    writeWaitMs,
    eventKeys,
    telemetry,
    ...settings
  }: SqliteSettings & {
    readonly readers: number;
    readonly guardNesting: boolean;
    readonly readLimitMs: number;
    /** Default: that of the queue. */
    readonly writeWaitMs?: number;
    readonly eventKeys?: EventKeyLimits | undefined;
    readonly telemetry?: EventKeyTelemetry | undefined;
  },
): OpenDatabase => {
  const opened = openedFile(file);
  const readerPool = sqlitePool(file, readers, settings, opened);
  const writerPool = sqlitePool(file, 1, { ...settings, undoInMemory: true }, opened);
  const checkpoints = sqliteCheckpoints(file, settings, opened);
  const queue = writerQueue(
    {
      acquire: async () => {
        opened.requireSame();
        const connection = await writerPool.acquire();
        opened.writesOn(connection);
        return connection;
      },
      discard: (connection) => {
        opened.writesOn(undefined);
        return writerPool.discard(connection);
      },
      requireSame: opened.requireSame,
      release: async (connection) => {
        await writerPool.release(connection);
        checkpoints.note();
      },
    },
    writeWaitMs === undefined ? writerLimits : { ...writerLimits, waitMs: writeWaitMs },
  );
  const guard = transactionGuard(guardNesting);
  const acquireReader = async (): Promise<SqliteConnection> => {
    opened.requireRecentlySame();
    try {
      return await readerPool.acquire();
    } catch (thrown) {
      throw translate(thrown, sqliteErrors);
    }
  };
  const read: Database["read"] = async (work) => {
    const connection = await acquireReader();
    try {
      return await work(new SqliteSession(connection, undefined, readLimitMs));
    } finally {
      await readerPool.release(connection);
    }
  };
  const dialect = sqliteDialect(sqliteEventKeys(read, eventKeys, telemetry));

  const write: Database["write"] = async (work) => {
    guard.refuseNested();
    return queue.transaction(work);
  };
  const ids = idBlocks(dialect, write);
  const select = sharedReads(read, readers);

  return {
    dialect,
    ids,
    write,
    read,
    select,
    selectOne: async <Row extends object>(
      statement: Statement,
      columns: readonly string[],
    ): Promise<Row | undefined> => {
      const [row] = await select<Row>(statement, columns);
      return row;
    },
    transaction: async (work, network) => {
      guard.refuseNested();
      const refilled = ids.refill();
      if (refilled !== undefined) await refilled;
      return queue.transaction(
        (session) => guard.inside(() => work(within(session, dialect, ids.inside(session)))),
        network,
      );
    },
    join: (given) => joinSqlite(given, { file, dialect, ids }),
    requireSame: async () => opened.requireSame(),
    close: async () => {
      await queue.idle();
      await Promise.all([readerPool.close(), writerPool.close(), checkpoints.close()]);
    },
  };
};
