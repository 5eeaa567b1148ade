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
export { type Composition, compose } from "./compose.ts";
export { readConfig, type ServerConfig } from "./config.ts";
export { ConfigError } from "./config-error.ts";
export { defineConfig, type PosternConfig } from "./config-file.ts";
export { copyBetween } from "./copy.ts";
export type { EmbeddedOptions } from "./embedded-config.ts";
export { operator } from "./first-admin.ts";
export * from "./for-configuration.ts";
export { loadConfigFile } from "./load-config-file.ts";
export { mailSentences } from "./mail.ts";
export { canSign } from "./providers.ts";
export { keyFileOf } from "./secret-key.ts";
export type { RouteDeclaration } from "./settings/routes.ts";
export type { ProviderDeclaration } from "./settings/senders.ts";
export { settingsInEffect } from "./settings-in-effect.ts";
export type { RunningServer } from "./start-server.ts";
export { composeEmbedded, runServer, startServer } from "./with-http.ts";
