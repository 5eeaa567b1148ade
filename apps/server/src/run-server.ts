import cluster from "node:cluster";
import { unwatchFile, watchFile } from "node:fs";
import { bannerOf } from "./banner.ts";
import { readConfig, type ServerConfig } from "./config.ts";
import { firstSignal } from "./first-signal.ts";
import { serveGroup } from "./group-member.ts";
import { loadConfigFile } from "./load-config-file.ts";
import { runProcessGroup } from "./process-group.ts";
import { startFailureOf } from "./start-failure.ts";
import { type RunningServer, startServer } from "./start-server.ts";
import { growWithLoad, keepRequestsYoung } from "./v8-flags.ts";

/** How often the certificate files are checked for changes. */
const certificateCheckMs = 5_000;
/**
 * Exit codes are part of the command line's contract. Those of a failed start are in
 * `startFailureOf`.
 */
const exitCodes = { done: 0, interrupted: 130 } as const;

/**
 * Runs a server process from configuration to exit code. It reads the environment and starts. On
 * SIGINT or SIGTERM it drains and returns 0. A second signal, more than a second later, ends it at
 * once with 130.
 */
export const runServer = async (
  overrides: Partial<Pick<ServerConfig, "role" | "port" | "host">> = {},
): Promise<number> => {
  keepRequestsYoung();
  let server: RunningServer;
  let config: ServerConfig | undefined;
  try {
    config = { ...readConfig(process.env, process.stdout.isTTY), ...overrides };
    if (config.processes > 1 && cluster.isPrimary) {
      const exitCode = await runProcessGroup(config);
      await written();
      return exitCode;
    }
    const file = await loadConfigFile(config.configPath, process.cwd());
    // The first process of a group changes the tables, and no other one listens yet.
    const isBesideOthers = (cluster.worker?.id ?? 1) > 1;
    server = await startServer(config, file, isBesideOthers ? { listensAfterMs: Number.POSITIVE_INFINITY } : {});
    growWithLoad();
    if (!isBesideOthers) tellOfSetup(server, config);
  } catch (thrown) {
    const { exitCode, message } = startFailureOf(thrown, config?.metricsPort);
    process.stderr.write(message);
    return exitCode;
  }
  // A worker has no listener, and nothing else keeps a process alive that only waits for jobs.
  const keptAlive = setInterval(() => undefined, 2 ** 30);
  const files = config.tls === undefined ? [] : [config.tls.certPath, config.tls.keyPath];
  for (const file of files) watchFile(file, { interval: certificateCheckMs }, () => reload(server));
  if (config.processes > 1) await serveGroup(server);
  else await serveAlone(server, config);
  await server.stop();
  if (config.processes === 1) server.composition.telemetry.log("info", "stopped");
  await written();
  clearInterval(keptAlive);
  for (const file of files) unwatchFile(file);
  return exitCodes.done;
};

/** A log never has the link that makes the first administrator: it is a secret. */
const tellOfSetup = ({ admin, composition }: RunningServer, { logFormat, role }: ServerConfig): void => {
  if (admin !== "none" || logFormat === "pretty" || role === "worker") return;
  composition.telemetry.log("warn", "there is no administrator yet", {
    hint: "postern setup-link prints a link that makes one in a browser; postern users create makes one here",
  });
};

/** Reports that the server is up. Resolves when it should stop. */
const serveAlone = async (server: RunningServer, { logFormat, role, drainDelayMs }: ServerConfig): Promise<void> => {
  const { telemetry } = server.composition;
  process.stdout.write(logFormat === "pretty" ? bannerOf(server) : "");
  telemetry.log("info", "started", { url: server.url, role, database: server.databaseDriver });
  await firstSignal(() => process.exit(exitCodes.interrupted));
  if (logFormat === "pretty") process.stdout.write("\nFinishing what is under way…\n");
  telemetry.log("info", "stopping", { drain_delay_ms: drainDelayMs });
};

/**
 * Log lines are collected for a turn of the event loop; the last ones must be written before the
 * process ends.
 */
const written = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => process.stdout.write("", () => resolve()));
  });

const reload = (server: RunningServer): void => {
  const { telemetry } = server.composition;
  try {
    server.reloadTls();
    telemetry.log("info", "the certificate was read again");
  } catch (thrown) {
    telemetry.log("error", "the new certificate cannot be used; the old one stays", {}, thrown);
  }
};
