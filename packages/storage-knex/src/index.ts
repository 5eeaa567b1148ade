export { backUp, restore } from "./backup.ts";
export { createKnexStorage, type KnexStorage, type KnexStorageOptions } from "./create-knex-storage.ts";
export { MigrationRefused, type RefusedChange, type TableChange } from "./declared/table-change.ts";
export type { DatabaseFacts } from "./inspect.ts";
export type { DeclaredTables, Migrate, MigrationPlan, MigrationStatus, PartTables } from "./migrate.ts";
export { type StoragePart, storageParts } from "./migrations/migration.ts";
export type { LowLimit } from "./mysql/low-limits.ts";
export {
  type BackupFacts,
  type BackupOptions,
  type BackupRefusal,
  BackupRefused,
  type CopyFacts,
} from "./sqlite/backup.ts";
export type { RestoreFacts } from "./sqlite/restore.ts";
