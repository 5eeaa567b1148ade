export { backUp, restore } from "./backup.ts";
export type { BackupFacts, BackupOptions } from "./backup-file.ts";
export { BackupRefused } from "./backup-refused.ts";
export { type CopyFacts, type CopyOptions, type CopyProgress, copyDatabase } from "./copy/copy-database.ts";
export { CopyRefused } from "./copy/copy-refused.ts";
export { createKnexStorage, type KnexStorage } from "./create-knex-storage.ts";
export { MigrationRefused } from "./declared/table-change.ts";
export { dumpTools } from "./dump/installed-tools.ts";
export { mayPass } from "./translate-error.ts";
