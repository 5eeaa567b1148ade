import { existsSync, realpathSync, statfsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { BackupRefused } from "../engine/backup-refused.ts";
import { vendorErrorOf } from "../engine/translate-error.ts";
import { type Ask, onSoleConnection, type SqliteFile } from "../sqlite/sole-connection.ts";
import { type BackupFacts, type BackupOptions, type CopyFacts, makeBackup } from "./backup-file.ts";

const countAll = async (ask: Ask): Promise<Readonly<Record<string, number>>> => {
  const tables = await ask<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [counted] = await ask<{ rows: number }>(`SELECT COUNT(*) AS rows FROM \`${name}\``);
    rows[name] = counted?.rows ?? 0;
  }
  return rows;
};

/** @throws BackupRefused unless the file is a whole database of Postern. */
export const checkCopy = async (copy: SqliteFile, named: string): Promise<CopyFacts> => {
  try {
    return await onSoleConnection(copy, async (ask) => {
      const found = await ask<{ integrity_check: string }>("PRAGMA integrity_check");
      if (found.length !== 1 || found[0]?.integrity_check !== "ok") {
        throw new BackupRefused(
          "damaged",
          `${named} is damaged: ${found[0]?.integrity_check ?? "it cannot be checked"}`,
        );
      }
      const rows = await countAll(ask);
      if (!Object.hasOwn(rows, "schema_migration"))
        throw new BackupRefused("damaged", `${named} is no database of Postern`);
      return { bytes: statSync(copy.file).size, rows };
    });
  } catch (thrown) {
    const { code } = vendorErrorOf(thrown);
    if (code !== "SQLITE_NOTADB" && code !== "SQLITE_CORRUPT") throw thrown;
    throw new BackupRefused("damaged", `${named} is damaged, or no SQLite database (${code})`);
  }
};

/** A file keeps its name if another one is moved over it. */
const isSame = (one: string, other: string): boolean => existsSync(other) && realpathSync(one) === realpathSync(other);

/** SQLite's own connection: `VACUUM INTO` reads one moment of the file, however long it takes. */
const copyInto = (file: SqliteFile, copy: string): Promise<void> =>
  onSoleConnection(file, async (ask) => {
    await ask("PRAGMA busy_timeout = 10000");
    const [size] = await ask<{ bytes: number }>(
      "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
    );
    const disk = statfsSync(dirname(copy));
    const free = disk.bavail * disk.bsize;
    const bytes = size?.bytes ?? 0;
    if (free < bytes) {
      const mebibytes = (count: number) => Math.ceil(count / 1024 / 1024);
      throw new BackupRefused(
        "disk_full",
        `${dirname(copy)} has ${mebibytes(free)} MiB free, and the backup may need ${mebibytes(bytes)} MiB`,
      );
    }
    await ask("VACUUM INTO ?", [copy]);
  });

/** See `backUp`. */
export const backUpSqlite = async (
  { file, driver }: SqliteFile,
  target: string,
  options: BackupOptions = {},
): Promise<BackupFacts> => {
  const wanted = resolve(target);
  if (!existsSync(file)) throw new BackupRefused("not_found", `there is no database ${file}; check DATABASE_URL`);
  if (isSame(file, wanted)) throw new BackupRefused("in_use", `${wanted} is the database itself; name another file`);
  return makeBackup(wanted, options, async (part) => {
    // SQLite accepts an empty file as the target.
    await copyInto({ file, driver }, part);
    return (await checkCopy({ file: part, driver }, "the copy")).rows;
  });
};
