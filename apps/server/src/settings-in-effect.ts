import { defaultSettings, type ShownSetting } from "@postern/app";
import { memberNames } from "./check-config-file.ts";
import { readConfig, type ServerConfig, type Variables } from "./config.ts";
import type { PosternConfig } from "./config-file.ts";
import { httpLimitNames, limitNames, rateNames } from "./limit-names.ts";
import { configFileIn, loadConfigFile } from "./load-config-file.ts";
import { retentionOf } from "./retention.ts";

/** Defaults of variables that depend on other settings. */
const derivedDefaults = (config: ServerConfig, file: string | undefined): Readonly<Record<string, unknown>> => {
  const { events, bodies, done_jobs: jobs, audit } = retentionOf(config);
  return {
    POSTERN_CONFIG: file,
    POSTERN_RETENTION_EVENTS: events,
    POSTERN_RETENTION_BODIES: bodies,
    POSTERN_RETENTION_JOBS: jobs,
    POSTERN_RETENTION_AUDIT: audit,
  };
};

/** Members of which everything is shown: they hold numbers, and texts that are no secrets. */
const shownWhole: ReadonlySet<string> = new Set(["queues", "quotas", "parts", "outsideIssuer", "blockAddresses"]);

/** Members that declare things by name. The rest of a declaration may contain keys. */
const shownByName: ReadonlySet<string> = new Set([
  "providers",
  "routes",
  "handlers",
  "jobs",
  "schedules",
  "resources",
  "roles",
  "versions",
  "deprecations",
]);

const nameOf = (declared: unknown): string => {
  const { name, id, provider = "*", type = "*" }: Readonly<Record<string, unknown>> = Object(declared);
  return String(name ?? id ?? `${provider} ${type}`);
};

const namesOf = (declared: unknown): readonly string[] =>
  Array.isArray(declared) ? declared.map(nameOf) : Object.keys(Object(declared));

/** What may be shown of a member. A function, a storage or a meter is just there. */
const shown = (member: string, value: unknown): unknown => {
  if (shownWhole.has(member)) return value;
  return shownByName.has(member) ? namesOf(value) : "set";
};

const fromFile = (name: string, value: unknown, standard: unknown): ShownSetting => ({
  name,
  value: value ?? standard ?? null,
  secret: false,
  origin: value === undefined ? "default" : "file",
  variable: null,
});

const standards: Readonly<Record<string, unknown>> = { ...defaultSettings };
const standardRates: Readonly<Record<string, unknown>> = { ...defaultSettings.limits };

/** The bounds by their own names, and the other members of the file. */
const settingsOfFile = (file: PosternConfig): readonly ShownSetting[] => {
  const { limits = {}, http = {} } = file;
  const members: Readonly<Record<string, unknown>> = { ...file };
  const others = memberNames.filter((name) => name !== "limits" && name !== "http");
  return [
    ...limitNames.map((name) => fromFile(`limits.${name}`, limits[name], standards[name])),
    ...rateNames.map((name) => fromFile(`limits.rates.${name}`, limits.rates?.[name], standardRates[name])),
    ...httpLimitNames.map((name) => fromFile(`http.${name}`, http[name], undefined)),
    ...others.map((name) => {
      const value = members[name];
      return fromFile(name, value === undefined ? undefined : shown(name, value), undefined);
    }),
  ];
};

/**
 * Every setting of a server with its value and where it comes from. No secret is in it. `directory` is
 * where a configuration file is looked for.
 */
export const settingsOf = (config: ServerConfig, file: PosternConfig, directory: string): readonly ShownSetting[] => {
  const derived = derivedDefaults(config, configFileIn(config.configPath, directory));
  // `postern serve` and `postern worker` may replace these.
  const used: Readonly<Record<string, unknown>> = { HOST: config.host, PORT: config.port, POSTERN_ROLE: config.role };
  const variables = config.variables.map(({ name, value, secret, variable }): ShownSetting => {
    const setting = { name, value: value ?? derived[name] ?? null, secret };
    const { [name]: replaced = value } = used;
    if (replaced !== value) return { ...setting, value: replaced, origin: "option", variable: null };
    return { ...setting, origin: variable === undefined ? "default" : "environment", variable: variable ?? null };
  });
  return [...variables, ...settingsOfFile(file)];
};

/**
 * The settings of the server that would run here. No database is opened.
 * @throws ConfigError as `readConfig` and `loadConfigFile` do.
 */
export const settingsInEffect = async (environment: Variables, directory: string): Promise<readonly ShownSetting[]> => {
  const config = readConfig(environment, false);
  return settingsOf(config, await loadConfigFile(config.configPath, directory), directory);
};
