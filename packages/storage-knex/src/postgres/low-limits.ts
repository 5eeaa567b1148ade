import type { Database } from "../engine/database.ts";
import type { LowLimit } from "../engine/open-database.ts";

/**
 * Says whether a commit waits for no standby, although the URL names several hosts. Whether a standby
 * is there, and in step, only the cluster knows. @throws AppError `unavailable`
 */
export const weakReplication = async ({ read }: Pick<Database, "read">): Promise<readonly LowLimit[]> => {
  const [row] = await read((session) =>
    session.rows<{ standbys: string; commit: string }>(
      "SELECT current_setting('synchronous_standby_names') AS standbys, current_setting('synchronous_commit') AS commit",
    ),
  );
  const { standbys = "", commit = "" } = row ?? {};
  const risk = "a commit does not wait for the standby, so a failover may lose webhooks that were answered 200";
  if (standbys === "") {
    const text = `synchronous_standby_names is empty: ${risk}. Name the standby in it`;
    return [{ name: "synchronous_standby_names", found: standbys, text }];
  }
  if (!["local", "off"].includes(commit)) return [];
  const text = `synchronous_commit is ${commit}: ${risk}. Set it to on`;
  return [{ name: "synchronous_commit", found: commit, text }];
};

/**
 * Says where nothing clears the room of deleted rows, and of the old versions of changed ones: for the
 * whole server, or for tables of ours. @throws AppError `unavailable`
 */
export const missingVacuum = async ({ read }: Pick<Database, "read">): Promise<readonly LowLimit[]> => {
  const rows = await read((session) =>
    session.rows<{ setting: string; table: string | null }>(
      `SELECT current_setting('autovacuum') AS setting, NULL AS "table"
       UNION ALL
       SELECT 'off', relname FROM pg_class CROSS JOIN LATERAL pg_options_to_table(reloptions)
        WHERE relnamespace = CAST(current_schema() AS regnamespace) AND option_name = 'autovacuum_enabled'
          AND option_value IN ('false', 'off', 'no', '0')`,
    ),
  );
  const risk =
    "the room of deleted rows is never used again, tables grow without end, and every claim of a job slows down";
  return rows
    .filter(({ setting }) => setting !== "on")
    .map(({ setting, table }) => {
      if (table === null)
        return { name: "autovacuum", found: setting, text: `autovacuum is off: ${risk}. Set it to on` };
      const text = `autovacuum is off for the table ${table}: ${risk}. ALTER TABLE ${table} RESET (autovacuum_enabled)`;
      return { name: `autovacuum_enabled of ${table}`, found: setting, text };
    });
};
