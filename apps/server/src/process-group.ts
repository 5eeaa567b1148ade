import cluster, { type Worker } from "node:cluster";
import type { Telemetry } from "@postern/core/ports";
import { pinoTelemetry } from "@postern/platform-node";
import type { ServerConfig } from "./config.ts";
import { firstSignal } from "./first-signal.ts";
import type { GroupMessage, MemberMessage } from "./group-messages.ts";
import { mergeMetrics } from "./merge-metrics.ts";
import { startMetricsServer } from "./metrics-server.ts";
import { wholeLines } from "./whole-lines.ts";

/** A place in the group. When its process dies, another one takes the place. */
interface Place {
  readonly number: number;
  worker: Worker | undefined;
  /** How often a process has died here soon after its start, one time after the other. */
  deaths: number;
}

type Ready = Extract<MemberMessage, { readonly kind: "ready" }>;

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
/** A process that lived longer had started without problems. */
const startIsOverMs = 60_000;
/** A member measures for up to 2 s. A member that has not answered by then is left out. */
const metricsWithinMs = 3_000;

/**
 * Runs a server as several processes with one port, so that it uses several cores. This process
 * takes the connections and hands them out in turn; it answers none itself. The first member
 * migrates the database before the others start. A member that dies is replaced after 1 s, and
 * later after up to 30 s if it dies at its start again and again.
 *
 * Resolves with the exit code: that of the first member if it cannot start, 130 after a second
 * signal more than a second later, and 0 after the first, when all members have drained. If this
 * process is killed, Node ends its members.
 * @throws what the metrics' listener throws.
 */
export const runProcessGroup = async (config: ServerConfig): Promise<number> => {
  const telemetry = pinoTelemetry({ level: config.logLevel, format: config.logFormat, color: config.color });
  const members = createMembers(config, telemetry);
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : await startMetricsServer(
          { port: config.metricsPort, host: config.metricsHost },
          members.readMetrics,
          config.metricsToken,
        );
  let stopping = false;
  const ended = new Promise<number>((resolve) => {
    const kill = (): void => {
      members.kill();
      resolve(130);
    };
    void firstSignal(kill).then(() => {
      stopping = true;
      if (config.logFormat === "pretty") process.stdout.write("\nFinishing what is under way…\n");
      telemetry.log("info", "stopping", { drain_delay_ms: config.drainDelayMs });
      void members.stop().then(() => resolve(0));
    });
  });
  const first = await members.start(1);
  if (typeof first === "number" && !stopping) {
    await metrics?.close();
    return first;
  }
  if (typeof first === "object" && !stopping) {
    const others = Array.from({ length: config.processes - 1 }, (_, index) => members.start(index + 2));
    await Promise.all(others);
    if (!stopping) {
      process.stdout.write(config.logFormat === "pretty" ? first.banner : "");
      telemetry.log("info", "started", { url: first.url, role: config.role, processes: config.processes });
    }
  }
  const exitCode = await ended;
  await metrics?.close();
  if (exitCode === 0) telemetry.log("info", "stopped");
  return exitCode;
};

const tell = (worker: Worker, message: GroupMessage): void => {
  // A member that has just died hears nothing.
  if (worker.isConnected()) worker.send(message, () => undefined);
};

/** Asks members for their metrics. */
const createMetricsQuestions = () => {
  const asked = new Map<number, (text: string) => void>();
  let questions = 0;
  return {
    ask: ({ number, worker }: Place): Promise<{ readonly process: string; readonly text: string }> =>
      new Promise((resolve) => {
        questions += 1;
        const id = questions;
        const answer = (text: string): void => {
          clearTimeout(timer);
          asked.delete(id);
          resolve({ process: String(number), text });
        };
        const timer = setTimeout(answer, metricsWithinMs, "");
        asked.set(id, answer);
        if (worker === undefined) answer("");
        else tell(worker, { kind: "metrics", id });
      }),
    answered: ({ id, text }: Extract<MemberMessage, { readonly kind: "metrics" }>): void => asked.get(id)?.(text),
  };
};

/** Starts the process of a member; whole lines of its output go to the terminal. */
const forkMember = (config: ServerConfig): Worker => {
  // The members' metrics are read through this process, and none of them sees the terminal.
  const worker = cluster.fork({ POSTERN_LOG_FORMAT: config.logFormat, POSTERN_METRICS_PORT: "" });
  const lines = wholeLines();
  lines.pipe(process.stdout, { end: false });
  worker.process.stdout?.pipe(lines);
  return worker;
};

/** How long a place stays empty after its process has ended. */
const emptyMs = (deaths: number): number => Math.min(firstDelayMs * 2 ** Math.max(deaths - 1, 0), longestDelayMs);

const createMembers = (config: ServerConfig, telemetry: Telemetry) => {
  const places: Place[] = [];
  const exits = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  const questions = createMetricsQuestions();
  let stopping = false;
  /** True once a member was ready: from then on, those that end are replaced. */
  let opened = false;

  cluster.setupPrimary({ stdio: ["ignore", "pipe", "inherit", "ipc"] });

  /** Starts a process in a place. Resolves when it is ready, or with its exit code. */
  const fork = (place: Place): Promise<Ready | number> => {
    const startedMs = performance.now();
    const worker = forkMember(config);
    place.worker = worker;
    let gone: () => void = () => undefined;
    const exit = new Promise<void>((resolve) => {
      gone = resolve;
    });
    exits.add(exit);
    return new Promise((resolve) => {
      worker.on("message", (message: MemberMessage) => {
        if (message.kind === "metrics") {
          questions.answered(message);
          return;
        }
        opened = true;
        // Before it was ready, it took no requests.
        if (stopping) tell(worker, { kind: "stop" });
        resolve(message);
      });
      worker.once("exit", (code, signal) => {
        place.worker = undefined;
        exits.delete(exit);
        gone();
        if (opened && !stopping) replace(place, performance.now() - startedMs, signal ?? code);
        resolve(code ?? 1);
      });
    });
  };

  const replace = (place: Place, livedMs: number, ending: string | number): void => {
    place.deaths = livedMs < startIsOverMs ? place.deaths + 1 : 0;
    const delayMs = emptyMs(place.deaths);
    telemetry.log("error", "a process of this server ended", { process: place.number, ending, again_in_ms: delayMs });
    const timer = setTimeout(() => {
      timers.delete(timer);
      void fork(place);
    }, delayMs);
    timers.add(timer);
  };

  return {
    start: (number: number): Promise<Ready | number> => {
      const place: Place = { number, worker: undefined, deaths: 0 };
      places.push(place);
      return fork(place);
    },
    readMetrics: async (): Promise<string> => mergeMetrics(await Promise.all(places.map(questions.ask))),
    /** Resolves when every member has drained and ended. */
    stop: async (): Promise<void> => {
      stopping = true;
      for (const timer of timers) clearTimeout(timer);
      for (const { worker } of places) if (worker !== undefined) tell(worker, { kind: "stop" });
      await Promise.all(exits);
    },
    kill: (): void => {
      for (const { worker } of places) worker?.process.kill("SIGKILL");
    },
  };
};
