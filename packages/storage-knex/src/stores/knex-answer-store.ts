import type { AnswerStore } from "@postern/core/ports";
import { bufferOf, checkLimit, type Database, keyBytes, readRows } from "../engine/database.ts";
import { deletedAtOnce, portionsOf } from "../engine/portions.ts";
import { changeQuery, readQuery } from "../engine/query-builder.ts";

/**
 * Answers under idempotency keys. A claim inserts the key's row or locks the existing one. A second
 * request waits until the transaction of the first has ended.
 */
export const knexAnswerStore = (database: Database): AnswerStore => {
  const { dialect } = database;
  const { query } = dialect;
  const insert = dialect.insertUnlessTaken("kept_answer", ["answer_key", "sealed", "expires_at"], "answer_key");

  return {
    find: async (key, now) => {
      const [row] = await readRows<{ sealed: string; expires_at: number }>(
        database,
        "SELECT sealed, expires_at FROM kept_answer WHERE answer_key = ? AND expires_at > ?",
        [keyBytes(key), now],
      );
      return row === undefined ? undefined : { key, sealed: row.sealed, expiresAt: row.expires_at };
    },
    claim: (key, now) =>
      database.write(async (session) => {
        // This row expired long ago, so the request that locks it may have it.
        await session.run(insert, [keyBytes(key), "", 0]);
        const [row] = await session.rows<{ expires_at: number }>(
          `SELECT expires_at FROM kept_answer WHERE answer_key = ?${dialect.forUpdate}`,
          [keyBytes(key)],
        );
        return row !== undefined && row.expires_at <= now;
      }),
    keep: ({ key, sealed, expiresAt }) =>
      database.write(async (session) => {
        const { changed } = await session.run(
          "UPDATE kept_answer SET sealed = ?, expires_at = ? WHERE answer_key = ?",
          [sealed, expiresAt, keyBytes(key)],
        );
        if (changed !== 1) throw new TypeError("an answer is kept only under a key that was claimed");
      }),
    purge: async (now, limit) => {
      checkLimit(limit);
      const length = query.raw("OCTET_LENGTH(sealed) AS bytes");
      const expired = query("kept_answer").select("answer_key", length).where("expires_at", "<", now);
      const rows = await readQuery<{ answer_key: string | Uint8Array; bytes: number }>(
        database,
        expired.orderBy("expires_at").limit(limit),
      );
      let purged = 0;
      for (const portion of portionsOf(rows, ({ bytes }) => bytes, deletedAtOnce)) {
        const keys = portion.map(({ answer_key: key }) => (typeof key === "string" ? key : bufferOf(key)));
        // A key may have been claimed again since it was found.
        const gone = query("kept_answer").whereIn("answer_key", keys).where("expires_at", "<", now).delete();
        purged += await changeQuery(database, gone);
      }
      return purged;
    },
  };
};
