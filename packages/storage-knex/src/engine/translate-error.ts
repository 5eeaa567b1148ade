import { AppError } from "@postern/core";
import { BackupRefused } from "./backup-refused.ts";
import { CopyRefused } from "./copy-refused.ts";
import { NoSqliteDriver } from "./no-driver.ts";
import { MigrationRefused } from "./table-change.ts";

/**
 * A constraint refused a statement. The transaction goes on, and the repository decides what that
 * means for the caller.
 */
export class ConstraintViolation extends Error {
  override readonly name = "ConstraintViolation";
  readonly kind: "unique" | "reference";
  /** The column of a unique constraint. */
  readonly column: string | undefined;

  constructor(kind: "unique" | "reference", column: string | undefined, cause: unknown) {
    super(`a ${kind} constraint was violated`, { cause });
    this.kind = kind;
    this.column = column;
  }
}

/** Whether a value that must be unique is taken. */
export const isTaken = (thrown: unknown): thrown is ConstraintViolation =>
  thrown instanceof ConstraintViolation && thrown.kind === "unique";

/** The members of a driver's error that are used. */
export interface VendorError {
  readonly code: string;
  readonly errno: number;
  readonly message: string;
  /** PostgreSQL: names the column of a constraint. It holds values, so it never reaches a log. */
  readonly detail: string;
}

export const vendorErrorOf = (thrown: unknown): VendorError => {
  const { code, errno, message, detail } = (thrown ?? {}) as Partial<Record<keyof VendorError, unknown>>;
  // Node gives an error for each address of a host, and none of its own.
  const [first] = thrown instanceof AggregateError ? thrown.errors : [];
  return {
    code: typeof code === "string" ? code : "",
    errno: typeof errno === "number" ? errno : 0,
    message: first instanceof Error ? first.message : typeof message === "string" ? message : String(thrown),
    detail: typeof detail === "string" ? detail : "",
  };
};

/**
 * A driver's error as it may be logged: its code and message, but no values. Drivers put the
 * statement and its values into their errors. Hashes of passwords and bodies must not reach a log
 * that way.
 */
class DatabaseFault extends Error {
  override readonly name = "DatabaseFault";
  readonly code: string;
  /** Whether time alone can mend it: see `mayPass`. */
  readonly passes: boolean;

  constructor({ code, message }: VendorError, passes = false) {
    super(`${code === "" ? "unknown code" : code}: ${withoutValues(message)}${hintOf(code, message)}`);
    this.code = code;
    this.passes = passes;
  }
}

/**
 * Whether a failure may go away by itself: the server is not there yet, is starting, has no primary or no
 * free connection. A wrong password, role or name stays wrong.
 */
export const mayPass = (thrown: unknown): boolean =>
  thrown instanceof AppError && thrown.cause instanceof DatabaseFault && thrown.cause.passes;

/** Codes, words of the message, and what to do. The first that fits counts. */
const hints: readonly (readonly [RegExp, RegExp, string])[] = [
  [
    /^(?:ER_ACCESS_DENIED_(?:NO_PASSWORD_)?ERROR|ER_SECURE_TRANSPORT_REQUIRED)$/,
    /(?:)/,
    "the user or the password is wrong, or the server takes only TLS: put ?ssl=true behind the URL, and &ssl-cert=/path&ssl-key=/path if it wants a certificate",
  ],
  [
    /^ER_(?:DBACCESS|TABLEACCESS|SPECIFIC_ACCESS|COLUMNACCESS)_DENIED_ERROR$/,
    /(?:)/,
    "the user lacks a right: run GRANT ALL ON the database TO the user, as an administrator",
  ],
  [/^28000$/, /role ".*" does not exist/, "make the role, or write another user into the URL"],
  [/^28000$/, /is not permitted to log in/, "run ALTER ROLE … LOGIN, or write another user into the URL"],
  [
    /^28000$/,
    /no encryption|SSL off/,
    "the server takes only TLS: put ?sslmode=verify-full behind the URL, or ?sslmode=require if nobody vouches for its certificate",
  ],
  [
    /^28(?:P01|000)$/,
    /(?:)/,
    "the user or the password is wrong, or the server takes only TLS: put ?sslmode=verify-full behind the URL",
  ],
  [/^$/, /^SASL: /, "the server wants a password: write postgres://user:password@…"],
  [
    /^42501$/,
    /for schema /,
    "from version 15 on, only its owner makes tables in public: run GRANT CREATE, USAGE ON SCHEMA public TO the role, as an administrator, or put ?schema=postern behind the URL",
  ],
  [
    /^42501$/,
    /to create database/,
    "make the database as an administrator: CREATE DATABASE … OWNER the role, or let the role do it: ALTER ROLE … CREATEDB",
  ],
  [/^42501$/, /for database/, "run GRANT CREATE ON DATABASE … TO the role, as an administrator, or leave ?schema= out"],
  [/^42501$/, /(?:)/, "the role lacks a right: let it own the database's tables"],
  [/^ECONNREFUSED$/, /(?:)/, "nothing listens there: start the server, or correct host and port"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, /(?:)/, "the host in the URL has no address"],
  [
    /^(?:ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/,
    /(?:)/,
    "no answer: correct the host, or open the way through firewalls",
  ],
];

/** What to do about a failure. The log shows it. */
const hintOf = (code: string, message: string): string => {
  if (
    code === "ER_NO_SUCH_TABLE" ||
    code === "42P01" ||
    (code === "SQLITE_ERROR" && message.includes("no such table"))
  ) {
    return " (run migrate.latest(), or `postern migrate`; createKnexStorage must be given every resource)";
  }
  for (const [codes, words, hint] of hints) if (codes.test(code) && words.test(message)) return ` (${hint})`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return " (the host in the URL is no name in the server's certificate: write such a name into the URL, or put sslmode=verify-ca behind it)";
  }
  if (/^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/.test(code)) {
    return " (put sslrootcert=/path behind the URL, with the file of the authority that signed the server's certificate)";
  }
  if (message.includes("does not support SSL")) return " (the server has no TLS: leave sslmode out of the URL)";
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return " (the server has no TLS: leave ssl out of the URL)";
  if (code === "HANDSHAKE_SSL_ERROR" && message.includes("does not match certificate")) {
    return " (the host in the URL is no name in the server's certificate: write such a name into the URL, or give the server a certificate for this one)";
  }
  return code === "HANDSHAKE_SSL_ERROR"
    ? " (put &ssl-ca=/path behind the URL, with the file of the authority that signed the server's certificate; providers of databases offer it for download)"
    : "";
};

