import { hostname } from "node:os";
import { type App, builtInResources, createApp, type Ports, type Storage, type Telemetry } from "@postern/core";
import { inProcessWakeup } from "@postern/core/memory";
import { createJobRunner, type JobRunner } from "@postern/job-runner";
import {
  aesSecretBox,
  argonPasswordHasher,
  joseSigner,
  logAlerts,
  nodeFetcher,
  nodeIds,
  nodeRandomness,
  pinoTelemetry,
  systemClock,
  webhookAlerts,
} from "@postern/platform-node";
import { createKnexStorage, type KnexStorage } from "@postern/storage-knex";
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
  /** A runner for this process's share of the jobs. */
  runner(): JobRunner;
  /** Closes the database. */
  close(): Promise<void>;
}

const concurrency = 10;

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
  const providers = configuredProviders(config.providers, file, secretKey);
  const clock = systemClock();
  const randomness = nodeRandomness();
  const telemetry = pinoTelemetry({ level: config.logLevel, format: config.logFormat, color: config.color });
  const fetcher = nodeFetcher({ allowPrivateTargets: true });
  const database = createKnexStorage({
    url: config.databaseUrl,
    resources: [...builtInResources, ...(file.resources ?? [])],
  });
  const ports: Ports = {
    storage: database.storage,
    signer: joseSigner({ secretKey }),
    passwordHasher: argonPasswordHasher(),
    clock,
    ids: nodeIds(),
    randomness,
    rateLimits: database.rateLimits,
    secretBox: aesSecretBox({ secretKey }),
    fetcher,
    alerts:
      config.alertUrl === undefined
        ? logAlerts(telemetry)
        : webhookAlerts({ url: config.alertUrl, fetcher, telemetry }),
    telemetry,
    liveness: database.liveness,
    wakeup: inProcessWakeup(),
  };
  const app = createApp({
    ports,
    settings: { signup: config.signup, rateLimits: config.rateLimits },
    ...(file.resources === undefined ? {} : { resources: file.resources }),
    providers: openProviders(providers, clock),
    handlers: configuredHandlers({ fetcher, clock }, file),
  });
  return {
    app,
    ports,
    storage: database.storage,
    database,
    telemetry,
    providers,
    runner: () =>
      createJobRunner({
        worker: app.worker({ name: `${hostname()}:${process.pid}`, concurrency }),
        clock,
        wakeup: ports.wakeup,
        telemetry,
      }),
    close: () => database.close(),
  };
};
