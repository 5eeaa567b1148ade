import { readFileSync } from "node:fs";
import type { OutsideIssuer } from "@postern/app";
import type { Retention } from "@postern/core";
import { emailAddress, type LogLevel } from "@postern/core/parts";
import { addressesIn } from "@postern/platform-node";
import type { VersionId } from "@postern/rest";
import { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { issuerFaults, oidcVariables, outsideIssuerOf } from "./oidc-environment.ts";
import { type ProviderEnvironment, readProviderEnvironment } from "./provider-environment.ts";

/**
 * The settings from the environment, parsed and frozen. No other code reads environment variables.
 */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  /** PostgreSQL behind a pooler: the URL of the server itself. */
  readonly livenessUrl: string | undefined;
  readonly secretKey: string | undefined;
  /** Previous keys whose secrets, tokens and cursors are still read. */
  readonly previousSecretKeys: readonly string[];
  readonly role: "all" | "http" | "worker";
  readonly configPath: string | undefined;
  readonly admin: { readonly email: string; readonly password: string } | undefined;
  readonly signup: "open" | "admin";
  /** The addresses and ranges from which `/admin` may be called. Empty: from all addresses. */
  readonly adminAddresses: readonly string[];
  /** Whether roles above `user` need a second factor. */
  readonly adminMfa: "optional" | "required";
  /** Whether sign-ups and changes of address wait for a mailed link. */
  readonly confirmAddresses: boolean;
  /** Whether a sign-in needs a verified address. */
  readonly requireVerified: boolean;
  /** The mail server and the sender; if absent, no mail leaves. */
  readonly mail: { readonly url: string; readonly from: string } | undefined;
  /** Whether mails may be shown on the terminal: there is one, and only this machine is served. */
  readonly showsMail: boolean;
  readonly defaultVersion: VersionId;
  readonly enforceSunsets: "on" | "off";
  readonly logLevel: LogLevel;
  readonly logFormat: "pretty" | "json";
  /** Colours in the pretty log: on a terminal, unless `NO_COLOR` is set (no-color.org). */
  readonly color: boolean;
  readonly bodyLimitBytes: number;
  readonly webhookBodyLimitBytes: number;
  readonly rateLimits: "on" | "off";
  /** Whether answers are compressed for callers that accept it. */
  readonly compression: "on" | "off";
  /** Whether the operator's console is served. */
  readonly console: "on" | "off";
  /** The delay of the event loop, in milliseconds, at which requests are refused. 0: never. */
  readonly maxEventLoopDelayMs: number;
  /** How many processes this server consists of. */
  readonly processes: number;
  /** How many jobs run at once in each process. */
  readonly jobs: number;
  /** A job is dead after this number of processes have died while running it. */
  readonly jobLosses: number;
  /**
   * Days, as far as the environment sets them. They take precedence over the configuration file.
   */
  readonly retention: Partial<Retention>;
  readonly tls: { readonly certPath: string; readonly keyPath: string } | undefined;
  /** How many of your own proxies stand in front. With 0, forwarded addresses are ignored. */
  readonly trustProxy: number;
  /** A path in front of every path of the server, such as `/postern`; empty for none. */
  readonly basePath: string;
  readonly corsOrigins: readonly string[];
  /** Further request headers that pages of these origins may send. */
  readonly corsHeaders: readonly string[];
  /** The address at which the outside world reaches this server, for senders that sign the URL. */
  readonly publicUrl: string | undefined;
  /** An issuer of OpenID Connect whose tokens are accepted, too. */
  readonly outsideIssuer: OutsideIssuer | undefined;
  /** Where to report a weakness, as URIs. */
  readonly securityContacts: readonly string[];
  readonly alertUrl: string | undefined;
  /** The port of the metrics; if absent, they are not served. */
  readonly metricsPort: number | undefined;
  /** The address of the metrics. */
  readonly metricsHost: string;
  /** The bearer token that readers of metrics must send; if absent, they need none. */
  readonly metricsToken: string | undefined;
  /**
   * For how many milliseconds a connection may pause between requests; if absent, HTTP's default.
   */
  readonly keepAliveMs: number | undefined;
  /** How long a start waits for a database that is not there yet, in milliseconds. */
  readonly databaseWaitMs: number;
  /** For how many milliseconds readiness answers 503 before the listener closes. */
  readonly drainDelayMs: number;
  readonly providers: readonly ProviderEnvironment[];
  /** What the variables are set to, to be shown. Empty where none has been read. */
  readonly variables: readonly VariableInEffect[];
}

