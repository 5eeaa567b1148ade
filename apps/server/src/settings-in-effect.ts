import type { ShownSetting } from "@postern/app";
import { readConfig, type ServerConfig } from "./config.ts";
import type { PosternConfig } from "./config-file.ts";
import { configFileIn, loadConfigFile } from "./load-config-file.ts";
import { retentionOf } from "./retention.ts";
import type { Variables } from "./settings/read-environment.ts";
import type { Table } from "./settings/setting.ts";
import { fileSettings } from "./settings/settings.ts";

/** Defaults that depend on other settings. */
const derivedDefaults = (config: ServerConfig, file: string | undefined): Readonly<Record<string, unknown>> => ({
  configPath: file,
  ...Object.fromEntries(Object.entries(retentionOf(config)).map(([what, days]) => [`retention.${what}`, days])),
});

/** What a configuration file says of a table. Members that hold settings are shown one by one. */
export const shownOf = (table: Table, given: unknown, within = ""): readonly ShownSetting[] =>
  Object.entries(table).flatMap(([member, { members, shown, secret = false, default: standard }]) => {
    const value: unknown = Object(given)[member];
    const name = within + member;
    if (shown === undefined && members !== undefined) return shownOf(members, value, `${name}.`);
    const origin = value === undefined ? "default" : "file";
    const open = value === undefined ? (standard ?? null) : shown?.(value);
    const hidden = value === undefined ? "not set" : "set";
    return [{ name, value: secret ? hidden : open, secret, origin, variable: null }];
  });

/**
 * Every setting of a server with its value and where it comes from. No secret is in it. `directory` is
 * where a configuration file is looked for.
 */
export const settingsOf = (config: ServerConfig, file: PosternConfig, directory: string): readonly ShownSetting[] => {
  const derived = derivedDefaults(config, configFileIn(config.configPath, directory));
  // `postern serve` and `postern worker` may replace these.
  const used: Readonly<Record<string, unknown>> = { host: config.host, port: config.port, role: config.role };
  const variables = config.variables.map(({ path, name, value, secret, variable }): ShownSetting => {
    const setting = { name, value: value ?? derived[path] ?? null, secret };
    const { [path]: replaced = value } = used;
    if (replaced !== value) return { ...setting, value: replaced, origin: "option", variable: null };
    return { ...setting, origin: variable === undefined ? "default" : "environment", variable: variable ?? null };
  });
  return [...variables, ...shownOf(fileSettings, file)];
};

/**
 * The settings of the server that would run here. No database is opened.
 * @throws ConfigError as `readConfig` and `loadConfigFile` do.
 */
export const settingsInEffect = async (environment: Variables, directory: string): Promise<readonly ShownSetting[]> => {
  const config = readConfig(environment, false);
  return settingsOf(config, await loadConfigFile(config.configPath, directory), directory);
};
