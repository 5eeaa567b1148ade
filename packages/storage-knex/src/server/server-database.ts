import type { Line } from "@postern/core";
import { createLine, untilAborted } from "@postern/core/internal";
import { type Database, type IdSource, type Session, within } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import { idBlocks, noticingTaken } from "../engine/id-blocks.ts";
import { loopClock } from "../engine/loop-clock.ts";
import { type JoinedDatabase, joinedDatabase, type OpenDatabase } from "../engine/open-database.ts";
import { afterCommitOf, isElsewhere, ownConnectionOf, sessionOn } from "../engine/own-connection.ts";
import { transactionGuard } from "../engine/transaction-guard.ts";
import { CommitUnknown, translate, unavailable } from "../engine/translate-error.ts";
import type { Lineage } from "./lineage.ts";
import { BrokenRun, type OnRepeat, repeating } from "./repeating.ts";
import type { AnySession, JoinedConnections, ServerPool } from "./server.ts";
import type { ServerWatch } from "./server-watch.ts";
import type { SessionOptions } from "./session.ts";
import { sharedRows } from "./shared-rows.ts";

/** Some errors end the transaction only: the connection can be used again once it is rolled back. */
const rollBack = async <Connection>(pool: ServerPool<Connection>, connection: Connection): Promise<void> => {
  try {
    await pool.control(connection, "ROLLBACK");
    await pool.release(connection);
  } catch {
    await pool.discard(connection);
  }
};

/** Gives a connection back after a failure. Returns the error to throw. */
const giveBackFailed = async <Connection>(
  pool: ServerPool<Connection>,
  connection: Connection,
  session: AnySession,
  thrown: unknown,
): Promise<unknown> => {
  const { errors } = pool;
  const cause = session.broken;
  if (thrown instanceof BrokenRun) {
    await pool.discard(connection);
    return thrown;
  }
  if (cause === undefined) {
    await pool.release(connection);
    return thrown;
  }
  if (errors.isUsable(cause)) await rollBack(pool, connection);
  else await pool.discard(connection);
  return new BrokenRun(cause, errors.isContention(cause) || errors.isLost(cause), errors, session.errorFor(thrown));
};

/**
 * Runs `work` once on a connection. The connection goes back to the pool only if its state is
 * known.
 * @throws BrokenRun when the connection or the transaction failed; else what `work` throws.
 */
