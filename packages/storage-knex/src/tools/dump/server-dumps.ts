import { BackupRefused } from "../../engine/backup-refused.ts";
import type { ToolCommand } from "./tool-command.ts";

/** How a kind of server writes and reads backups, and gives a database another one's place. */
export interface ServerDumps {
  /** The longest name of a database, in characters. */
  readonly longestName: number;
  /**
   * Statements that begin a transaction whose moment `dump` can write, too, and the one that names it.
   * Absent if the server cannot share a moment.
   */
  readonly moment?: { readonly begin: readonly string[]; readonly name: string };
  /** Whether `load` puts in all or nothing. */
  readonly loadsWhole: boolean;
  /** Whether the database may have connections while `swap` runs. */
  readonly swapsOpen: boolean;
  /** To run when all rows are there. */
  readonly afterLoad?: string;
  /** The command that writes the database into a file; of the moment that has this name. */
  dump(file: string, moment?: string): ToolCommand;
  /** The command that puts a file into an empty database. */
  load(file: string, database: string): Promise<ToolCommand>;
  /** Reads the file as far as that shows whether it is whole. @throws BackupRefused `damaged` */
  requireDump(file: string): Promise<void>;
  /** @throws BackupRefused `not_allowed`, `left_over` */
  makeScratch(scratch: string): Promise<void>;
  dropScratch(scratch: string): Promise<void>;
  /**
   * Gives a scratch database the place of the database at once. The former one becomes `former`, if that is
   * given. @throws BackupRefused `in_use`, `left_over`, `not_allowed`
   */
  swap(scratch: string, former: string | undefined): Promise<void>;
}

/** The scratch database is there already. */
export const scratchExists = (scratch: string): BackupRefused =>
  new BackupRefused(
    "left_over",
    `there is a database ${scratch}: another backup or restore runs, or one was killed. If none runs, drop ${scratch}, then run this again`,
  );

export const formerExists = (former: string): BackupRefused =>
  new BackupRefused(
    "left_over",
    `there is a database ${former} already, of an earlier restore. Drop it or rename it, then run this again. Nothing was changed`,
  );

export const databaseInUse = (database: string): BackupRefused =>
  new BackupRefused(
    "in_use",
    `a process uses ${database}; stop Postern first, and close other connections to it, then run this again. Nothing was changed`,
  );
