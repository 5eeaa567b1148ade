import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import { unavailable, vendorErrorOf } from "../engine/translate-error.ts";

/** Codes of SQLite that only the file system can explain. */
const unexplained = /^SQLITE_(?:CANTOPEN|READONLY|PERM|IOERR)/;

const refusalOf = (path: string, mode: number): string | undefined => {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (thrown) {
    return vendorErrorOf(thrown).code;
  }
};

/** What keeps this process from using the file, as the file system says. */
const faultAt = (file: string): string | undefined => {
  const folder = dirname(file);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return `${file} is a folder: name a file in it`;
  const noFolder = refusalOf(folder, constants.W_OK | constants.X_OK);
  if (noFolder !== undefined) {
    return `the folder ${folder} cannot be written (${noFolder}): SQLite keeps more files beside the database`;
  }
  const noFile = found === undefined ? undefined : refusalOf(file, constants.R_OK | constants.W_OK);
  return noFile === undefined ? undefined : `the file ${file} cannot be read and written (${noFile})`;
};

/** The same error, or one that names the true cause where SQLite only says that it cannot open the file. */
export const explained = (thrown: unknown, file: string): unknown => {
  const { code } = vendorErrorOf(thrown);
  const fault = unexplained.test(code) ? faultAt(file) : undefined;
  return fault === undefined ? thrown : unavailable(Object.assign(new Error(fault), { code }));
};
