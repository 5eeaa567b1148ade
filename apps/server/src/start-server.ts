import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError } from "@postern/core";
import { createGatewayServer, type HttpServer } from "@postern/http/node";
import type { InboxHandler } from "@postern/inbox";
import type { JobRunner } from "@postern/jobs";
import { eventLoopDelay } from "@postern/platform-node";
import { checkSecrets } from "./check-secrets.ts";
import { type Composition, compose } from "./compose.ts";
import { composeHttp } from "./compose-http.ts";
import type { ServerConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import type { PosternConfig } from "./config-file.ts";
import { ensureFirstAdmin } from "./first-admin.ts";
import { longLoopTurns } from "./long-loop-turns.ts";
import { mailSentences } from "./mail.ts";
import { type MetricsServer, startMetricsServer } from "./metrics-server.ts";
import { createReplacementWatch } from "./replacement-watch.ts";
import { createStorageWatch } from "./storage-watch.ts";

export interface RunningServer {
  readonly composition: Composition;
  /** Where the server listens, e.g. `http://127.0.0.1:3000`; `undefined` for a worker. */
  readonly url: string | undefined;
  /** The path in front of every path, such as `/postern`; usually empty. */
  readonly basePath: string;
  /** The library that reaches the database, and the database's version. */
  readonly databaseDriver: string;
  /** The handlers that get no events, because no sender has the name that they listen to. */
  readonly handlersWithoutSender: readonly Pick<InboxHandler, "name" | "provider">[];
  readonly admin: "exists" | "made" | "none";
  /**
   * Whether the console is served, and the secret of its link that makes the first administrator, where
   * there is none and this process is the only one.
   */
  readonly console: { readonly setup?: string } | undefined;
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
/** How long requests in flight may still take at the end. What takes longer is work for a job. */
const stopRequestsMs = 8_000;
/** How often the server looks whether the database is still the one that it opened. */
const replacementEveryMs = 1_000;
/** A start that takes longer answers liveness meanwhile. */
const longStartMs = 2_000;
/** How long a reader of metrics waits for values from the database. */
const measureWithinMs = 2_000;
/**
 * For gauges that cannot be read: they keep their values, and others show that the database does not
 * answer. And for what is awaited, and told, elsewhere.
 */
const ignore = (): void => undefined;

/**
 * Starts a server: brings the tables up to date, then takes requests and runs jobs, as `POSTERN_ROLE` says.
 * It listens when it can take requests. A start that takes longer than `listensAfterMs`, which changes
 * a large table, listens before: liveness is answered 200 then, and all else 503.
 * @throws ConfigError, or what the database or the listener throws; nothing is left running then.
 */
export const startServer = async (
  config: ServerConfig,
  file: PosternConfig,
  { listensAfterMs = longStartMs }: { readonly listensAfterMs?: number } = {},
): Promise<RunningServer> => {
  const composition = await compose(config, file);
  const { telemetry } = composition;
  const loopTurns = longLoopTurns(telemetry);
  const delay = eventLoopDelay({ onLongLoopTurn: loopTurns.note });
  const starting: Starting = { config, file, composition, loopTurns, delay, ...measuring(composition, delay) };
  const running: Running = {};
  let opening: Promise<string | undefined> | undefined;
  const open = (): Promise<string | undefined> => {
    opening ??= config.role === "worker" ? Promise.resolve(undefined) : listen(starting, running);
    return opening;
  };
  // What it throws is thrown at the end of the start.
  const early = Number.isFinite(listensAfterMs)
    ? setTimeout(() => void open().catch(ignore), listensAfterMs)
    : undefined;
  try {
    const admin = await startWork(starting, running);
    // Before it takes requests: who is answered must not see a start that fails.
    const { driver: databaseDriver } = await composition.database.inspect();
    // Nothing waits for this: a receiver that does not answer must not keep the server from
    // starting.
    void composition.tryAlerts();
    const url = await open();
    running.isStarted = true;
    const handlersWithoutSender = await findHandlersWithoutSender(composition);
    // Where a person watches the log, the banner says both.
    const saysInLog = config.logFormat === "json" || url === undefined;
    if (saysInLog && composition.parts.includes("users")) {
      telemetry.log("info", mailSentences[composition.ports.mailer.target]);
    }
    for (const { name, provider } of saysInLog ? handlersWithoutSender : []) {
      telemetry.log("warn", "a handler gets no events: no sender has its name", {
        handler: name,
        provider,
        hint: `postern providers add ${provider}`,
      });
    }
    let stopped: Promise<void> | undefined;
    return {
      composition,
      url,
      basePath: config.basePath,
      databaseDriver,
      handlersWithoutSender,
      admin,
      console: await consoleFor(starting, admin),
      metrics: starting.readMetrics,
      reloadTls: () => {
        if (config.tls !== undefined) running.http?.reloadTls(readTls(config.tls));
      },
      stop: () => {
        stopped ??= stopAll(starting, running);
        return stopped;
      },
    };
  } catch (thrown) {
    clearTimeout(early);
    await opening?.catch(ignore);
    await stopAll(starting, running);
    throw thrown;
  } finally {
    clearTimeout(early);
  }
};

/**
 * A link for the first administrator, where a person reads it. A link ends the one before it, so none
 * is made that nobody sees; other processes of a group would not know it.
 */
const consoleFor = async (
  { config, composition: { app } }: Starting,
  admin: RunningServer["admin"],
): Promise<RunningServer["console"]> => {
  if (config.role === "worker" || !app.rooted.some(({ path }) => path === "/console/")) return undefined;
  if (admin !== "none" || config.processes > 1 || config.logFormat !== "pretty") return {};
  try {
    return { setup: await app.offerSetup() };
  } catch (thrown) {
    // Another process on the database has made a link, or an administrator, at the same moment.
    if (thrown instanceof AppError && thrown.code === "state_conflict") return {};
    throw thrown;
  }
};

/** What the steps of a start share. */
interface Starting {
  readonly config: ServerConfig;
  readonly file: PosternConfig;
  readonly composition: Composition;
  readonly loopTurns: ReturnType<typeof longLoopTurns>;
  readonly delay: ReturnType<typeof eventLoopDelay>;
  readonly measure: () => Promise<void>;
  readonly readMetrics: () => Promise<string>;
}

/** The parts that have been started. */
interface Running {
  /** Whether all of them have. */
  isStarted?: boolean;
  http?: HttpServer;
  runner?: JobRunner;
  metrics?: MetricsServer;
  measuring?: NodeJS.Timeout;
  watching?: NodeJS.Timeout;
  comparing?: NodeJS.Timeout;
}

const measuring = (composition: Composition, delay: Starting["delay"]): Pick<Starting, "measure" | "readMetrics"> => {
  const measure = async (): Promise<void> => {
    composition.telemetry.gauge("event_loop_delay_ms", delay.current());
    composition.telemetry.gauge("event_loop_longest_turn_ms", Math.round(delay.longest()));
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
  return { measure, readMetrics };
};

/** Starts everything but the listener. Returns whether there is an administrator. */
const startWork = async (
  { config, file, composition, measure, readMetrics }: Starting,
  running: Running,
): Promise<RunningServer["admin"]> => {
  const { app, storage } = composition;
  await composition.migrate();
  await checkSecrets(composition.ports, composition.parts, config);
  await warnOfLowLimits(composition, config);
  // A database server does not tell how much room it has.
  if (!composition.database.isShared) {
    const watchStorage = storageWatchOf(composition);
    await watchStorage().catch(ignore);
    running.watching = setInterval(() => void watchStorage().catch(ignore), measureEveryMs).unref();
  }
  const lookForReplacement = createReplacementWatch({ ...composition, ...composition.ports });
  running.comparing = setInterval(() => void lookForReplacement().catch(ignore), replacementEveryMs).unref();
  if (config.metricsPort !== undefined) {
    const place = { port: config.metricsPort, host: config.metricsHost };
    running.metrics = await startMetricsServer(place, readMetrics, config.metricsToken);
  }
  // Measures regularly, so that an exporter with its own rhythm finds recent gauges.
  if (file.meter !== undefined) running.measuring = setInterval(() => void measure().catch(ignore), measureEveryMs);
  const admin = composition.parts.includes("users") ? await ensureFirstAdmin(app, storage, config.admin) : "exists";
  if (config.role !== "http") {
    running.runner = composition.runner();
    await running.runner.start();
  }
  return admin;
};

/** A limit of the database that is too low would otherwise be found by the first webhook that meets it. */
const warnOfLowLimits = async (
  { database, telemetry }: Composition,
  { webhookLimitBytes }: ServerConfig,
): Promise<void> => {
  for (const { name, found, text } of await database.lowLimits({ longestBytes: webhookLimitBytes })) {
    telemetry.log("warn", `a setting of the database does not fit: ${text}`, { variable: name, found });
  }
};

const storageWatchOf = ({ database, storage, ports, telemetry }: Composition) =>
  createStorageWatch({
    inspect: () => database.inspect(),
    housekeeping: storage.housekeeping,
    alerts: ports.alerts,
    telemetry,
  });

/** Takes connections, and requests once the server has started. Returns the URL. */
const listen = async ({ config, file, composition, loopTurns, delay }: Starting, running: Running): Promise<string> => {
  const options = { ...file.http, telemetry: loopTurns.telemetry, eventLoopDelayMs: delay.current };
  const isStarted = (): boolean => running.isStarted === true;
  const { gateway, listener } = composeHttp(composition.app, config, options, isStarted);
  running.http = createGatewayServer(gateway, {
    ...file.http,
    ...(config.keepAliveMs === undefined ? {} : { keepAliveTimeoutMs: config.keepAliveMs }),
    listener,
    ...(config.tls === undefined ? {} : { tls: readTls(config.tls) }),
  });
  if (config.rateLimits === "off") {
    composition.telemetry.log("warn", "POSTERN_RATE_LIMIT is off: rates have no limit, but connections stay bounded", {
      hint: "for a load test from one address, raise http.maxConnections and http.maxConnectionsPerAddress in the configuration file",
    });
  }
  const { url } = await running.http.listen({ port: config.port, host: config.host });
  return url;
};

const stopAll = async ({ config, file, composition, loopTurns, delay }: Starting, running: Running): Promise<void> => {
  const { stopJobsMs = 8_000 } = file.limits ?? {};
  // Before the start is over, no load balancer has found the server ready.
  const delayMs = running.isStarted === true ? config.drainDelayMs : 0;
  await running.http?.close({ graceMs: stopRequestsMs, delayMs });
  await running.runner?.stop(stopJobsMs);
  clearInterval(running.measuring);
  clearInterval(running.watching);
  clearInterval(running.comparing);
  await composition.close();
  // The metrics stop last, so that the shutdown can be watched.
  await running.metrics?.close();
  delay.close();
  loopTurns.close();
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
