import { createHash } from "node:crypto";
import type { Database } from "../database.ts";
import { type LockLiveness, lockLiveness } from "../server/lock-liveness.ts";
import { translate } from "../translate-error.ts";
import { query } from "./connection.ts";
import { postgresErrors } from "./errors.ts";
import { connect, type PostgresAddress, type PostgresSettings } from "./pool.ts";

/**
 * The first of the two numbers of a lock. Locks belong to a database, which several schemas may share.
 */
export const lockClass = ({ schema = "public" }: Pick<PostgresAddress, "schema">, purpose: string): number =>
  createHash("sha256").update(`postern ${schema} ${purpose}`).digest().readInt32BE(0);

/** Each runner has a connection of its own that holds an advisory lock. */
export const postgresLiveness = (
  address: PostgresAddress,
  settings: PostgresSettings,
  database: Database,
): LockLiveness => {
  const own = lockClass(address, "runner");
  return lockLiveness({
    take: async (runnerId) => {
      const connection = await connect(address, { ...settings, statementTimeoutMs: 0 }).catch((thrown: unknown) => {
        throw translate(thrown, postgresErrors);
      });
      const { rows } = await query<{ taken: number }>(
        connection,
        "SELECT pg_try_advisory_lock(CAST(? AS integer), CAST(? AS integer)) AS taken",
        [own, runnerId],
      );
      if (rows[0]?.taken !== 1) {
        await connection.end();
        return undefined;
      }
      return {
        onLoss: (listener) => void connection.on("error", listener).on("end", listener),
        end: () => connection.end(),
      };
    },
    isHeld: async (runnerId) => {
      // `classid` and `objid` are numbers without a sign.
      const found = await database.read((session) =>
        session.rows(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
             AND CAST(classid AS bigint) = ? AND CAST(objid AS bigint) = ?`,
          [own >>> 0, runnerId],
        ),
      );
      return found.length > 0;
    },
  });
};
