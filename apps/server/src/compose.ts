import { hostname } from "node:os";
import { type App, allParts, createApp, type Part, resourcesOfParts } from "@postern/app";
import {
  defaultRetention,
  type Ports,
  type RateLimitStore,
  type Retention,
  type Storage,
  type Telemetry,
} from "@postern/core";
import { memoryRateLimitStore } from "@postern/core/memory";
import { tieredRateLimits } from "@postern/core/parts";
import { createJobRunner, type JobRunner, nodeCronPlan } from "@postern/job-runner";
import { nodePorts, pinoTelemetry, webhookAlerts, withOpenTelemetry } from "@postern/platform-node";
import { createKnexStorage, type KnexStorage, MigrationRefused } from "@postern/storage-knex";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { configuredHandlers } from "./handlers.ts";
import { type ConfiguredProvider, configuredProviders, openProviders } from "./providers.ts";
import { loadSecretKey } from "./secret-key.ts";

/** Everything built and connected, nothing started. */
export interface Composition {
  readonly app: App;
  readonly ports: Ports;
  readonly storage: Storage;
  readonly database: KnexStorage;
  readonly telemetry: Telemetry;
  readonly providers: readonly ConfiguredProvider[];
  /** What the server consists of. */
  readonly parts: readonly Part[];
  /** Days that things are kept. */
  readonly retention: Retention;
  /**
   * Brings the database to the schema that this version and the declared resources need; the names of the steps it took.
   * @throws ConfigError when a declaration asks for more than additions.
   */
  migrate(): Promise<readonly string[]>;
  /** Reports what stands in the database now; then `metrics` is all there is to know. */
  measure(): Promise<void>;
  /** All metrics of this process in the Prometheus text format. */
  metrics(): string;
  /** A runner for this process's share of the jobs. */
  runner(): JobRunner;
  /** Closes the database. */
  close(): Promise<void>;
}

/** A SQLite file is one machine's: its process keeps the limits in memory. Nodes that share a server share there what must hold over all of them. */
const rateLimitsFor = (databaseUrl: string, database: KnexStorage): RateLimitStore => {
  const own = memoryRateLimitStore();
  return databaseUrl.startsWith("sqlite:") ? own : tieredRateLimits({ shared: database.rateLimits, own });
};

/** The defaults, the file above them, and the environment above both. @throws ConfigError for what the file cannot mean. */
const retentionOf = ({ retention: environment }: ServerConfig, { retention: file = {} }: PosternConfig): Retention => {
  const faults = Object.entries(file).flatMap(([what, days]) => {
    if (!Object.hasOwn(defaultRetention, what)) {
      return [`retention: there is no ${what}; there are ${Object.keys(defaultRetention).join(", ")}.`];
    }
    const isFine = typeof days === "number" && Number.isFinite(days) && days >= 0;
    return isFine ? [] : [`retention: ${what} must be days, 0 or more.`];
  });
  if (faults.length > 0) throw new ConfigError(faults);
  const { events = defaultRetention.events, ...told } = { ...file, ...environment };
  return { ...defaultRetention, dead_jobs: events, bodies: Math.min(defaultRetention.bodies, events), ...told, events };
};

/**
 * The composition root: the one place that knows every adapter. The server, the command line and whoever embeds all of Postern use it.
 * @throws ConfigError for a configuration that cannot work.
 */
export const compose = (config: ServerConfig, file: PosternConfig): Composition => {
  try {
    return build(config, file);
  } catch (thrown) {
    // What an adapter or a declaration refuses when it is built is a fault of the configuration.
    throw thrown instanceof TypeError ? new ConfigError([thrown.message]) : thrown;
  }
};

