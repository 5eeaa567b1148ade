export { backUp, restore } from "./backup.ts";
export { createKnexStorage, type KnexStorage } from "./create-knex-storage.ts";
export { MigrationRefused } from "./declared/table-change.ts";
export { type BackupFacts, BackupRefused } from "./sqlite/backup.ts";
