import { hostname } from "node:os";
import {
  type App,
  type AppOptions,
  allParts,
  builtInVersions,
  createApp,
  type NamedIssuer,
  type Part,
  type Retention,
  resourcesOfParts,
} from "@postern/app";
import { DeclarationError, type Nesting, type Ports, type Storage } from "@postern/core";
import { OptionError, tieredRateLimits } from "@postern/core/internal";
import { memoryRateLimitStore } from "@postern/core/memory";
import type { RateLimitStore, Telemetry } from "@postern/core/ports";
import type { InboxHandler } from "@postern/inbox";
import { createJobRunner, type JobRunner, type Schedule } from "@postern/jobs";
import { nodeCronPlan } from "@postern/jobs/node-cron";
import { addressesIn, nodePorts, pinoTelemetry, withOpenTelemetry } from "@postern/platform-node";
import { createKnexStorage, type KnexStorage, MigrationRefused } from "@postern/storage-knex";
import { alertingTo } from "./alerting.ts";
import { boundsOf } from "./bounds.ts";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { consoleOf } from "./console.ts";
import { waitingForDatabase } from "./database-wait.ts";
import { configuredHandlers } from "./handlers.ts";
import { accountPageOf, mailerOf } from "./mail.ts";
import { completed } from "./own-storage.ts";
import { type ConfiguredProvider, configuredProviders, openProviders } from "./providers.ts";
import { retentionOf } from "./retention.ts";
import { keyBytes, loadSecretKey } from "./secret-key.ts";
import { settingsOf as settingsInEffectOf } from "./settings-in-effect.ts";
import { storageWarnings } from "./storage-watch.ts";

/** All adapters, built and connected; nothing is started. */
export interface Composition {
  readonly app: App;
  readonly ports: Ports;
  readonly storage: Storage;
  readonly database: KnexStorage;
  readonly telemetry: Telemetry;
  readonly providers: readonly ConfiguredProvider[];
  /** The handlers of events: those in code and those of routes. */
  readonly handlers: readonly InboxHandler[];
  /** The schedules of the configuration file. */
  readonly schedules: readonly Schedule[];
  /** The parts that the server consists of. */
  readonly parts: readonly Part[];
  /** The issuer whose tokens are accepted beside the server's own. */
  readonly outsideIssuer: NamedIssuer | undefined;
  /** How many days things are kept. */
  readonly retention: Retention;
  /** The sizes at which the operator is warned about the disk and the log of the database. */
  readonly storageWarnings: typeof storageWarnings;
  /**
   * Brings the database to the schema that this version and the declared resources need. Returns
   * the names of the steps it took. A database that is not there yet is waited for
   * (`POSTERN_DATABASE_WAIT`).
   * @throws ConfigError when a declaration needs a change that rows do not allow.
   */
  migrate(): Promise<readonly string[]>;
  /** Reports the present state of the database as gauges, so that `metrics` has everything. */
  measure(): Promise<void>;
  /** All metrics of this process in the Prometheus text format. */
  metrics(): Promise<string>;
  /** A runner for this process. */
  runner(): JobRunner;
  /** Sends a first alert to POSTERN_ALERT_URL, and logs whether it arrived. Never rejects. */
  tryAlerts(): Promise<void>;
  /** Stores unsent alerts for later, and closes the database. */
  close(): Promise<void>;
}

/**
 * The composition root: the one place that knows every adapter. The server, the command line and
 * `openPostern` of the package `postern` use it. `replaced` has ports of your own, each in place of
 * the one that the configuration would give.
 * @throws ConfigError for a configuration that cannot work.
 */
export const compose = async (
  config: ServerConfig,
  file: PosternConfig,
  replaced: Partial<Ports> = {},
  nesting?: Nesting,
): Promise<Composition> => {
  try {
    return await build(config, file, replaced, nesting);
  } catch (thrown) {
    // If an adapter or a declaration refuses its options, the configuration is at fault.
    if (thrown instanceof DeclarationError) throw new ConfigError(thrown.faults);
    throw thrown instanceof TypeError ? new ConfigError([thrown.message]) : thrown;
  }
};

