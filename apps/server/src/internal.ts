/** For the packages of Postern alone. It changes with any version. */

export { hasAdmin } from "@postern/app";
export { alertJobName } from "@postern/platform-node";
export {
  type BackupFacts,
  type BackupOptions,
  BackupRefused,
  backUp,
  type CopyFacts,
  type CopyProgress,
  CopyRefused,
  dumpTools,
  MigrationRefused,
  restore,
} from "@postern/storage-knex";
export { copyBetween } from "./copy.ts";
export { declaredApp } from "./declared-app.ts";
export { operator } from "./first-admin.ts";
export * from "./index.ts";
export { loadModule } from "./load-module.ts";
export { mailSentences } from "./mail.ts";
export { ownAddress } from "./own-address.ts";
export { canSign } from "./providers.ts";
export { keyFileOf, sqliteFile } from "./secret-key.ts";
export { settingsInEffect } from "./settings-in-effect.ts";
export { runServer } from "./with-http.ts";
