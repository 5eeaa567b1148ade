import type { Database } from "../database.ts";

/** A limit of the database server that is lower than what is needed. */
export interface LowLimit {
  /** The variable of the server. */
  readonly name: string;
  readonly found: number | string;
  /** What happens, and what to set. */
  readonly text: string;
}

interface Needs {
  /** The longest body that will be stored. */
  readonly longestBytes: number;
  /** The connections of one process's pool. */
  readonly connections: number;
}

/** What a statement has beside its longest body: headers, keys, and several short rows. */
const besideBytes = 1024 * 1024;
/** A connection for a runner's lock, one for migrations, and one for you. */
const besideConnections = 3;
const leastIdleSeconds = 60;
const leastPageBytes = 16_384;
const mebibyte = 1024 * 1024;

const mebibytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte)}M`;

/** The variables that are read; a server has those that it knows. */
const names = [
  "max_allowed_packet",
  "innodb_log_file_size",
  "innodb_log_files_in_group",
  "innodb_redo_log_capacity",
  "max_connections",
  "max_user_connections",
  "wait_timeout",
  "innodb_page_size",
  "innodb_default_row_format",
  "read_only",
] as const;

type Variables = Partial<Record<(typeof names)[number], string>>;

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
export const compareLimits = (found: Variables, { longestBytes, connections }: Needs): readonly LowLimit[] => {
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
  note(
    "read_only",
    found.read_only,
    isOn(found.read_only),
    "nothing can be stored. Let DATABASE_URL lead to the primary",
  );
  return low;
};

const isOn = (text: string | undefined): boolean => text !== undefined && ["ON", "1"].includes(text.toUpperCase());

/** Asks the server for its limits. @throws AppError `unavailable` */
export const lowLimitsOf = async ({ read }: Pick<Database, "read">, needs: Needs): Promise<readonly LowLimit[]> => {
  const rows = await read((session) =>
    session.rows<{ Variable_name: string; Value: string }>(
      `SHOW VARIABLES WHERE Variable_name IN (${names.map((name) => `'${name}'`).join(", ")})`,
    ),
  );
  return compareLimits(Object.fromEntries(rows.map((row) => [row.Variable_name, row.Value])), needs);
};
