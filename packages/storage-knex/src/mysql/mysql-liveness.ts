import { createHash } from "node:crypto";
import type { Database } from "../engine/database.ts";
import { translate } from "../engine/translate-error.ts";
import { type LockConnection, type LockLiveness, lockLiveness } from "../server/lock-liveness.ts";
import type { ServerSettings } from "../server/server.ts";
import { query } from "./connection.ts";
import { mysqlErrors } from "./errors.ts";
import { connect, type MysqlAddress } from "./pool.ts";

/** All databases of a server share the names of locks, and a name has at most 64 characters. */
export const lockName = (database: string, purpose: string): string => {
  const plain = `${database}:${purpose}`;
  return plain.length <= 64 ? plain : createHash("sha256").update(plain).digest("hex");
};

const weekInSeconds = 604_800;

/** A connection that holds the lock; `undefined` if another one holds it. */
const takeLock = async (
  address: MysqlAddress,
  settings: ServerSettings,
  name: string,
): Promise<LockConnection | undefined> => {
  const connection = await connect(address, settings).catch((thrown: unknown) => {
    throw translate(thrown, mysqlErrors);
  });
  try {
    await query(connection, `SET SESSION wait_timeout = ${weekInSeconds}`);
    const [row] = await query<{ taken: number | null }[]>(connection, "SELECT GET_LOCK(?, 0) AS taken", [name]);
    if (row?.taken === 1) {
      return {
        onLoss: (listener) => void connection.on("error", listener).on("end", listener),
        end: () => new Promise((resolve) => connection.end(() => resolve())),
      };
    }
    connection.destroy();
    return undefined;
  } catch (thrown) {
    connection.destroy();
    throw translate(thrown, mysqlErrors);
  }
};

/**
 * Each runner has a connection of its own that holds a `GET_LOCK`. The lock is free as soon as the
 * connection ends, and the connection ends with the process. On Galera, heartbeats judge a runner
 * whose lock is on no connection of the asked node.
 */
export const mysqlLiveness = (address: MysqlAddress, settings: ServerSettings, database: Database): LockLiveness => {
  const lockOf = (runnerId: number) => lockName(address.database, `runner:${runnerId}`);
  return lockLiveness({
    take: (runnerId) => takeLock(address, settings, lockOf(runnerId)),
    isHeld: (runnerId) =>
      database.read(async (session) => {
        const [row] = await session.rows<{ holder: number | null }>("SELECT IS_USED_LOCK(?) AS holder", [
          lockOf(runnerId),
        ]);
        if (row !== undefined && row.holder !== null) return true;
        // Each node of Galera has locks of its own, and the runner may hold its lock on another one.
        const [cluster] = await session.rows<{ Value: string }>("SHOW VARIABLES LIKE 'wsrep_on'");
        return cluster?.Value === "ON" ? undefined : false;
      }),
  });
};