/** The environment of a process. */
export type Variables = Readonly<Record<string, string | undefined>>;

const megabyte = 1024 * 1024;

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, { error: `a whole number from ${least} to ${most}` })
    .transform(Number)
    .refine((value) => value >= least && value <= most, { error: `a whole number from ${least} to ${most}` });

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `one of ${values.join(", ")}` });

const isSecretKey = (text: string): boolean => /^[A-Za-z0-9+/]{43}=$/.test(text);
const secretKey = z.string().refine(isSecretKey, {
  error: "32 bytes in base64; `openssl rand -base64 32` makes some",
});
/** Each costs one more check for every forged token. */
const mostPreviousKeys = 3;
const previousSecretKeys = z
  .string()
  .transform((text) => text.split(",").map((key) => key.trim()))
  .refine((keys) => keys.length <= mostPreviousKeys && keys.every(isSecretKey), {
    error: `up to ${mostPreviousKeys} keys of 32 bytes in base64, separated by commas`,
  });

const areRanges = (ranges: readonly string[]): boolean => {
  try {
    addressesIn(ranges);
    return true;
  } catch {
    return false;
  }
};

const variables = z.object({
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: wholeNumber(0, 65_535).default(3000),
  DATABASE_URL: z
    .string()
    .regex(/^(sqlite:|postgres(ql)?:\/\/|mysql:\/\/|mariadb:\/\/)./, {
      error: "sqlite:<file>, postgres://…, mysql://… or mariadb://…",
    })
    .default("sqlite:./data/postern.db"),
  POSTERN_LIVENESS_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/./, { error: "postgres://…" })
    .optional(),
  LOG_LEVEL: oneOf(["debug", "info", "warn", "error"]).default("info"),
  POSTERN_SECRET_KEY: secretKey.optional(),
  POSTERN_SECRET_KEY_PREVIOUS: previousSecretKeys.default([]),
  POSTERN_ROLE: oneOf(["all", "http", "worker"]).default("all"),
  POSTERN_CONFIG: z.string().min(1).optional(),
  POSTERN_ADMIN_EMAIL: emailAddress.optional(),
  POSTERN_ADMIN_PASSWORD: z.string().min(8, { error: "at least 8 characters" }).optional(),
  POSTERN_SIGNUP: oneOf(["open", "admin"]).default("open"),
  POSTERN_ADMIN_ADDRESSES: z
    .string()
    .transform((text) => text.split(",").map((range) => range.trim()))
    .refine(areRanges, { error: "addresses and ranges such as 192.0.2.0/24, separated by commas" })
    .default([]),
  POSTERN_ADMIN_MFA: oneOf(["optional", "required"]).default("optional"),
  POSTERN_SIGNUP_CONFIRM: oneOf(["on", "off"]).default("off"),
  POSTERN_REQUIRE_VERIFIED: oneOf(["on", "off"]).default("off"),
  POSTERN_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\/[^\s/]/, { error: "smtp://host:port or smtps://host:port" })
    .optional(),
  POSTERN_MAIL_FROM: z
    .string()
    .regex(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, {
      error: "an address, or a name and an address: Postern <no-reply@example.com>",
    })
    .optional(),
  POSTERN_DEFAULT_API_VERSION: z
    .custom<VersionId>((id) => /^v[1-9]\d*$/.test(String(id)), { error: "a version like v1" })
    .default("v1"),
  POSTERN_ENFORCE_SUNSETS: oneOf(["on", "off"]).default("off"),
  POSTERN_LOG_FORMAT: oneOf(["pretty", "json"]).optional(),
  POSTERN_BODY_LIMIT: wholeNumber(1, 64 * megabyte).default(megabyte),
  POSTERN_WEBHOOK_BODY_LIMIT: wholeNumber(1, 64 * megabyte).default(5 * megabyte),
  POSTERN_RATE_LIMIT: oneOf(["on", "off"]).default("on"),
  POSTERN_COMPRESSION: oneOf(["on", "off"]).default("on"),
  POSTERN_CONSOLE: oneOf(["on", "off"]).default("on"),
  POSTERN_MAX_EVENT_LOOP_DELAY: wholeNumber(0, 60_000).default(1000),
  POSTERN_PROCESSES: wholeNumber(1, 64).default(1),
  POSTERN_JOBS: wholeNumber(1, 1000).default(10),
  POSTERN_JOB_LOSSES: wholeNumber(1, 100).default(3),
  POSTERN_RETENTION_EVENTS: wholeNumber(1, 3650).optional(),
  POSTERN_RETENTION_BODIES: wholeNumber(0, 3650).optional(),
  POSTERN_RETENTION_JOBS: wholeNumber(0, 3650).optional(),
  POSTERN_RETENTION_AUDIT: wholeNumber(1, 36_500).optional(),
  POSTERN_TLS_CERT: z.string().min(1).optional(),
  POSTERN_TLS_KEY: z.string().min(1).optional(),
  POSTERN_TRUST_PROXY: wholeNumber(0, 10).default(0),
  POSTERN_BASE_PATH: z
    .string()
    .regex(/^(?:\/[A-Za-z0-9._~-]+)+$/, { error: "a path such as /postern" })
    .default(""),
  POSTERN_CORS_ORIGINS: z
    .string()
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .refine((origins) => origins.every((origin) => /^https?:\/\/(?:\*\.(?=[^.]+\.))?[^/\s*]+$/.test(origin)), {
      error: "origins such as https://app.example.com or https://*.example.com, separated by commas",
    })
    .default([]),
  POSTERN_CORS_HEADERS: z
    .string()
    .transform((text) => text.split(",").map((name) => name.trim()))
    .refine((names) => names.every((name) => /^[!#$%&'+.^_`|~\w-]+$/.test(name)), {
      error: "names of headers such as X-My-App, separated by commas",
    })
    .default([]),
  POSTERN_PUBLIC_URL: z
    .string()
    .regex(/^https?:\/\/[^/\s]+\/?$/, { error: "an origin such as https://api.example.com" })
    .optional(),
  ...oidcVariables,
  POSTERN_SECURITY_CONTACT: z
    .string()
    .transform((text) => text.split(",").map((contact) => contact.trim()))
    .refine((contacts) => contacts.every((contact) => /^(?:mailto:|https:\/\/|tel:)[\x21-\x7e]+$/.test(contact)), {
      error: "URIs such as mailto:security@example.com, separated by commas",
    })
    .default([]),
  POSTERN_METRICS_PORT: wholeNumber(1, 65_535).optional(),
  POSTERN_METRICS_HOST: z.string().min(1).default("127.0.0.1"),
  POSTERN_METRICS_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9._~+/-]{16,256}=*$/, { error: "at least 16 letters and digits" })
    .optional(),
  POSTERN_KEEP_ALIVE: wholeNumber(1_000, 3_600_000).optional(),
  POSTERN_DATABASE_WAIT: wholeNumber(0, 3_600_000).default(30_000),
  POSTERN_DRAIN_DELAY: wholeNumber(0, 300_000).default(0),
  POSTERN_ALERT_URL: z.url({ protocol: /^https?$/, error: "an http or https URL" }).optional(),
});