const onConnection = async <Connection, Result>(
  pool: ServerPool<Connection>,
  use: "read" | "write",
  work: (connection: Connection, session: AnySession) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> => {
  const connection = await pool.acquire(use).catch((thrown: unknown) => {
    throw translate(thrown, pool.errors);
  });
  const session = pool.session(connection, options);
  try {
    const result = await work(connection, session);
    await pool.release(connection);
    return result;
  } catch (thrown) {
    const failure = await giveBackFailed(pool, connection, session, thrown);
    if (failure instanceof BrokenRun && failure.isDemoted) pool.renew();
    throw failure;
  } finally {
    session.end(new Error("the transaction is over; its stores cannot be used any more"));
  }
};

/** Connections that are left for reads and for Postern's own work while networks write. */
const spared = 2;
const mostWaiting = 10_000;
/** Only time in which the event loop ran counts. */
const writeWaitMs = 2000;

/**
 * The connections that write for networks. One network never holds all of them, so a newcomer waits for
 * the next statement and not for a long transaction.
 */
export const lineOfWriters = (connections: number, clock = loopClock): Line => {
  const most = Math.max(1, connections - spared);
  const refusal = (): Error => unavailable(new Error(`no connection was free to write within ${writeWaitMs} ms`));
  const bounds = { most, mostOfKey: Math.max(1, most - 1), waiting: mostWaiting, waitMs: writeWaitMs };
  return createLine({ ...bounds, refusal }, clock);
};

const control = async <Connection>(
  { control: run, errors }: ServerPool<Connection>,
  connection: Connection,
  sql: string,
): Promise<void> => {
  try {
    await run(connection, sql);
  } catch (thrown) {
    throw new BrokenRun(thrown, errors.isLost(thrown), errors);
  }
};

const commit = async <Connection>(pool: ServerPool<Connection>, connection: Connection): Promise<void> => {
  const { errors } = pool;
  try {
    await pool.control(connection, "COMMIT");
  } catch (thrown) {
    // The commit may have succeeded, and a second run could do the work twice. The caller can check
    // whether it is there.
    if (errors.isContention(thrown)) throw new BrokenRun(thrown, true, errors);
    throw new BrokenRun(thrown, false, errors, new CommitUnknown(translate(thrown, errors)));
  }
};

/** Runs `work` as one transaction on a connection. */
const inTransaction = async <Connection, Result>(
  pool: ServerPool<Connection>,
  connection: Connection,
  session: AnySession,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => {
  await control(pool, connection, pool.begin?.write ?? "START TRANSACTION");
  let result: Result;
  try {
    result = await work(session);
  } catch (thrown) {
    if (session.broken === undefined) await control(pool, connection, "ROLLBACK");
    throw thrown;
  }
  // `work` may have caught the error that broke the transaction, but the transaction is over
  // anyway.
  if (session.broken !== undefined) throw session.broken;
  await commit(pool, connection);
  for (const action of session.committed) action();
  return result;
};

interface ServerSettings {
  readonly guardNesting: boolean;
  readonly readLimitMs: number;
  readonly lineage: Lineage;
  readonly servers?: Pick<ServerWatch, "onOther">;
  /** Called when the server takes no writes any more. Its connections are dropped. */
  readonly onDemoted?: () => void;
}

/** Runs `work`, which only reads, as one transaction on a connection. */
const inReadTransaction = async <Connection, Result>(
  pool: ServerPool<Connection>,
  connection: Connection,
  session: AnySession,
  begin: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => {
  await control(pool, connection, begin);
  try {
    return await work(session);
  } finally {
    await control(pool, connection, "ROLLBACK");
  }
};

/**
 * Snapshots of handlers at once, so that requests find a connection to read with. A handler waits for
 * its turn as long as the snapshots before it may take.
 */
const lineOfSnapshots = (connections: number): Line => {
  const refusal = (): Error => unavailable(new Error("too many handlers read at the same time"));
  return createLine(
    { most: Math.max(1, connections - spared), waiting: mostWaiting, waitMs: 5000, refusal },
    loopClock,
  );
};

/** Runs `work`, which sees one snapshot and cannot write, on a connection. */
const inSnapshot = async <Connection, Result>(
  pool: ServerPool<Connection>,
  connection: Connection,
  session: AnySession,
  signal: AbortSignal,
  work: (session: Session) => Promise<Result>,
): Promise<Result> => {
  for (const sql of pool.snapshot) await control(pool, connection, sql);
  try {
    return await untilAborted(signal, () => work(session));
  } catch (thrown) {
    // A statement may be under way, so the connection is of no use any more.
    if (signal.aborted) throw new BrokenRun(undefined, false, pool.errors, signal.reason);
    const { broken } = session;
    const { isDemoted, isLost, isContention } = pool.errors;
    // Here a refused write is about this transaction, and does not say that another server is the primary.
    const isRefused = broken !== undefined && (isDemoted(broken) || !(isLost(broken) || isContention(broken)));
    throw isRefused ? new BrokenRun(undefined, false, pool.errors, thrown) : thrown;
  } finally {
    if (!signal.aborted) await control(pool, connection, "ROLLBACK");
  }
};

/**
 * Opens stores on a server of databases. Short transactions run on connections from a pool, and run
 * again after a deadlock.
 */
export const openServer = <Connection>(
  opened: ServerPool<Connection>,
  { guardNesting, readLimitMs, lineage, servers, onDemoted = () => undefined }: ServerSettings,
  onRepeat: OnRepeat = () => undefined,
): OpenDatabase => {
  /** How often the database was used, and how often when it was last compared with the first one. */
  let uses = 0;
  let compared = 0;
  const pool: ServerPool<Connection> = {
    ...opened,
    acquire: (use) => {
      uses += 1;
      return opened.acquire(use);
    },
    renew: () => {
      opened.renew();
      onDemoted();
    },
  };
  const guard = transactionGuard(guardNesting);
  const { dialect } = pool;
  const writers = lineOfWriters(pool.size);
  const begin = pool.begin?.read;

  let underWay = 0;
  let waits = 0;

  const transact = async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
    if (underWay > 0) waits += 1;
    underWay += 1;
    try {
      return await repeating(
        (isRepeat) =>
          onConnection(pool, "write", (connection, session) => inTransaction(pool, connection, session, work), {
            isRepeat,
          }),
        onRepeat,
      );
    } finally {
      underWay -= 1;
    }
  };
  const write: Database["write"] = async (work) => {
    guard.refuseNested();
    return noticingTaken(ids, () => transact(work));
  };
  const compare = async (session: Session): Promise<void> => {
    const at = uses;
    await lineage.compare((sql) => session.rows(sql));
    compared = at;
  };
  const blocks = idBlocks(dialect, write);
  const ids = {
    ...blocks,
    look: async (session: Session): Promise<void> => {
      await compare(session);
      await blocks.look(session);
    },
  };
  servers?.onOther(() => {
    dialect.forgetReady?.();
    ids.doubt();
  });
  const read: Database["read"] = (work) =>
    repeating(
      () =>
        onConnection(
          pool,
          "read",
          (connection, session) =>
            begin === undefined ? work(session) : inReadTransaction(pool, connection, session, begin, work),
          { readLimitMs },
        ),
      onRepeat,
    );

  const snapshots = lineOfSnapshots(pool.readers);
  const snapshot: OpenDatabase["snapshot"] = async (work, signal) => {
    const share = await snapshots.take("handlers");
    try {
      return await repeating(
        () =>
          onConnection(
            pool,
            "read",
            (connection, session) =>
              inSnapshot(pool, connection, session, signal, () => work(within(session, dialect, ids))),
            { readLimitMs },
          ),
        onRepeat,
      );
    } finally {
      share.release();
    }
  };

  const requireSame = (): Promise<void> => read(compare);

  return {
    dialect,
    ids,
    join: joinServer({ dialect, joined: pool.joined, ids, lineage, requireSame }),
    read,
    select: ({ sql, values }) => read((session) => session.rows(sql, values)),
    selectOne: sharedRows(read),
    write,
    transaction: async <Result>(work: (database: Database) => Promise<Result>, network?: string): Promise<Result> => {
      guard.refuseNested();
      await ids.refill();
      const inside = (session: Session): Promise<Result> =>
        guard.inside(() => work(within(session, dialect, ids.inside(session))));
      if (network === undefined) return noticingTaken(ids, () => transact(inside));
      const share = await writers.take(network);
      try {
        return await noticingTaken(ids, () => transact(inside));
      } finally {
        share.release();
      }
    },
    snapshot,
    requireSame,
    wasUsed: () => uses !== compared,
    waits: () => waits,
    lookBack: () => read(ids.look),
    forgetIdentity: lineage.forget,
    close: () => pool.close(),
  };
};

interface JoinParts {
  readonly dialect: Dialect;
  readonly joined: JoinedConnections;
  readonly ids: IdSource;
  readonly lineage: Pick<Lineage, "compare">;
  /** Makes sure that the lineage knows Postern's own database. */
  requireSame(): Promise<void>;
}

/** Lets stores take part in transactions that the application has begun on the same database. */
const joinServer = ({ dialect, joined, ids, lineage, requireSame }: JoinParts) => {
  /** Connections that lead to Postern's database. */
  const known = new WeakSet<object>();

  const requireKnown = async (connection: object, session: Session): Promise<void> => {
    if (known.has(connection)) return;
    await requireSame();
    try {
      await lineage.compare((sql) => session.rows(sql));
    } catch (thrown) {
      throw isElsewhere(thrown);
    }
    known.add(connection);
  };

  return (given: unknown): JoinedDatabase => {
    const own = ownConnectionOf(given, dialect.name);
    const begin = async (connection: object): Promise<Session> => {
      const session = joined.session(connection);
      await requireKnown(connection, session);
      // Each time: the application may have changed them since.
      await joined.requireSettings(session);
      return session;
    };
    return {
      database: joinedDatabase(dialect, ids, sessionOn(own, begin, joined.requireBegun)),
      afterCommit: (action) => afterCommitOf(own.trx, action),
    };
  };
};
