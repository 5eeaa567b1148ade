import { type Database, type Statement, type Value, within } from "../engine/database.ts";
import { idBlocks, noticingTaken } from "../engine/id-blocks.ts";
import type { OpenDatabase } from "../engine/open-database.ts";
import { sharedReads, type WaitingRead } from "../engine/shared-reads.ts";
import { transactionGuard } from "../engine/transaction-guard.ts";
import { translate } from "../engine/translate-error.ts";
import { sqliteCheckpoints } from "./checkpoints.ts";
import { SqliteSession, type SqliteSettings } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import type { SqliteConnection } from "./driver/driver.ts";
import { sqliteErrors } from "./errors.ts";
import { type EventKeyLimits, sqliteEventKeys } from "./event-keys.ts";
import { fileContent } from "./file-content.ts";
import { joinSqlite } from "./join-sqlite.ts";
import type { EventKeyTelemetry } from "./key-index.ts";
import { openedFile } from "./opened-file.ts";
import { sqlitePool } from "./pool.ts";
import { sqliteSnapshots } from "./snapshots.ts";
import { writerLimits, writerQueue } from "./writer-queue.ts";

/**
 * Makes the statement for any number of reads of one text. It gets their values as one JSON array,
 * and returns the rows of each read as JSON. Values never become part of the text: each placeholder
 * takes its value from the array.
 *
 * This replaces each `?` of the text. That is safe because our statements have no `?` but
 * placeholders: values are never part of a text, and names of tables and columns are snake_case.
 * The number is checked anyway, so that a `?` in a literal would fail instead of shifting the
 * values.
 * @throws TypeError when there are not as many placeholders as values.
 */
const sharedStatement = (sql: string, columns: readonly string[], valueCount: number): string => {
  const texts = sql.split("?");
  if (texts.length - 1 !== valueCount) {
    throw new TypeError(`a statement has ${texts.length - 1} placeholders and ${valueCount} values`);
  }
  let bound = "";
  for (const [place, text] of texts.entries()) {
    bound += place === 0 ? text : `json_extract(\`$each\`.value, '$[${place - 1}]')${text}`;
  }
  let members = "";
  for (const name of columns) members += `${members === "" ? "" : ", "}'${name}', \`${name}\``;
  return `SELECT \`$each\`.key AS place, (SELECT json_group_array(json_object(${members})) FROM (${bound})) AS found FROM json_each(?) AS \`$each\``;
};

/**
 * At most this many characters of rows are handed out in one turn of the event loop, or one longer
 * row.
 */
const mostCharacters = 256 * 1024;

/**
 * Gives each read its rows. Long results come one after the other, so that one answer has left
 * before the rows of the next take memory. Other requests go on in between.
 */
const handOut = async (
  rows: { readonly place: number; found: string }[],
  batch: readonly WaitingRead<object[]>[],
): Promise<void> => {
  let handedOut = 0;
  for (const row of rows) {
    if (handedOut + row.found.length > mostCharacters && handedOut > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      handedOut = 0;
    }
    handedOut += row.found.length;
    // The statement's own JSON functions made this text.
    batch[row.place]?.resolve(JSON.parse(row.found) as object[]);
    row.found = "";
  }
};

/**
 * To read a few rows costs far less than to hand the work to one of SQLite's threads and back. So
 * requests that arrive together get their rows together, and a request that comes alone is not delayed.
 * Rows come as JSON, which is also cheaper than the driver's way of making them value by value.
 */
const selectShared = (read: Database["read"], readers: number): Database["select"] => {
  const select = sharedReads<object[]>(readers, async (sql, batch) => {
    const values: (readonly Value[])[] = [];
    for (const waiting of batch) values.push(waiting.values);
    const text = sharedStatement(sql, batch[0]?.columns ?? [], values[0]?.length ?? 0);
    const given = [JSON.stringify(values)];
    const rows = await read((session) => session.rows<{ place: number; found: string }>(text, given));
    if (rows.length < batch.length) throw new Error("a shared read was answered with too few results");
    await handOut(rows, batch);
  });
  // The rows have the columns that the caller named.
  return <Row extends object>(statement: Statement, columns: readonly string[]) =>
    select(statement, columns) as Promise<Row[]>;
};

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
  const content = fileContent(file, settings.driver, opened);
  const snapshots = sqliteSnapshots(file, { ...settings, readLimitMs }, opened);
  const dialect = sqliteDialect(sqliteEventKeys(read, eventKeys, telemetry));

  const write: Database["write"] = async (work) => {
    guard.refuseNested();
    return noticingTaken(ids, () => queue.transaction(work));
  };
  const ids = idBlocks(dialect, write);
  const select = selectShared(read, readers);

  return {
    dialect,
    ids,
    write,
    read,
    select,
    selectOne: async <Row extends object>(statement: Statement, columns: readonly string[]): Promise<Row | undefined> =>
      (await select<Row>(statement, columns))[0],
    transaction: async (work, network) => {
      guard.refuseNested();
      const refilled = ids.refill();
      if (refilled !== undefined) await refilled;
      return noticingTaken(ids, () =>
        queue.transaction(
          (session) => guard.inside(() => work(within(session, dialect, ids.inside(session)))),
          network,
        ),
      );
    },
    snapshot: (work, signal) => snapshots.run((session) => work(within(session, dialect, ids)), signal),
    join: (given) => joinSqlite(given, { file, dialect, ids }),
    waits: queue.waits,
    lookBack: () => read(ids.look),
    wasUsed: () => true,
    requireSame: () => content.requireSame(),
    forgetIdentity: () => content.forget(),
    close: async () => {
      await queue.idle();
      await Promise.all([readerPool.close(), snapshots.close(), writerPool.close(), checkpoints.close()]);
    },
  };
};
