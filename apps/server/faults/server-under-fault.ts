import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../../test/free-port.ts";

const builtHere = fileURLToPath(new URL("../dist/main.js", import.meta.url));
export const secret = "a secret for webhooks under fault";

/** What a test makes for itself. All of it is undone when the test ends. */
export interface Scene {
  temporaryDirectory(): string;
  /** Makes a real server process that can be ended and started again. */
  server(directory: string, environment: Readonly<Record<string, string>>, options?: ServerOptions): Promise<Server>;
  afterwards(cleanUp: () => Promise<void> | void): void;
}

/**
 * `onTestFinished` is that of the test, so that tests can run side by side. What was made last is
 * undone first.
 */
export const sceneOf = ({
  onTestFinished,
}: {
  readonly onTestFinished: (cleanUp: () => Promise<void> | void) => void;
}): Scene => ({
  temporaryDirectory: () => {
    const directory = mkdtempSync(join(tmpdir(), "postern-faults-"));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    return directory;
  },
  server: (directory, environment, options) => server(onTestFinished, directory, environment, options),
  afterwards: (cleanUp) => onTestFinished(cleanUp),
});

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Asks again until the condition holds. @throws Error that names the condition if time runs out.
 */
export const eventually = async (what: string, holds: () => Promise<boolean>, withinMs = 60_000): Promise<number> => {
  const from = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - from > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(25);
  }
  return performance.now() - from;
};

/**
 * The handler of most fault runs. The type of an event says what the handler does: `hang` never
 * ends, `leak` keeps a megabyte, `retry` fails at first, and the types in `deadly` end the process,
 * each in its own way. If the handler gets to its end, it writes one effect in the transaction that
 * ends its job.
 */
const commonConfiguration = `
const kept = [];
const deaths = {
  kill: () => process.kill(process.pid, "SIGKILL"),
  exit: () => process.exit(7),
  throw: () => setTimeout(() => { throw new Error("nobody catches this"); }),
  reject: () => void Promise.reject(new Error("nobody handles this")),
  memory: () => { for (;;) kept.push(new Array(1_000_000).fill(Math.random())); },
};
const handle = async (event, context) => {
  if (event.type === "hang") return new Promise(() => undefined);
  if (Object.hasOwn(deaths, event.type)) {
    deaths[event.type]();
    return new Promise(() => undefined);
  }
  if (event.type === "retry" && context.attempt < 2) throw new Error("not yet");
  if (event.type === "leak") kept.push(Buffer.alloc(1024 * 1024, 1));
  await new Promise((resolve) => setTimeout(resolve, 2));
  await context.commit((_rows, { jobs }) =>
    jobs.enqueue([{ kind: "effect", queue: "effects", maxAttempts: 1, payload: event.eventId }], Date.now()));
};
const retry = { delaysMs: [500, 500, 500, 500, 500] };
export default {
  handlers: [
    ...["push", "leak", "retry", ...Object.keys(deaths)].map((type) => ({ name: type, provider: "*", type, retry, timeoutMs: 60_000, handle })),
    { name: "hangs", provider: "*", type: "hang", retry: { delaysMs: [] }, timeoutMs: 300, handle },
  ],
};`;

/** The types of events whose handler ends its process. */
export const deadly = ["kill", "exit", "throw", "reject", "memory"] as const;

interface ServerOptions {
  readonly nodeOptions?: readonly string[];
  /** The text of its configuration file. Default: the one of most fault runs. */
  readonly configuration?: string;
}

export interface Server {
  /** Its URL, which is the same after every start. */
  readonly url: string | undefined;
  start(): Promise<void>;
  /** Ends it with this signal. Resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  readonly pid: number | undefined;
  /**
   * How often it ended by itself and was started again, as a supervisor would do.
   */
  readonly restarts: number;
  /** Moves its wall clock by so many milliseconds. Needs `preload-clock.mjs`. */
  jump(ms: number): void;
}

const restartAfterMs = 100;

const server = async (
  onTestFinished: (cleanUp: () => Promise<void> | void) => void,
  directory: string,
  environment: Readonly<Record<string, string>>,
  { nodeOptions = [], configuration = commonConfiguration }: ServerOptions = {},
): Promise<Server> => {
  const port = await freePort();
  const isWorker = environment.POSTERN_ROLE === "worker";
  writeFileSync(join(directory, "postern.config.mjs"), configuration);
  const log = join(directory, `server-${port}.log`);
  let child: ChildProcess | undefined;
  let isWanted = false;
  let restarts = 0;

  const run = (): void => {
    const started = spawn(process.execPath, [...nodeOptions, builtHere], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        // Where a driver of SQLite may be installed.
        NODE_PATH: process.env.NODE_PATH,
        PORT: String(port),
        POSTERN_LOG_FORMAT: "json",
        // A worker has no listener. It says in its log that it has started.
        LOG_LEVEL: isWorker ? "info" : "warn",
        POSTERN_RATE_LIMIT: "off",
        WEBHOOK_GITHUB_SECRET: secret,
        ...environment,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) stream?.on("data", (chunk) => appendFileSync(log, chunk));
    // The process may have ended during the write.
    started.stdin?.on("error", () => undefined);
    started.once("exit", () => {
      if (!isWanted || child !== started) return;
      restarts += 1;
      setTimeout(() => {
        if (isWanted && child === started) run();
      }, restartAfterMs);
    });
  };
  const start = async (): Promise<void> => {
    isWanted = true;
    const before = existsSync(log) ? statSync(log).size : 0;
    run();
    const saysSo = async () => existsSync(log) && readFileSync(log).subarray(before).includes('"msg":"started"');
    const takesRequests = async () => (await call(`http://127.0.0.1:${port}/health/ready`)).status === 200;
    await eventually("the server has started", isWorker ? saysSo : takesRequests, 120_000).catch((thrown: Error) => {
      const said = existsSync(log) ? readFileSync(log, "utf8").slice(-2_000) : "nothing";
      throw new Error(
        `${thrown.message} (pid ${child?.pid}, ended ${child?.exitCode}, ${restarts} restarts); it said: ${said}`,
      );
    });
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    isWanted = false;
    const ending = child;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = once(ending, "exit");
    ending.kill(signal);
    await ended;
  };
  onTestFinished(() => end("SIGKILL"));
  return {
    url: isWorker ? undefined : `http://127.0.0.1:${port}`,
    start,
    end,
    get pid() {
      return child?.pid;
    },
    get restarts() {
      return restarts;
    },
    jump: (ms) => void child?.stdin?.write(`${ms}\n`),
  };
};

export interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
}

/**
 * Keeps connections open and uses them again, for tests that send thousands of requests at once.
 */
export const keptAlive = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections });

/**
 * Sends one request and never throws: status 0 means no answer. It opens a connection of its own
 * unless `agent` has one.
 */
export const call = (
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly timeoutMs?: number;
    readonly agent?: Agent;
  } = {},
): Promise<Reply> =>
  new Promise((resolve) => {
    const from = performance.now();
    const done = (status: number, retryAfter?: string): void =>
      resolve({ status, ms: performance.now() - from, retryAfter });
    const { method = "GET", headers = {}, body, timeoutMs = 10_000, agent = false } = options;
    const sent = request(url, { method, headers, timeout: timeoutMs, agent }, (response) => {
      response
        .on("error", () => done(0))
        .on("end", () => done(response.statusCode ?? 0, response.headers["retry-after"]))
        .resume();
    });
    sent.on("error", () => done(0)).on("timeout", () => sent.destroy());
    sent.end(body);
  });
