import type { Written } from "./settings/setting.ts";
import { faultsIn } from "./settings/setting.ts";
import { fileSettings } from "./settings/settings.ts";

/** The default export of `postern.config.{js,mjs,ts}`. `docs/configuration.md` lists its members. */
export interface PosternConfig extends Written<typeof fileSettings> {}

/** Gives your configuration file its types. It returns its argument unchanged. */
export const defineConfig = (config: PosternConfig): PosternConfig => config;

/**
 * Everything in the configuration file's own settings that does not exist or has the wrong type.
 */
export const configFileFaults = (file: object): readonly string[] =>
  faultsIn("the configuration file", file, fileSettings, "");