const build = (config: ServerConfig, file: PosternConfig): Composition => {
  const secretKey = loadSecretKey(config.secretKey, config.databaseUrl);
  const previousSecretKeys = config.previousSecretKeys.map((key) => Buffer.from(key, "base64"));
  const providers = configuredProviders(config.providers, file, [secretKey, ...previousSecretKeys]);
  const own = pinoTelemetry({ level: config.logLevel, format: config.logFormat, color: config.color });
  const telemetry = file.meter === undefined ? own : withOpenTelemetry(own, file.meter);
  const parts = file.parts ?? allParts;
  const inbox = parts.includes("inbox");
  const database = createKnexStorage({
    url: config.databaseUrl,
    telemetry,
    // Our own transactions keep to their stores, which the tests see to; a handler that does not finds its commit timed out.
    guardNesting: false,
    parts,
    resources: [...resourcesOfParts(parts), ...(file.resources ?? [])],
  });
  const node = nodePorts({
    secretKey,
    previousSecretKeys,
    telemetry,
    ...(file.blockAddresses === undefined ? {} : { blockAddresses: file.blockAddresses }),
  });
  const ports: Ports = {
    ...node,
    storage: database.storage,
    rateLimits: rateLimitsFor(config.databaseUrl, database),
    liveness: database.liveness,
    cronPlan: nodeCronPlan(),
    deprecatedUses: database.deprecatedUses,
    ...(config.alertUrl === undefined
      ? {}
      : { alerts: webhookAlerts({ url: config.alertUrl, fetcher: node.fetcher, telemetry }) }),
  };
  const retention = retentionOf(config, file);
  const app = createApp({
    ports,
    settings: {
      signup: config.signup,
      rateLimits: config.rateLimits,
      enforceSunsets: config.enforceSunsets,
      // Nodes that share a server must see at once what another of them has ended; beside a file's process there are at most an operator's tools.
      sessionsReliedOnMs: config.databaseUrl.startsWith("sqlite:") ? 1_000 : 0,
      retention,
    },
    ...(file.resources === undefined ? {} : { resources: file.resources }),
    ...(file.deprecations === undefined ? {} : { deprecations: file.deprecations }),
    ...(file.versions === undefined ? {} : { versions: file.versions }),
    parts,
    ...(file.authenticate === undefined ? {} : { authenticate: file.authenticate }),
    providers: openProviders(providers, ports),
    // Without an inbox only handlers that the file names count, so that they are refused.
    handlers: inbox ? configuredHandlers(ports, file) : (file.handlers ?? []),
    ...(file.jobs === undefined ? {} : { jobs: file.jobs }),
    ...(file.schedules === undefined ? {} : { schedules: file.schedules }),
  });
  const versions = app.versions.map(({ id }) => id);
  if (!versions.includes(config.defaultVersion)) {
    throw new ConfigError([
      `POSTERN_DEFAULT_API_VERSION: there is no ${config.defaultVersion}; there are ${versions.join(", ")}`,
    ]);
  }
  return {
    app,
    ports,
    storage: database.storage,
    database,
    telemetry,
    providers,
    parts,
    retention,
    migrate: () =>
      database.migrate.latest().catch((thrown: unknown) => {
        throw thrown instanceof MigrationRefused ? new ConfigError([thrown.message]) : thrown;
      }),
    measure: async () => {
      const { walBytes, freeBytes, clockSkewMs } = await database.inspect();
      if (walBytes !== undefined) telemetry.gauge("database_wal_bytes", walBytes);
      if (freeBytes !== undefined) telemetry.gauge("database_free_bytes", freeBytes);
      if (clockSkewMs !== undefined) telemetry.gauge("database_clock_skew_ms", clockSkewMs);
      await app.measure();
    },
    metrics: () => own.render(),
    runner: () =>
      createJobRunner({
        worker: app.worker({
          name: `${hostname()}:${process.pid}`,
          concurrency: config.jobs,
          maxLosses: config.jobLosses,
          queues: file.queues ?? {},
        }),
        clock: ports.clock,
        wakeup: ports.wakeup,
        randomness: ports.randomness,
        telemetry,
      }),
    close: () => app.flush().then(() => database.close()),
  };
};
