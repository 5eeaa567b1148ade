import { ConstraintViolation, TakenNumber, type VendorError, vendorErrorOf } from "../engine/translate-error.ts";
import { noPrimary } from "../server/first-writer.ts";
import { lostConnections } from "../server/lost-connections.ts";
import type { ServerErrors } from "../server/server.ts";

/**
 * The codes of PostgreSQL (SQLSTATE): https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes = {
  uniqueViolation: "23505",
  foreignKeyViolation: "23503",
  diskFull: "53100",
  queryCanceled: "57014",
  tooManyConnections: "53300",
  /** The server takes no writes any more. */
  readOnly: "25006",
} as const;

/** A conflict of transactions, a deadlock, a wait for a lock that took too long. */
const contention: ReadonlySet<string> = new Set(["40001", "40P01", "55P03"]);

const tooLong: ReadonlySet<string> = new Set([
  "54000", // a program limit, such as a row or a value of more than 1 GB
  "22001", // longer than its column
]);

const unavailable: ReadonlySet<string> = new Set([
  "28000", // the user may not connect
  "28P01", // wrong password
  "3D000", // no such database
  "42501", // no right
  "53200", // out of memory
  codes.tooManyConnections,
  codes.queryCanceled,
  "UNSUITABLE_SERVER",
  noPrimary,
]);

/** The server restarts, or has become a standby, or the connection broke. */
const lost: ReadonlySet<string> = new Set([
  codes.readOnly,
  "25P03", // idle in a transaction for too long
  "57P01", // shut down by an administrator
  "57P02", // crashed
  "57P03", // is starting
  "57P05", // idle for too long
  ...lostConnections,
]);

/** The driver gives no code for a connection that broke. */
const lostTexts =
  /Connection terminated|connection timeout|not queryable|Client was closed|Query read timeout|timeout expired/i;

const isLost = (thrown: unknown): boolean => {
  const { code, message } = vendorErrorOf(thrown);
  return lost.has(code) || code.startsWith("08") || (code === "" && lostTexts.test(message));
};

/** Node's own codes for a certificate that it does not accept, and the driver's text if there is no TLS. */
const isUntrusted = ({ code, message }: VendorError): boolean =>
  /^(?:ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code) || /does not support SSL/.test(message);

/** pgbouncer's answer to a connection with settings of its own. */
export const refusesSettings = (thrown: unknown): boolean => {
  const { code, message } = vendorErrorOf(thrown);
  return code.startsWith("08") && /unsupported startup parameter/.test(message);
};

/** Whether the server ended a statement because it took too long. */
export const isCanceled = (thrown: unknown): boolean => vendorErrorOf(thrown).code === codes.queryCanceled;

/** `Key (email)=(…) already exists.` names the column, whatever the value is. */
const columnIn = (detail: string): string | undefined => /^Key \("?(\w+)/.exec(detail)?.[1];

const numbered = /"(?:inbox_event|job|runner)_pkey"/;

export const postgresErrors: ServerErrors = {
  isContention: (thrown) => contention.has(vendorErrorOf(thrown).code),
  isLost,
  isDemoted: (thrown) => vendorErrorOf(thrown).code === codes.readOnly,
  // An error ends the transaction and not the connection.
  isUsable: (thrown) => /^[0-9A-Z]{5}$/.test(vendorErrorOf(thrown).code) && !isLost(thrown),
  constraint: ({ code, detail, message }, fault) => {
    if (code === codes.foreignKeyViolation) return new ConstraintViolation("reference", undefined, fault);
    if (code === codes.uniqueViolation && numbered.test(message)) return new TakenNumber(fault.message);
    return code === codes.uniqueViolation ? new ConstraintViolation("unique", columnIn(detail), fault) : undefined;
  },
  isFull: ({ code }) => code === codes.diskFull,
  isTooLong: ({ code }) => tooLong.has(code),
  isUnavailable: (error) =>
    unavailable.has(error.code) ||
    contention.has(error.code) ||
    isLost(error) ||
    isUntrusted(error) ||
    // The driver's words for a password that is missing.
    error.message.startsWith("SASL: "),
  passes: (error) =>
    isLost(error) || contention.has(error.code) || error.code === codes.tooManyConnections || error.code === noPrimary,
};
