import { ConfigError } from "./config-error.ts";
import { readEnvironment, type VariableInEffect, type Variables, variablesOf } from "./settings/read-environment.ts";
import type { ProviderDeclaration } from "./settings/senders.ts";
import type { Table, Values } from "./settings/setting.ts";
import { fileSettings, serverSettings, sharedSettings } from "./settings/settings.ts";

type Read = Values<typeof serverSettings> &
  Values<typeof sharedSettings> &
  Values<Pick<typeof fileSettings, "outsideIssuer">>;

/**
 * The settings of a process, parsed and frozen: those of a server from its environment, those of an
 * application from the options of `openPostern`. No other code reads environment variables.
 */
export interface ServerConfig extends Read {
  readonly logFormat: "pretty" | "json";
  /** Whether mails may be shown on the terminal: there is one, and only this machine is served. */
  readonly showsMail: boolean;
  /** Colours in the pretty log: on a terminal, unless `NO_COLOR` is set (no-color.org). */
  readonly color: boolean;
  /** The senders in the environment, by name. */
  readonly senders: Readonly<Record<string, ProviderDeclaration>>;
  /** What the variables are set to, to be shown. Empty where none has been read. */
  readonly variables: readonly VariableInEffect[];
  /** What a setting is called where it is written: `POSTERN_SMTP_URL` or `mail.url` for `mail.url`. */
  readonly nameOf: (path: string) => string;
}

const { outsideIssuer: issuer } = fileSettings;
const ofServer: Table = { ...sharedSettings, ...serverSettings, outsideIssuer: issuer };

/** Every variable besides those of senders (`WEBHOOK_…`). */
export const variableNames: readonly string[] = variablesOf(ofServer).map(([, { env }]) => env);

/** The variable of a setting, or the first one of a group. */
const variableOf = (path: string): string =>
  variablesOf(ofServer).find(([one]) => one === path || one.startsWith(`${path}.`))?.[1].env ?? path;

/** Faults of settings that need another setting. */
export const faultsTogether = ({
  nameOf,
  database,
  mail,
  outsideIssuer,
  processes,
  ...config
}: ServerConfig): readonly string[] => [
  ...(mail !== undefined && config.publicUrl === undefined
    ? [`${nameOf("mail")} needs ${nameOf("publicUrl")}, the address that links in mails lead to.`]
    : []),
  ...(["requireVerified", "confirmAddresses"] as const)
    .filter((name) => mail === undefined && config[name] === "on")
    .map((name) => `${nameOf(name)}=on needs ${nameOf("mail")}: without mail, nobody can verify an address.`),
  ...(outsideIssuer !== undefined &&
  outsideIssuer.issuer === `${config.publicUrl?.replace(/\/$/, "")}${config.basePath}`
    ? [`${nameOf("outsideIssuer")} is this server itself (${nameOf("publicUrl")}), whose tokens are accepted anyway.`]
    : []),
  ...(processes > 1 && database.startsWith("sqlite:")
    ? [
        `${nameOf("processes")} above 1 needs PostgreSQL, MySQL or MariaDB: a SQLite file has one writer at a time, which further processes would wait for.`,
      ]
    : []),
];

/**
 * Reads the configuration of a server. Empty variables count as absent. `…_FILE` variables name files
 * with the value.
 * @throws ConfigError with all faults at once.
 */
export const readConfig = (environment: Variables, isTerminal: boolean): ServerConfig => {
  const { values, senders, variables, faults } = readEnvironment(environment, ofServer);
  const read = values as Read;
  const config: ServerConfig = {
    ...read,
    logFormat: read.logFormat ?? (isTerminal ? "pretty" : "json"),
    showsMail: isTerminal && /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(read.host),
    color: isTerminal && (environment.NO_COLOR ?? "") === "",
    senders,
    variables,
    nameOf: variableOf,
  };
  const all = [...faults, ...faultsTogether(config)];
  if (all.length > 0) throw new ConfigError(all);
  return Object.freeze(config);
};
