import { type Database, readRows } from "../engine/database.ts";
import type { LowLimit } from "../engine/open-database.ts";

interface Needs {
  /** The longest body that will be stored. */
  readonly longestBytes: number;
  /** The connections of one process's pool. */
  readonly connections: number;
  /** The hosts of the URL. With several, a failover must not lose commits. */
  readonly hosts: number;
}

/** What a statement has beside its longest body: headers, keys, and several short rows. */
const besideBytes = 1024 * 1024;
/** A connection for a runner's lock, one for migrations, and one for you. */
const besideConnections = 3;
const leastIdleSeconds = 60;
const leastPageBytes = 16_384;
const mebibyte = 1024 * 1024;

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte)}M`;

/** The variables of a server, by their names. */
type Variables = Readonly<Partial<Record<string, string>>>;

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** InnoDB refuses a transaction whose bodies take more than a tenth of its redo log. */
const redoLog = (found: Variables): { readonly name: string; readonly bytes: number } | undefined => {
  const capacity = numberOf(found.innodb_redo_log_capacity);
  if (capacity !== undefined) return { name: "innodb_redo_log_capacity", bytes: capacity };
  const size = numberOf(found.innodb_log_file_size);
  const files = numberOf(found.innodb_log_files_in_group) ?? 1;
  return size === undefined ? undefined : { name: "innodb_log_file_size", bytes: size * files };
};

/** Compares what a server says of itself with what is needed. */
export const compareLimits = (found: Variables, { longestBytes, connections, hosts }: Needs): readonly LowLimit[] => {
  const low: LowLimit[] = [];
  const note = (name: string, value: number | string | undefined, isLow: boolean, text: string): void => {
    if (value !== undefined && isLow) low.push({ name, found: value, text: `${name} is ${value}: ${text}` });
  };
  const packet = numberOf(found.max_allowed_packet);
  const packetNeeded = longestBytes + besideBytes;
  note(
    "max_allowed_packet",
    packet,
    (packet ?? 0) < packetNeeded,
    `a webhook may have ${longestBytes} bytes, and a longer one than the database takes is answered 413. Set it to ${mebibytes(packetNeeded)} or more on the server, or lower POSTERN_WEBHOOK_BODY_LIMIT`,
  );
  const log = redoLog(found);
  if (log !== undefined) {
    const needed = 10 * packetNeeded;
    const text = `InnoDB takes a tenth of it in one transaction. Set it to ${mebibytes(needed)} or more`;
    note(log.name, log.bytes, log.bytes < needed, text);
  }
  const wanted = connections + besideConnections;
  for (const name of ["max_connections", "max_user_connections"] as const) {
    const most = numberOf(found[name]);
    // 0 is no limit.
    const isLow = most !== undefined && most > 0 && most < wanted;
    note(name, most, isLow, `each process of Postern takes up to ${wanted} connections. Raise it`);
  }
  const idle = numberOf(found.wait_timeout);
  note(
    "wait_timeout",
    idle,
    (idle ?? leastIdleSeconds) < leastIdleSeconds,
    `the server cuts connections that rest for so many seconds, and each of them is made anew. Set it to ${leastIdleSeconds} or more`,
  );
  const page = numberOf(found.innodb_page_size);
  note(
    "innodb_page_size",
    page,
    (page ?? leastPageBytes) < leastPageBytes,
    `rows and keys may be longer than it allows. A server keeps the value that it was set up with: set one up with ${leastPageBytes}`,
  );
  const format = found.innodb_default_row_format;
  note(
    "innodb_default_row_format",
    format,
    format !== undefined && !["dynamic", "compressed"].includes(format.toLowerCase()),
    "keys may be longer than it allows. Set it to dynamic",
  );
  return hosts > 1 ? [...low, ...weakReplication(found)] : low;
};

/** The shortest wait for a replica that is as good as none that ends. */
const longWaitMs = 3_600_000;

/** Whether a commit waits for a replica. Nodes of Galera and of a group always wait for each other. */
const weakReplication = (found: Variables): readonly LowLimit[] => {
  if (found.wsrep_on?.toUpperCase() === "ON" || (found.group_replication_group_name ?? "") !== "") return [];
  // Since MySQL 8.0.26, these variables have other names.
  const kind = found.rpl_semi_sync_source_enabled === undefined ? "master" : "source";
  const enabled = found[`rpl_semi_sync_${kind}_enabled`] ?? "OFF";
  const timeoutMs = Number(found[`rpl_semi_sync_${kind}_timeout`] ?? longWaitMs);
  const name = `rpl_semi_sync_${kind}_${enabled === "ON" ? "timeout" : "enabled"}`;
  if (enabled === "ON") {
    if (timeoutMs >= longWaitMs) return [];
    const text = `${name} is ${timeoutMs}: after so many milliseconds without its replica, the primary goes on alone, and a failover then loses webhooks that were answered 200. Set it to ${longWaitMs} or more`;
    return [{ name, found: timeoutMs, text }];
  }
  const text = `${name} is ${enabled}: a commit does not wait for the replica, so a failover may lose webhooks that were answered 200. Turn it on, with a replica that has rpl_semi_sync_${kind === "master" ? "slave" : "replica"}_enabled`;
  return [{ name, found: enabled, text }];
};

/** Asks the server for its limits. @throws AppError `unavailable` */
export const lowLimitsOf = async (database: Pick<Database, "read">, needs: Needs): Promise<readonly LowLimit[]> => {
  const rows = await readRows<{ Variable_name: string; Value: string }>(database, "SHOW VARIABLES");
  return compareLimits(Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value])), needs);
};
