export { BackupRefused } from "./engine/backup-refused.ts";
export { CopyRefused } from "./engine/copy-refused.ts";
export { MigrationRefused } from "./engine/table-change.ts";
export { mayPass } from "./engine/translate-error.ts";
export { createKnexStorage, type KnexStorage } from "./storage/create-knex-storage.ts";
export {
  type BackupFacts,
  type BackupOptions,
  backUp,
  type CopyFacts,
  type CopyOptions,
  type CopyProgress,
  copyDatabase,
  dumpTools,
  restore,
} from "./tools/index.ts";