/** Every variable besides those of senders (`WEBHOOK_…`). */
export const variableNames: readonly string[] = Object.keys(variables.shape);
/** Variables of the command line, which a server ignores. */
const ofCommandLine = ["POSTERN_SERVER", "POSTERN_TOKEN"];
const known = new Set([...variableNames, ...ofCommandLine]);
const secrets = [
  "POSTERN_SECRET_KEY",
  "POSTERN_SECRET_KEY_PREVIOUS",
  "POSTERN_ADMIN_PASSWORD",
  "POSTERN_SMTP_URL",
  "DATABASE_URL",
  "POSTERN_LIVENESS_URL",
  "POSTERN_METRICS_TOKEN",
];

/** Variables that nobody may see: those of `secrets`, keys of senders, and a URL that may contain a token. */
const isSecret = (name: string, value: unknown): boolean =>
  // The name of a file is no secret, and it says which database this is.
  !(name === "DATABASE_URL" && String(value).startsWith("sqlite:")) &&
  ([...secrets, "POSTERN_ALERT_URL"].includes(name) || /^WEBHOOK_.*_(?:SECRET|PUBLIC_KEY)$/.test(name));

/** A variable of a valid environment, as the server reads it. */
interface VariableInEffect {
  readonly name: string;
  /** The value, or the default of the variable itself. Of a secret only `set` or `not set`. */
  readonly value: unknown;
  /** Whether the value must not be shown. */
  readonly secret: boolean;
  /** The variable that is set, which may be `NAME_FILE`; `undefined` if none is. */
  readonly variable: string | undefined;
}

