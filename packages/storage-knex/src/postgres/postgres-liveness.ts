import { createHash } from "node:crypto";
import { type Database, readRows } from "../engine/database.ts";
import { translate } from "../engine/translate-error.ts";
import { type LockLiveness, lockLiveness } from "../server/lock-liveness.ts";
import type { ServerSettings } from "../server/server.ts";
import { query } from "./connection.ts";
import { postgresErrors } from "./errors.ts";
import { connect, type PostgresAddress } from "./pool.ts";

/**
 * The first of the two numbers of a lock. Locks belong to a database, which several schemas may share.
 */
export const lockClass = ({ schema = "public" }: Pick<PostgresAddress, "schema">, purpose: string): number =>
  createHash("sha256").update(`postern ${schema} ${purpose}`).digest().readInt32BE(0);

/** The locks of this database with two numbers that somebody holds. The numbers are without a sign. */
export const heldLocks = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND CAST(classid AS bigint) = ? AND CAST(objid AS bigint) = ?`;

/** A lock has two numbers of 32 bits. This is the second one, without a sign. */
const lowBitsOf = (runnerId: number): number => runnerId % 2 ** 32;

/** Runners are judged by their heartbeat: a pooler gives no connection to one process alone. */
const heartbeatOnly: LockLiveness = {
  hold: async () => ({ release: async () => undefined }),
  isHeld: async () => undefined,
  renew: () => undefined,
  close: async () => undefined,
};

/**
 * Each runner has a connection of its own that holds an advisory lock. `direct` leads to the server
 * itself; if it is absent, the heartbeat alone tells which runners live.
 */
export const postgresLiveness = (
  direct: PostgresAddress | undefined,
  settings: ServerSettings,
  database: Pick<Database, "read">,
): LockLiveness => {
  if (direct === undefined) return heartbeatOnly;
  const own = lockClass(direct, "runner");
  const isHeld = async (runnerId: number): Promise<boolean> =>
    (await readRows(database, heldLocks, [own >>> 0, lowBitsOf(runnerId)])).length > 0;
  return lockLiveness({
    take: async (runnerId) => {
      const connection = await connect(direct, { ...settings, statementTimeoutMs: 0 }).catch((thrown: unknown) => {
        throw translate(thrown, postgresErrors);
      });
      try {
        const { rows } = await query<{ taken: number }>(
          connection,
          "SELECT pg_try_advisory_lock(CAST(? AS integer), CAST(? AS integer)) AS taken",
          [own, lowBitsOf(runnerId) | 0],
        );
        if (rows[0]?.taken !== 1) {
          await connection.end();
          return undefined;
        }
        // Others would take this runner for dead if they did not see its lock.
        if (!(await isHeld(runnerId))) {
          throw new Error("POSTERN_LIVENESS_URL leads to another database than DATABASE_URL");
        }
      } catch (thrown) {
        await connection.end();
        throw translate(thrown, postgresErrors);
      }
      return {
        onLoss: (listener) => void connection.on("error", listener).on("end", listener),
        end: () => connection.end(),
      };
    },
    isHeld,
  });
};
