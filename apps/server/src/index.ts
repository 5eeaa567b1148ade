export { type Composition, compose } from "./compose.ts";
export { readConfig, type ServerConfig } from "./config.ts";
export { ConfigError } from "./config-error.ts";
export { defineConfig, type PosternConfig, type ProviderDeclaration, type RouteDeclaration } from "./config-file.ts";
export { hasAdmin, operator } from "./first-admin.ts";
export { loadConfigFile } from "./load-config-file.ts";
export { type ConfiguredProvider, canSign } from "./providers.ts";
export { runServer } from "./run-server.ts";
export { type RunningServer, startServer } from "./start-server.ts";
