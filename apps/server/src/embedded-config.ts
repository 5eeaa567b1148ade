import type { Ports } from "@postern/core";
import { option } from "@postern/core/internal";
import { faultsTogether, readConfig, type ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { code, faultsIn, type Setting, type Written } from "./settings/setting.ts";
import { fileSettings, sharedSettings } from "./settings/settings.ts";

/**
 * Everything that a configuration file may say (senders, handlers, resources, limits, …), and what a
 * server reads from its environment. Only `database` is required, or `storage` in its place.
 */
export interface EmbeddedOptions extends PosternConfig, Written<typeof sharedSettings> {
  /** Adapters of your own, each in place of the usual one: a clock, a mailer, telemetry. */
  readonly ports?: Partial<Ports>;
}

const known = { ...sharedSettings, ...fileSettings, ports: code<Partial<Ports>>(option.anObject) };

/** A path alone is none: without this, its first fault would be the secret key that other databases need. */
const isUrl = (value: unknown): boolean => typeof value === "string" && /^[a-z][a-z0-9+.-]*:/i.test(value);

/**
 * The configuration that the options of `openPostern` describe: what a server reads from its
 * environment, and what it reads from a configuration file.
 * @throws ConfigError with all faults at once.
 */
export const readOptions = (
  options: EmbeddedOptions,
): { readonly config: ServerConfig; readonly file: PosternConfig } => {
  if (options.storage === undefined ? !isUrl(options.database) : options.database !== undefined) {
    throw new ConfigError([
      'give the URL of a database, such as database: "sqlite:./app.db", or a storage of your own.',
    ]);
  }
  const faults = faultsIn("openPostern", options, known, "");
  if (faults.length > 0) throw new ConfigError(faults);
  const given: Readonly<Record<string, unknown>> = { ...options };
  const shared = Object.entries<Setting>(sharedSettings).map(
    ([name, { embedded, default: standard }]) => [name, given[name] ?? embedded ?? standard] as const,
  );
  const file = Object.entries(given).filter(([name, value]) => name in fileSettings && value !== undefined);
  const config: ServerConfig = {
    ...readConfig({}, false),
    ...Object.fromEntries(shared),
    variables: [],
    nameOf: (path) => path,
  };
  const together = faultsTogether(config);
  if (together.length > 0) throw new ConfigError(together);
  return { config, file: Object.fromEntries(file) };
};
