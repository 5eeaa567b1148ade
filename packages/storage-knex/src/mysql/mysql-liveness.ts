import { createHash } from "node:crypto";
import type { ClosableLiveness } from "../closable-liveness.ts";
import type { Database } from "../database.ts";
import { type LockConnection, lockLiveness } from "../server/lock-liveness.ts";
import { translate } from "../translate-error.ts";
import { type Connection, query } from "./connection.ts";
import { mysqlErrors } from "./errors.ts";
import { connectionOptions, type MysqlAddress } from "./pool.ts";

/** All databases of a server share the names of locks, and a name has at most 64 characters. */
export const lockName = (database: string, purpose: string): string => {
  const plain = `${database}:${purpose}`;
  return plain.length <= 64 ? plain : createHash("sha256").update(plain).digest("hex");
};

/** A connection of its own, which no idle timeout ends. */
export const dedicatedConnection = async (address: MysqlAddress, database: string | undefined): Promise<Connection> => {
  const { createConnection } = await import("mysql2");
  const { database: _, ...options } = connectionOptions(address);
  return new Promise((resolve, reject) => {
    const connection = createConnection({ ...options, ...(database === undefined ? {} : { database }) });
    const refuse = (error: Error) => reject(translate(error, mysqlErrors));
    connection.once("error", refuse);
    connection.connect((error) => {
      if (error !== null) {
        refuse(error);
        return;
      }
      connection.off("error", refuse);
      // If the connection is lost while it is idle, its next statement fails. Without a listener,
      // the loss would end the process.
      connection.on("error", () => undefined);
      resolve(connection);
    });
  });
};

const weekInSeconds = 604_800;

/** A connection that holds the lock; `undefined` if another one holds it. */
const takeLock = async (address: MysqlAddress, name: string): Promise<LockConnection | undefined> => {
  const connection = await dedicatedConnection(address, address.database);
  try {
    await query(connection, `SET SESSION wait_timeout = ${weekInSeconds}`);
    const [row] = await query<{ taken: number | null }[]>(connection, "SELECT GET_LOCK(?, 0) AS taken", [name]);
    if (row?.taken === 1) return lockConnection(connection);
    connection.destroy();
    return undefined;
  } catch (thrown) {
    connection.destroy();
    throw translate(thrown, mysqlErrors);
  }
};

const lockConnection = (connection: Connection): LockConnection => ({
  onLoss: (listener) => void connection.on("error", listener).on("end", listener),
  end: () => new Promise((resolve) => connection.end(() => resolve())),
});

/**
 * Each runner has a connection of its own that holds a `GET_LOCK`. The lock is free as soon as the
 * connection ends, and the connection ends with the process.
 */
export const mysqlLiveness = (address: MysqlAddress, database: Database): ClosableLiveness => {
  const lockOf = (runnerId: number) => lockName(address.database, `runner:${runnerId}`);
  return lockLiveness({
    take: (runnerId) => takeLock(address, lockOf(runnerId)),
    isHeld: (runnerId) =>
      database.read(async (session) => {
        const [row] = await session.rows<{ holder: number | null }>("SELECT IS_USED_LOCK(?) AS holder", [
          lockOf(runnerId),
        ]);
        return row !== undefined && row.holder !== null;
      }),
  });
};