/**
 * Removes everything between the first quote and the last, because that may be a value, in which
 * quotes are not escaped. Knex puts the statement and ` - ` before the message.
 */
export const withoutValues = (message: string): string => {
  const first = message.indexOf("'");
  const last = message.lastIndexOf("'");
  const rest = last === first ? "" : message.slice(last + 1);
  const unquoted = first === -1 ? message : `${message.slice(0, first)}'…'${rest}`;
  return (unquoted.split(" - ").at(-1) ?? "").slice(0, 300);
};

/** The database cannot do it now; the caller may try again in a second. */
export const unavailable = (cause: Error, detail = "The database is not available at the moment."): AppError =>
  new AppError("unavailable", { detail, headers: { "retry-after": "1" }, cause });

/** The disk is full. Nothing was stored, and writes are taken again as soon as there is room. */
export const storageFull = (cause: Error): AppError =>
  new AppError("storage_full", {
    detail: "The disk of the database is full. Nothing was stored. Try again later.",
    headers: { "retry-after": "30" },
    cause,
  });

/** The database takes no text or body of this length, however often it is sent. */
export const tooLong = (cause: Error): AppError =>
  new AppError("content_too_large", { detail: "It is longer than the database of this server takes.", cause });

/**
 * A statement that reads took longer than it may. A second try would take as long. `cause` is the
 * driver's error.
 */
export const queryTooSlow = (limitMs: number, cause: unknown): AppError =>
  new AppError("query_too_slow", {
    detail: `Reading took longer than ${limitMs / 1000} s. Ask for less: another order, a narrower filter, no total.`,
    headers: { "retry-after": "10" },
    cause: new DatabaseFault(vendorErrorOf(cause)),
  });

/**
 * The connection was lost while it committed: it is not known whether the transaction was
 * committed. Code that can find out looks for its rows. For all other code, the database was not
 * available.
 */
export class CommitUnknown extends AppError {
  constructor(cause: Error) {
    super("unavailable", {
      detail: "It is not known whether the last change was stored.",
      headers: { "retry-after": "1" },
      cause,
    });
  }
}

/**
 * A number for a new row is on a row already: the database went back in time, and another process has
 * reserved the same numbers since. Nothing was stored. It is never taken for a repeat.
 */
export class TakenNumber extends AppError {
  constructor(reason: string) {
    super("unavailable", {
      detail: "It was not stored, because its number was taken. Send it again.",
      headers: { "retry-after": "1" },
      cause: new Error(`${reason}: has the database gone back in time?`),
    });
  }
}

/** The meanings of a driver's errors. */
export interface ErrorTable {
  constraint(error: VendorError, fault: DatabaseFault): ConstraintViolation | TakenNumber | undefined;
  isUnavailable(error: VendorError): boolean;
  isFull(error: VendorError): boolean;
  isTooLong(error: VendorError): boolean;
  /** Whether time alone can mend it. Absent: never. */
  passes?(error: VendorError): boolean;
}

const isPoolTimeout = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === "KnexTimeoutError";

/** Translates a driver's error. Our own errors pass through. */
export const translate = (thrown: unknown, table: ErrorTable): Error => {
  if (thrown instanceof AppError || thrown instanceof ConstraintViolation) return thrown;
  if (thrown instanceof DatabaseFault || thrown instanceof MigrationRefused || thrown instanceof TypeError)
    return thrown;
  if (thrown instanceof NoSqliteDriver || thrown instanceof CopyRefused || thrown instanceof BackupRefused)
    return thrown;
  const error = vendorErrorOf(thrown);
  if (isPoolTimeout(thrown)) return unavailable(new DatabaseFault({ ...error, code: "POOL_TIMEOUT" }, true));
  const fault = new DatabaseFault(error, table.passes?.(error));
  if (table.isFull(error)) return storageFull(fault);
  if (table.isTooLong(error)) return tooLong(fault);
  if (table.isUnavailable(error)) return unavailable(fault);
  return table.constraint(error, fault) ?? fault;
};
