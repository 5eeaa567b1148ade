import { translate } from "../translate-error.ts";
import { BrokenRun } from "./repeating.ts";
import type { AnySession, ServerPool } from "./server.ts";
import type { SessionOptions } from "./session.ts";

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
  return new BrokenRun(cause, errors.isContention(cause) || errors.isLost(cause), errors);
};

/**
 * Runs `work` once on a connection. The connection goes back to the pool only if its state is
 * known.
 * @throws BrokenRun when the connection or the transaction failed; else what `work` throws.
 */
export const onConnection = async <Connection, Result>(
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
