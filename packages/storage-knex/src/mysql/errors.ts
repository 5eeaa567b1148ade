import { ConstraintViolation, TakenNumber, vendorErrorOf } from "../engine/translate-error.ts";
import { noPrimary } from "../server/first-writer.ts";
import { lostConnections } from "../server/lost-connections.ts";
import type { ServerErrors } from "../server/server.ts";

const duplicateEntry = 1062;
/** See `unlessTaken` in `dialect.ts`. */
const outOfRange = 1690;
const unlessTakenText = /(?:~0|18446744073709551615) \+/;
const referenceErrors = new Set([1216, 1452]);
/**
 * A deadlock, a wait for a lock that took too long, a row that changed under the snapshot. A second
 * try may well work.
 */
const contention = new Set([1205, 1213, 1020]);

/** The disk is full, or a table. */
const fullErrnos = new Set([1021, 1114]);

const tooLongErrnos = new Set([
  1118, // more than a tenth of the redo log in one transaction
  1153, // longer than max_allowed_packet
  1301, // the result of a function is
]);

const unavailableErrnos = new Set([
  1040, // too many connections
  1041, // out of memory
  1044, // access to the database denied
  1045, // access denied
  1049, // no such database
  1130, // not allowed from this host
  1142, // a right is missing
  1227, // a right is missing
  1053, // shutting down
  1129, // host blocked
  1203, // the user's connections are used up
  1290, // an option forbids it
  1317, // interrupted
  1792, // read-only transaction
  1836, // read-only mode
  1698, // access denied, without a password
  3159, // only TLS is taken
  1927, // connection killed
  1969, // max_statement_time (MariaDB)
  3024, // max_execution_time (MySQL)
  1047, // Galera: not ready for queries
]);

/** No connection is free now. */
const tooMany = new Set([1040, 1203]);

const lostCodes = new Set([
  "PROTOCOL_CONNECTION_LOST",
  "PROTOCOL_SEQUENCE_TIMEOUT",
  "PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR",
  ...lostConnections,
]);

/** The server has become a replica, or this node of Galera has lost its cluster. */
const isDemoted = (thrown: unknown): boolean => {
  const { errno, message } = vendorErrorOf(thrown);
  return errno === 1836 || errno === 1047 || (errno === 1290 && /read.only/i.test(message));
};

const isLost = (thrown: unknown): boolean => {
  const { code, errno, message } = vendorErrorOf(thrown);
  return (
    isDemoted(thrown) ||
    lostCodes.has(code) ||
    errno === 1053 ||
    errno === 1927 ||
    /closed state|connection (?:is )?closed/i.test(message)
  );
};

const isContention = (thrown: unknown): boolean => contention.has(vendorErrorOf(thrown).errno);

export const mysqlErrors: ServerErrors = {
  isContention,
  isLost,
  isDemoted,
  isUsable: isContention,
  constraint: ({ errno, message }, fault) => {
    if (referenceErrors.has(errno)) return new ConstraintViolation("reference", undefined, fault);
    if (errno === outOfRange && unlessTakenText.test(message)) return new TakenNumber(fault.message);
    if (errno !== duplicateEntry) return undefined;
    // "Duplicate entry '…' for key 'email'", on MySQL 'users.email'. The value may contain quotes,
    // so look for the key at the end.
    const key = /for key '(?:[^']*\.)?([^'.]+)'$/.exec(message)?.[1];
    return key === undefined ? undefined : new ConstraintViolation("unique", key === "PRIMARY" ? "id" : key, fault);
  },
  isFull: ({ errno }) => fullErrnos.has(errno),
  isTooLong: ({ errno }) => tooLongErrnos.has(errno),
  isUnavailable: (error) =>
    unavailableErrnos.has(error.errno) ||
    contention.has(error.errno) ||
    isLost(error) ||
    // TLS was refused by one of the two sides.
    error.code.startsWith("HANDSHAKE_") ||
    error.code === "UNSUITABLE_SERVER" ||
    error.code === noPrimary,
  passes: (error) => isLost(error) || isContention(error) || tooMany.has(error.errno) || error.code === noPrimary,
};