/** Every variable, and those of senders that are set. */
const inEffect = (
  environment: Variables,
  given: Variables,
  parsed: Readonly<Record<string, unknown>>,
): ServerConfig["variables"] => {
  const ofSenders = Object.keys(given).filter((name) => name.startsWith("WEBHOOK_"));
  return [...variableNames, ...ofSenders].map((name) => {
    const value = parsed[name] ?? given[name];
    const variable = given[name] === undefined ? undefined : environment[name] ? name : `${name}_FILE`;
    const secret = isSecret(name, value);
    return { name, value: secret ? (variable === undefined ? "not set" : "set") : value, secret, variable };
  });
};

/**
 * Reads the configuration. Empty variables count as absent. `…_FILE` variables name files with the
 * value.
 * @throws ConfigError with all faults at once.
 */
export const readConfig = (environment: Variables, isTerminal: boolean): ServerConfig => {
  const faults: string[] = [];
  const given = withFiles(environment, faults);
  for (const name of Object.keys(given)) {
    if (name.startsWith("POSTERN_") && !known.has(name)) faults.push(unknownVariable(name));
  }
  const parsed = variables.safeParse(given);
  for (const { path, message } of parsed.error?.issues ?? []) faults.push(`${String(path[0])} must be ${message}.`);
  const providers = readProviderEnvironment(given, faults);
  const pairs = [
    ["POSTERN_TLS_CERT", "POSTERN_TLS_KEY"],
    ["POSTERN_ADMIN_EMAIL", "POSTERN_ADMIN_PASSWORD"],
    ["POSTERN_SMTP_URL", "POSTERN_MAIL_FROM"],
    ["POSTERN_OIDC_ISSUER", "POSTERN_OIDC_AUDIENCE"],
  ] as const;
  for (const [first, second] of pairs) {
    if ((given[first] === undefined) !== (given[second] === undefined))
      faults.push(`${first} and ${second} go together.`);
  }
  faults.push(...mailFaults(given), ...issuerFaults(given));
  if (parsed.success) faults.push(...processFaults(parsed.data));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const values = parsed.data;
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    databaseUrl: values.DATABASE_URL,
    livenessUrl: values.POSTERN_LIVENESS_URL,
    secretKey: values.POSTERN_SECRET_KEY,
    previousSecretKeys: values.POSTERN_SECRET_KEY_PREVIOUS,
    role: values.POSTERN_ROLE,
    configPath: values.POSTERN_CONFIG,
    admin:
      values.POSTERN_ADMIN_EMAIL === undefined || values.POSTERN_ADMIN_PASSWORD === undefined
        ? undefined
        : { email: values.POSTERN_ADMIN_EMAIL, password: values.POSTERN_ADMIN_PASSWORD },
    signup: values.POSTERN_SIGNUP,
    adminAddresses: values.POSTERN_ADMIN_ADDRESSES,
    adminMfa: values.POSTERN_ADMIN_MFA,
    confirmAddresses: values.POSTERN_SIGNUP_CONFIRM === "on",
    requireVerified: values.POSTERN_REQUIRE_VERIFIED === "on",
    mail:
      values.POSTERN_SMTP_URL === undefined || values.POSTERN_MAIL_FROM === undefined
        ? undefined
        : { url: values.POSTERN_SMTP_URL, from: values.POSTERN_MAIL_FROM },
    showsMail: isTerminal && /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/.test(values.HOST),
    defaultVersion: values.POSTERN_DEFAULT_API_VERSION,
    enforceSunsets: values.POSTERN_ENFORCE_SUNSETS,
    logLevel: values.LOG_LEVEL,
    logFormat: values.POSTERN_LOG_FORMAT ?? (isTerminal ? "pretty" : "json"),
    color: isTerminal && given.NO_COLOR === undefined,
    bodyLimitBytes: values.POSTERN_BODY_LIMIT,
    webhookBodyLimitBytes: values.POSTERN_WEBHOOK_BODY_LIMIT,
    rateLimits: values.POSTERN_RATE_LIMIT,
    compression: values.POSTERN_COMPRESSION,
    console: values.POSTERN_CONSOLE,
    maxEventLoopDelayMs: values.POSTERN_MAX_EVENT_LOOP_DELAY,
    processes: values.POSTERN_PROCESSES,
    jobs: values.POSTERN_JOBS,
    jobLosses: values.POSTERN_JOB_LOSSES,
    retention: {
      ...days("events", values.POSTERN_RETENTION_EVENTS),
      ...days("bodies", values.POSTERN_RETENTION_BODIES),
      ...days("done_jobs", values.POSTERN_RETENTION_JOBS),
      ...days("audit", values.POSTERN_RETENTION_AUDIT),
    },
    tls:
      values.POSTERN_TLS_CERT === undefined || values.POSTERN_TLS_KEY === undefined
        ? undefined
        : { certPath: values.POSTERN_TLS_CERT, keyPath: values.POSTERN_TLS_KEY },
    trustProxy: values.POSTERN_TRUST_PROXY,
    basePath: values.POSTERN_BASE_PATH,
    corsOrigins: values.POSTERN_CORS_ORIGINS,
    corsHeaders: values.POSTERN_CORS_HEADERS,
    publicUrl: values.POSTERN_PUBLIC_URL,
    outsideIssuer: outsideIssuerOf(values),
    securityContacts: values.POSTERN_SECURITY_CONTACT,
    alertUrl: values.POSTERN_ALERT_URL,
    metricsPort: values.POSTERN_METRICS_PORT,
    metricsHost: values.POSTERN_METRICS_HOST,
    metricsToken: values.POSTERN_METRICS_TOKEN,
    keepAliveMs: values.POSTERN_KEEP_ALIVE,
    databaseWaitMs: values.POSTERN_DATABASE_WAIT,
    drainDelayMs: values.POSTERN_DRAIN_DELAY,
    providers,
    variables: inEffect(environment, given, values),
  });
};

