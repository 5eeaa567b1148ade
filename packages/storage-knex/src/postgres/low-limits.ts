import type { Database } from "../database.ts";
import type { LowLimit } from "../open-database.ts";

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
