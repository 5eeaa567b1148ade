import { ConstraintViolation, type ErrorTable, TakenNumber } from "../engine/translate-error.ts";

const unavailableCodes = new Set([
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_READONLY",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_NOMEM",
  "SQLITE_INTERRUPT",
  "SQLITE_PROTOCOL",
  "SQLITE_CORRUPT",
  "SQLITE_NOTADB",
]);

export const sqliteErrors: ErrorTable = {
  constraint: ({ code, message }, fault) => {
    if (code !== "SQLITE_CONSTRAINT") return undefined;
    if (message.includes("FOREIGN KEY")) return new ConstraintViolation("reference", undefined, fault);
    if (/failed: (?:inbox_event|job|runner)\.id$/.test(message)) return new TakenNumber(fault.message);
    // "UNIQUE constraint failed: users.email", with several columns separated by commas.
    const column = /UNIQUE constraint failed: [^.]+\.([a-z0-9_]+)/.exec(message)?.[1];
    return column === undefined ? undefined : new ConstraintViolation("unique", column, fault);
  },
  isFull: ({ code }) => code === "SQLITE_FULL",
  isTooLong: ({ code }) => code === "SQLITE_TOOBIG",
  passes: ({ code }) => code === "SQLITE_BUSY" || code === "SQLITE_LOCKED",
  isUnavailable: ({ code }) => unavailableCodes.has(code),
};