const build = async (
  config: ServerConfig,
  file: PosternConfig,
  replaced: Partial<Ports>,
  nesting: Nesting | undefined,
): Promise<Composition> => {
  // Beside a storage of the configuration there is no file, so no key lies beside it.
  const secretKey = loadSecretKey(config, file.storage === undefined ? config.database : "");
  const previousSecretKeys = config.previousSecretKeys.map(keyBytes);
  const providers = await configuredProviders(config.senders, file, [secretKey, ...previousSecretKeys]);
  const own = pinoTelemetry({ level: config.logLevel, format: config.logFormat, color: config.color });
  const telemetry = replaced.telemetry ?? (file.meter === undefined ? own : withOpenTelemetry(own, file.meter));
  const parts = file.parts ?? allParts;
  const outsideIssuer = outsideIssuerIn(config, file, parts);
  const database = storageOf(config, file, parts, telemetry);
  const given = portsBeforeAlerts(config, file, { secretKey, previousSecretKeys }, database, telemetry);
  const unalerted: Ports = { ...given, ...replaced };
  const alerting = alertingTo(config, unalerted);
  const ports: Ports = { ...unalerted, alerts: replaced.alerts ?? alerting.alerts };
  const retention = retentionOf(config);
  // Without an inbox only handlers that the file names count, so that they are refused.
  const handlers = parts.includes("inbox") ? configuredHandlers(ports, file) : (file.handlers ?? []);
  const app = createApp({
    ports,
    settings: settingsOf(config, file, { retention, outsideIssuer }, database),
    ...declarationsOf(file),
    ...versionsOf(config, file),
    ...(config.variables.length === 0 ? {} : { configuration: () => settingsInEffectOf(config, file, process.cwd()) }),
    parts,
    providers: openProviders(providers, ports),
    handlers,
    jobs: [...(file.jobs ?? []), ...alerting.jobs],
    ...(nesting === undefined ? {} : { nesting }),
  });
  requireVersion(app, config);
  return {
    app,
    // Rows that are written through these ports pass the hooks, too.
    ports: { ...ports, storage: app.storage },
    storage: database.storage,
    database,
    telemetry,
    providers,
    handlers,
    schedules: file.schedules ?? [],
    parts,
    outsideIssuer,
    retention,
    storageWarnings,
    migrate: migrateOf(database, config.databaseWaitMs, telemetry),
    measure: measureOf(database, app, telemetry),
    metrics: () => own.render(),
    runner: runnerOf(config, file, app, ports),
    tryAlerts: alerting.tryOut,
    close: async () => {
      app.endFeed();
      await alerting.close();
      await app.flush();
      await database.close();
    },
  };
};

/** @throws ConfigError if two places set it, or if there are no users. */
const outsideIssuerIn = (
  config: ServerConfig,
  file: PosternConfig,
  parts: readonly Part[],
): NamedIssuer | undefined => {
  const { outsideIssuer: given, nameOf } = config;
  const name = given === undefined ? "outsideIssuer" : nameOf("outsideIssuer");
  if (given !== undefined && file.outsideIssuer !== undefined) {
    throw new ConfigError([
      `${name} and outsideIssuer of the configuration file cannot both be set; leave one of them out.`,
    ]);
  }
  if (given === undefined && file.outsideIssuer === undefined) return undefined;
  if (parts.includes("users"))
    return given === undefined
      ? file.outsideIssuer
      : { ...given, nameOf: (member) => nameOf(`outsideIssuer.${member}`) };
  throw new ConfigError([`${name} needs the part users, because its tokens act for their accounts.`]);
};

/** Where the adapter's options come from. */
const settingOf: Readonly<Record<string, string>> = { url: "database", livenessUrl: "livenessUrl" };

const storageOf = (
  config: ServerConfig,
  file: PosternConfig,
  parts: readonly Part[],
  telemetry: Telemetry,
): KnexStorage => {
  if (file.storage !== undefined) return completed(file.storage);
  try {
    return createKnexStorage({
      url: config.database,
      ...(config.livenessUrl === undefined ? {} : { livenessUrl: config.livenessUrl }),
      telemetry,
      // Postern's own transactions use only their stores, which tests check. A handler that uses
      // another one gets a time-out of its commit.
      guardNesting: false,
      parts,
      resources: [...resourcesOfParts(parts, file.user), ...(file.resources ?? [])],
      ...(file.limits?.statementMs === undefined ? {} : { readLimitMs: file.limits.statementMs }),
    });
  } catch (thrown) {
    const setting = thrown instanceof OptionError ? settingOf[thrown.option] : undefined;
    if (!(thrown instanceof OptionError) || setting === undefined) throw thrown;
    throw new ConfigError([`${config.nameOf(setting)}: ${thrown.reason}`]);
  }
};

/**
 * A SQLite file belongs to one machine, so its process keeps all limits in memory. Nodes that share
 * a database server share the limits that must hold over all of them.
 */
const rateLimitsFor = ({ isShared, rateLimits }: KnexStorage): RateLimitStore => {
  const own = memoryRateLimitStore();
  return isShared ? tieredRateLimits({ shared: rateLimits, own }) : own;
};

/** All ports except the alerts, which need the other ports. */
const portsBeforeAlerts = (
  config: ServerConfig,
  file: PosternConfig,
  keys: Pick<Parameters<typeof nodePorts>[0], "secretKey" | "previousSecretKeys">,
  database: KnexStorage,
  telemetry: Telemetry,
): Ports => ({
  ...nodePorts({
    ...keys,
    telemetry,
    mailer: mailerOf(config, file.product?.title),
    ...(file.blockAddresses === undefined ? {} : { blockAddresses: file.blockAddresses }),
  }),
  storage: database.storage,
  rateLimits: rateLimitsFor(database),
  liveness: database.liveness,
  cronPlan: nodeCronPlan(),
  deprecatedUses: database.deprecatedUses,
  ...(database.wakeup === undefined ? {} : { wakeup: database.wakeup }),
});

