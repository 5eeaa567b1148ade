export { createKnexStorage, type KnexStorage, type KnexStorageOptions } from "./create-knex-storage.ts";
export { MigrationRefused } from "./declared/migration-refused.ts";
export type { RefusedChange, TableChange } from "./declared/table-changes.ts";
export type { DatabaseFacts } from "./inspect.ts";
export type { Migrate, MigrationPlan, MigrationStatus, PartTables } from "./migrate.ts";
export { type StoragePart, storageParts } from "./migrations/migration.ts";
