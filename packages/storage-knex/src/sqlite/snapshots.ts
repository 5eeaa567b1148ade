import { untilAborted } from "@postern/core/internal";
import { translate } from "../engine/translate-error.ts";
import { SqliteSession, type SqliteSettings } from "./connection.ts";
import { sqliteErrors } from "./errors.ts";
import type { OpenedFile } from "./opened-file.ts";
import { sqlitePool } from "./pool.ts";

/** Connections of their own, so that handlers which read for long keep no request waiting. */
const connections = 2;
/** A handler waits for its turn as long as the snapshots before it may take. */
const waitMs = 5_000;
const interruptMs = 20;

/** Transactions that read, on connections that refuse every write. In WAL mode they wait for no writer. */
export const sqliteSnapshots = (
  file: string,
  { readLimitMs, ...settings }: SqliteSettings & { readonly readLimitMs: number },
  opened: OpenedFile,
) => {
  const pool = sqlitePool(file, connections, { ...settings, queryOnly: true }, opened, waitMs);
  return {
    /** @throws AppError `unavailable` when the file cannot be read, or no connection gets free. */
    run: async <Result>(work: (session: SqliteSession) => Promise<Result>, signal: AbortSignal): Promise<Result> => {
      opened.requireRecentlySame();
      const connection = await pool.acquire().catch((thrown: unknown) => {
        throw translate(thrown, sqliteErrors);
      });
      const session = new SqliteSession(connection, undefined, readLimitMs);
      try {
        // SQLite takes the snapshot when something is read.
        await connection.all("SELECT 1 FROM sqlite_schema LIMIT 1", [], [{ sql: "BEGIN" }]).catch((thrown) => {
          throw translate(thrown, sqliteErrors);
        });
        return await untilAborted(signal, () => work(session));
      } finally {
        const underWay = setInterval(() => connection.interrupt(), interruptMs);
        await session.end();
        clearInterval(underWay);
        await connection.run("ROLLBACK").then(
          () => pool.release(connection),
          () => pool.discard(connection),
        );
      }
    },
    close: () => pool.close(),
  };
};
