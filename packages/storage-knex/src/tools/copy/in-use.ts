import { setTimeout as sleep } from "node:timers/promises";
import { CopyRefused } from "../../engine/copy-refused.ts";
import { isUnused } from "../sqlite-restore.ts";
import type { Connection } from "./connection.ts";

/** A server tells of a connection that was closed for a moment longer. */
const tries = 15;
const tryEveryMs = 200;

/** Connections of others, as the server tells. Those that keep others from migrating are ours. */
const others = {
  mysql: "SELECT COUNT(*) AS count FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
  postgres:
    "SELECT COUNT(*) AS count FROM pg_stat_activity WHERE datname = current_database() " +
    "AND application_name = 'postern' AND pid <> pg_backend_pid() AND pid NOT IN " +
    "(SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND objid = 0 AND pid IS NOT NULL)",
} as const;

const isFree = async (connection: Connection): Promise<boolean> => {
  const { address, server, rows } = connection;
  // Before the first statement of this connection: it would be in the way itself.
  if (address.kind === "sqlite") return isUnused(address);
  if (server === "sqlite") return true;
  const [found] = await rows<{ count: number }>(others[server]);
  return Number(found?.count) === 0;
};

/** Whether another process uses the database, also after a moment. */
export const isUsed = async (connection: Connection): Promise<boolean> => {
  for (let left = tries; !(await isFree(connection)); left -= 1) {
    if (left <= 1 || connection.address.kind === "sqlite") return true;
    await sleep(tryEveryMs);
  }
  return false;
};

/** @throws CopyRefused while another process uses the database. */
export const requireUnused = async (connection: Connection, what: "source" | "target"): Promise<void> => {
  if (!(await isUsed(connection))) return;
  throw new CopyRefused("in_use", `a process uses the ${what}; stop Postern, then run this again`);
};
