import { translate } from "../translate-error.ts";
import { type Connection, MysqlSession, type MysqlSessionOptions, query } from "./connection.ts";
import { isContention, isLost, mysqlErrors } from "./errors.ts";
import type { MysqlPool } from "./pool.ts";
import { BrokenRun } from "./repeating.ts";

const acquire = async (pool: MysqlPool): Promise<Connection> => {
  try {
    return await pool.acquire();
  } catch (thrown) {
    throw translate(thrown, mysqlErrors);
  }
};

/**
 * After a deadlock the connection can be used again, once the rest of the transaction is rolled
 * back.
 */
const rollBack = async (pool: MysqlPool, connection: Connection): Promise<void> => {
  try {
    await query(connection, "ROLLBACK");
    await pool.release(connection);
  } catch {
    await pool.discard(connection);
  }
};

/** Gives a connection back after a failure. Returns the error to throw. */
const giveBackFailed = async (
  pool: MysqlPool,
  connection: Connection,
  session: MysqlSession,
  thrown: unknown,
): Promise<unknown> => {
  const cause = session.broken;
  if (thrown instanceof BrokenRun) {
    await pool.discard(connection);
    return thrown;
  }
  if (cause === undefined) {
    await pool.release(connection);
    return thrown;
  }
  if (isContention(cause)) await rollBack(pool, connection);
  else await pool.discard(connection);
  return new BrokenRun(cause, isContention(cause) || isLost(cause));
};

/**
 * Runs `work` once on a connection. The connection goes back to the pool only if its state is
 * known.
 * @throws BrokenRun when the connection or the transaction failed; else what `work` throws.
 */
export const onConnection = async <Result>(
  pool: MysqlPool,
  work: (connection: Connection, session: MysqlSession) => Promise<Result>,
  options: MysqlSessionOptions = {},
): Promise<Result> => {
  const connection = await acquire(pool);
  const session = new MysqlSession(connection, options);
  try {
    const result = await work(connection, session);
    await pool.release(connection);
    return result;
  } catch (thrown) {
    throw await giveBackFailed(pool, connection, session, thrown);
  } finally {
    session.end(new Error("the transaction is over; its stores cannot be used any more"));
  }
};
