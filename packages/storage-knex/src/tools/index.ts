/** The tools for whole databases: backups, restores, and copies to another database. */

export { backUp, restore } from "./backup.ts";
export type { BackupFacts, BackupOptions } from "./backup-file.ts";
export { type CopyFacts, type CopyOptions, type CopyProgress, copyDatabase } from "./copy/copy-database.ts";
export { dumpTools } from "./dump/installed-tools.ts";