/** The URL of the server itself, in one spelling. */
const issuerOf = (publicUrl: string, basePath: string): string => new URL(publicUrl).origin + basePath;

const settingsOf = (
  config: ServerConfig,
  file: PosternConfig,
  { retention, outsideIssuer }: Pick<Composition, "retention" | "outsideIssuer">,
  { isShared }: Pick<KnexStorage, "isShared">,
): NonNullable<AppOptions["settings"]> => ({
  signup: config.signup,
  ...(config.publicUrl === undefined ? {} : { issuer: issuerOf(config.publicUrl, config.basePath) }),
  accountPage: accountPageOf(config),
  ...(outsideIssuer === undefined ? {} : { outsideIssuer }),
  requireVerified: config.requireVerified === "on",
  adminMfa: config.adminMfa,
  ...(config.adminAddresses.length === 0 ? {} : { mayAdminister: addressesIn(config.adminAddresses) }),
  confirmAddresses: config.confirmAddresses === "on",
  rateLimits: config.rateLimits,
  webhookLimitBytes: config.webhookLimitBytes,
  enforceSunsets: config.enforceSunsets,
  // Nodes that share a database server must see at once what another node has ended. A SQLite
  // file has one server process, and at most an operator's tools beside it.
  sessionsReliedOnMs: isShared ? 0 : 1_000,
  retention,
  ...consoleOf(config),
  ...boundsOf(file),
});

/** The members of the configuration file that the application takes as they are. */
export const declarationsOf = ({
  resources,
  deprecations,
  preconditions,
  product,
  user,
  roles,
  authenticate,
  schedules,
  operations,
  hooks,
}: PosternConfig): Partial<AppOptions> => ({
  ...(resources === undefined ? {} : { resources }),
  ...(deprecations === undefined ? {} : { deprecations }),
  ...(product === undefined ? {} : { product }),
  ...(user === undefined ? {} : { user }),
  ...(preconditions === undefined ? {} : { preconditions }),
  ...(roles === undefined ? {} : { roles }),
  ...(authenticate === undefined ? {} : { authenticate }),
  ...(schedules === undefined ? {} : { schedules }),
  ...(operations === undefined ? {} : { operations }),
  ...(hooks === undefined ? {} : { hooks }),
});

/** The bare server has versions of its own. An application that opens Postern in its code has not. */
const versionsOf = ({ variables }: ServerConfig, { versions }: PosternConfig): Pick<AppOptions, "versions"> => {
  if (versions !== undefined) return { versions };
  return variables.length === 0 ? {} : { versions: builtInVersions };
};

/**
 * @throws ConfigError unless the application has the version that answers paths without a version.
 */
const requireVersion = ({ versions }: App, { defaultVersion, nameOf }: ServerConfig): void => {
  const ids = versions.map(({ id }) => id);
  if (ids.includes(defaultVersion)) return;
  throw new ConfigError([`${nameOf("defaultVersion")}: there is no ${defaultVersion}; there are ${ids.join(", ")}`]);
};

const migrateOf =
  ({ migrate }: KnexStorage, waitMs: number, telemetry: Telemetry) =>
  (): Promise<readonly string[]> =>
    waitingForDatabase(() => migrate.latest(), { waitMs, telemetry }).catch((thrown: unknown) => {
      throw thrown instanceof MigrationRefused ? new ConfigError([thrown.message]) : thrown;
    });

const measureOf = (database: KnexStorage, app: App, telemetry: Telemetry) => async (): Promise<void> => {
  const { walBytes, freeBytes, clockSkewMs } = await database.inspect();
  if (walBytes !== undefined) telemetry.gauge("database_wal_bytes", walBytes);
  if (freeBytes !== undefined) telemetry.gauge("database_free_bytes", freeBytes);
  if (clockSkewMs !== undefined) telemetry.gauge("database_clock_skew_ms", clockSkewMs);
  await app.measure();
};

const runnerOf = (config: ServerConfig, file: PosternConfig, app: App, ports: Ports) => (): JobRunner =>
  createJobRunner({
    worker: app.worker({
      name: `${hostname()}:${process.pid}`,
      // Where an application has no workers, nobody asks for a runner.
      concurrency: Number(config.workers),
      maxLosses: config.jobLosses,
      queues: file.queues ?? {},
    }),
    clock: ports.clock,
    wakeup: ports.wakeup,
    randomness: ports.randomness,
    telemetry: ports.telemetry,
  });
