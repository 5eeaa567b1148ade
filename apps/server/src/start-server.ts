import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { InboxHandler } from "@postern/core";
import { createGatewayServer, type HttpServer } from "@postern/http/node";
import type { JobRunner } from "@postern/job-runner";
import { eventLoopDelay } from "@postern/platform-node";
import { checkSecrets } from "./check-secrets.ts";
import { type Composition, compose } from "./compose.ts";
import { composeHttp } from "./compose-http.ts";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { ensureFirstAdmin } from "./first-admin.ts";
import { longTurns } from "./long-turns.ts";
import { mailSentences } from "./mail.ts";
import { type MetricsServer, startMetricsServer } from "./metrics-server.ts";
import { createStorageWatch } from "./storage-watch.ts";

export interface RunningServer {
  readonly composition: Composition;
  /** Where the server listens, e.g. `http://127.0.0.1:3000`; `undefined` for a worker. */
  readonly url: string | undefined;
  /** The path in front of every path, such as `/postern`; usually empty. */
  readonly basePath: string;
  /** The handlers that get no events, because no sender has the name that they listen to. */
  readonly handlersWithoutSender: readonly Pick<InboxHandler, "name" | "provider">[];
  readonly admin: "exists" | "made" | "none";
  /**
   * All metrics of this process in the Prometheus text format. Values that are not measured within
   * 2 s are missing or old: other metrics show that the database does not answer.
   */
  metrics(): Promise<string>;
  /** Reads the certificate files again. */
  reloadTls(): void;
  /**
   * Stops the server: it is no longer ready, takes no new connections, answers the requests under
   * way, waits for running jobs, gives back the others, and closes the database. A second call
   * waits for the same end.
   */
  stop(): Promise<void>;
}

const measureEveryMs = 15_000;
/** How long a reader of metrics waits for values from the database. */
const measureWithinMs = 2_000;
/**
 * Gauges that cannot be read keep their values. Other gauges show that the database does not
 * answer.
 */
const ignore = (): void => undefined;

/**
 * Starts a server: brings the tables up to date, then listens and runs jobs, as `POSTERN_ROLE` says.
 * @throws ConfigError, or what the database or the listener throws; nothing is left running then.
 */
export const startServer = async (config: ServerConfig, file: PosternConfig): Promise<RunningServer> => {
  const composition = await compose(config, file);
  const { app, storage, telemetry } = composition;
  const turns = longTurns(telemetry);
  const delay = eventLoopDelay({ onLongLoopTurn: turns.note });
  const measure = async (): Promise<void> => {
    telemetry.gauge("event_loop_delay_ms", delay.current());
    telemetry.gauge("event_loop_longest_turn_ms", Math.round(delay.longest()));
    await composition.measure();
  };
  const readMetrics = async (): Promise<string> => {
    const late = new AbortController();
    await Promise.race([
      measure().catch(ignore),
      sleep(measureWithinMs, undefined, { signal: late.signal }).catch(ignore),
    ]);
    late.abort();
    return composition.metrics();
  };
  const { stopRequestsMs = 8_000, stopJobsMs = 8_000 } = file.limits ?? {};
  let http: HttpServer | undefined;
  let runner: JobRunner | undefined;
  let metrics: MetricsServer | undefined;
  let measuring: NodeJS.Timeout | undefined;
  const { alerts } = composition.ports;
  const watchStorage = createStorageWatch({
    inspect: () => composition.database.inspect(),
    housekeeping: storage.housekeeping,
    alerts,
    telemetry,
    warnings: composition.storageWarnings,
  });
  let watching: NodeJS.Timeout | undefined;
  const stopAll = async (): Promise<void> => {
    await http?.close({ graceMs: stopRequestsMs, delayMs: config.drainDelayMs });
    await runner?.stop(stopJobsMs);
    clearInterval(measuring);
    clearInterval(watching);
    await composition.close();
    // The metrics stop last, so that the shutdown can be watched.
    await metrics?.close();
    delay.close();
    turns.close();
  };
  try {
    await composition.migrate();
    await checkSecrets(composition.ports, composition.parts);
    await watchStorage().catch(ignore);
    watching = setInterval(() => void watchStorage().catch(ignore), measureEveryMs).unref();
    if (config.metricsPort !== undefined) {
      const place = { port: config.metricsPort, host: config.metricsHost };
      metrics = await startMetricsServer(place, readMetrics, config.metricsToken);
    }
    // Measures regularly, so that an exporter with its own rhythm finds recent gauges.
    if (file.meter !== undefined) measuring = setInterval(() => void measure().catch(ignore), measureEveryMs);
    const admin = composition.parts.includes("users") ? await ensureFirstAdmin(app, storage, config.admin) : "exists";
    if (config.role !== "http") {
      runner = composition.runner();
      await runner.start();
    }
    // Nothing waits for this: a receiver that does not answer must not keep the server from
    // starting.
    void composition.tryAlerts();
    let url: string | undefined;
    if (config.role !== "worker") {
      const { gateway, listener } = composeHttp(app, config, {
        ...file.http,
        telemetry: turns.telemetry,
        eventLoopDelayMs: delay.current,
      });
      http = createGatewayServer(gateway, {
        ...file.http,
        listener,
        ...(config.tls === undefined ? {} : { tls: readTls(config.tls) }),
      });
      const address = await http.listen({ port: config.port, host: config.host });
      url = address.url;
    }
    if (composition.parts.includes("users")) telemetry.log("info", mailSentences[composition.ports.mailer.target]);
    let stopped: Promise<void> | undefined;
    return {
      composition,
      url,
      basePath: config.basePath,
      handlersWithoutSender: await findHandlersWithoutSender(composition),
      admin,
      metrics: readMetrics,
      reloadTls: () => {
        if (config.tls !== undefined) http?.reloadTls(readTls(config.tls));
      },
      stop: () => {
        stopped ??= stopAll();
        return stopped;
      },
    };
  } catch (thrown) {
    await stopAll();
    throw thrown;
  }
};

const findHandlersWithoutSender = async ({ handlers, parts, providers, storage }: Composition) => {
  const added = parts.includes("inbox") ? await storage.providers.list() : [];
  const senders = new Set(["*", ...[...providers, ...added].map(({ name }) => name)]);
  return handlers.filter(({ provider }) => !senders.has(provider));
};

/** @throws ConfigError when a file cannot be read. */
const readTls = ({ certPath, keyPath }: { readonly certPath: string; readonly keyPath: string }) => {
  const read = (name: string, path: string): string => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      throw new ConfigError([`${name}: the file ${path} cannot be read.`]);
    }
  };
  return { cert: read("POSTERN_TLS_CERT", certPath), key: read("POSTERN_TLS_KEY", keyPath) };
};
