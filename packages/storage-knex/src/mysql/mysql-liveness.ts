import { createHash } from "node:crypto";
import type { ClosableLiveness } from "../closable-liveness.ts";
import type { Database } from "../database.ts";
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
const retakeAfterMs = 1000;

/** A connection that holds the lock; `undefined` if another one holds it. */
const takeLock = async (address: MysqlAddress, name: string): Promise<Connection | undefined> => {
  const connection = await dedicatedConnection(address, address.database);
  try {
    await query(connection, `SET SESSION wait_timeout = ${weekInSeconds}`);
    const [row] = await query<{ taken: number | null }[]>(connection, "SELECT GET_LOCK(?, 0) AS taken", [name]);
    if (row?.taken === 1) return connection;
    connection.destroy();
    return undefined;
  } catch (thrown) {
    connection.destroy();
    throw translate(thrown, mysqlErrors);
  }
};

interface HeldLock {
  release(): Promise<void>;
}

/**
 * Keeps the lock that `first` holds. If the connection drops, `take` takes the lock again as soon
 * as the server answers.
 */
const keepLock = (first: Connection, take: () => Promise<Connection | undefined>): HeldLock => {
  let current: Connection | undefined;
  let timer: NodeJS.Timeout | undefined;
  let released = false;

  const watch = (connection: Connection): void => {
    current = connection;
    let lost = false;
    const retake = () => {
      if (lost || released) return;
      lost = true;
      current = undefined;
      void again();
    };
    connection.on("error", retake);
    connection.on("end", retake);
  };
  const again = async (): Promise<void> => {
    try {
      const connection = await take();
      if (connection !== undefined) {
        if (released) connection.destroy();
        else watch(connection);
        return;
      }
    } catch (thrown) {
      // The server is still away. Meanwhile the heartbeat tells others that this runner lives.
      // Anything that is not an Error is a bug, so it is not hidden.
      if (!(thrown instanceof Error)) throw thrown;
    }
    if (!released) timer = setTimeout(() => void again(), retakeAfterMs).unref();
  };

  watch(first);
  return {
    release: async () => {
      if (released) return;
      released = true;
      clearTimeout(timer);
      const connection = current;
      if (connection !== undefined) await new Promise<void>((resolve) => connection.end(() => resolve()));
    },
  };
};

/**
 * Each runner has a connection of its own that holds a `GET_LOCK`. The lock is free as soon as the
 * connection ends, and the connection ends with the process.
 */
export const mysqlLiveness = (address: MysqlAddress, database: Database): ClosableLiveness => {
  const held = new Set<HeldLock>();
  const lockOf = (runnerId: number) => lockName(address.database, `runner:${runnerId}`);

  return {
    hold: async (runnerId) => {
      const take = () => takeLock(address, lockOf(runnerId));
      const connection = await take();
      if (connection === undefined) throw new Error(`the lock of runner ${runnerId} is held already`);
      const lock = keepLock(connection, take);
      held.add(lock);
      return {
        release: async () => {
          held.delete(lock);
          await lock.release();
        },
      };
    },
    isHeld: (runnerId) =>
      database.read(async (session) => {
        const [row] = await session.rows<{ holder: number | null }>("SELECT IS_USED_LOCK(?) AS holder", [
          lockOf(runnerId),
        ]);
        return row !== undefined && row.holder !== null;
      }),
    close: async () => {
      await Promise.all([...held].map((lock) => lock.release()));
      held.clear();
    },
  };
};
