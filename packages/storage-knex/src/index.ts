export { createKnexStorage, type KnexStorage, type KnexStorageOptions } from "./create-knex-storage.ts";
export type { Migrate, MigrationStatus } from "./migrate.ts";