/** Faults of settings that need another setting. */
const mailFaults = (given: Variables): readonly string[] => [
  ...(given.POSTERN_SMTP_URL !== undefined && given.POSTERN_PUBLIC_URL === undefined
    ? ["POSTERN_SMTP_URL needs POSTERN_PUBLIC_URL, the address that links in mails lead to."]
    : []),
  ...["POSTERN_REQUIRE_VERIFIED", "POSTERN_SIGNUP_CONFIRM"]
    .filter((name) => given.POSTERN_SMTP_URL === undefined && given[name] === "on")
    .map((name) => `${name}=on needs POSTERN_SMTP_URL: without mail, nobody can verify an address.`),
];

const processFaults = (values: z.output<typeof variables>): readonly string[] =>
  values.POSTERN_PROCESSES > 1 && values.DATABASE_URL.startsWith("sqlite:")
    ? [
        "POSTERN_PROCESSES above 1 needs PostgreSQL, MySQL or MariaDB: a SQLite file has one writer at a time, which further processes would wait for.",
      ]
    : [];

const days = (what: keyof Retention, value: number | undefined): Partial<Retention> =>
  value === undefined ? {} : { [what]: value };

/** The variables that are set. If `NAME_FILE` names a file, its content is the value of `NAME`. */
const withFiles = (environment: Variables, faults: string[]): Variables => {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) if (value !== undefined && value !== "") given[name] = value;
  for (const [name, path] of Object.entries(given)) {
    const target = name.replace(/_FILE$/, "");
    if (target === name || !(secrets.includes(target) || target.startsWith("WEBHOOK_"))) continue;
    delete given[name];
    if (given[target] !== undefined) {
      faults.push(`${target} and ${name} cannot both be set.`);
      continue;
    }
    try {
      given[target] = readFileSync(path, "utf8").trim();
    } catch {
      faults.push(`${name}: the file ${path} cannot be read.`);
    }
  }
  return given;
};

const unknownVariable = (name: string): string => {
  const near = [...known].find((candidate) => candidate.startsWith(name.slice(0, -2)) || name.startsWith(candidate));
  return `${name} is not a setting of this server${near === undefined ? "" : `; did you mean ${near}`}.`;
};
