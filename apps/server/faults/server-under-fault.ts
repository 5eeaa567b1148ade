import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
export const secret = "a secret for webhooks under fault";

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});
export const afterwards = (cleanUp: () => Promise<void> | void): void => void cleanUps.push(cleanUp);

export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "postern-faults-"));
  afterwards(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** A port that is free now, so that a server can come back where it was. */
export const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again until it holds. @throws Error that says what did not come about in time. */
export const eventually = async (what: string, holds: () => Promise<boolean>, withinMs = 60_000): Promise<number> => {
  const from = performance.now();
  while (!(await holds().catch(() => false))) {
    if (performance.now() - from > withinMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await pause(25);
  }
  return performance.now() - from;
};

/**
 * The handler of all fault runs. What an event asks for by its type it does: `hang` and `crash` never end well, `leak` keeps a megabyte. Everything else writes one effect in the transaction that ends its job.
 */
const configuration = `
const kept = [];
const handle = async (event, context) => {
  if (event.type === "hang") return new Promise(() => undefined);
  if (event.type === "crash") process.kill(process.pid, "SIGKILL");
  if (event.type === "leak") kept.push(Buffer.alloc(1024 * 1024, 1));
  await new Promise((resolve) => setTimeout(resolve, 2));
  await context.commit(({ jobs }) =>
    jobs.enqueue([{ kind: "effect", queue: "effects", maxAttempts: 1, payload: event.eventId }], Date.now()));
};
const retry = { delaysMs: [500, 500, 500, 500, 500] };
export default {
  handlers: [
    ...["push", "crash", "leak"].map((type) => ({ name: type, provider: "*", type, retry, timeoutMs: 60_000, handle })),
    { name: "hangs", provider: "*", type: "hang", retry: { delaysMs: [] }, timeoutMs: 300, handle },
  ],
};`;

export interface Server {
  /** Where it listens, the same after every start. */
  readonly url: string | undefined;
  start(): Promise<void>;
  /** Ends it this way; resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  readonly pid: number | undefined;
  /** Starts it again whenever it ends by itself. */
  superviseUntil(over: () => boolean): Promise<number>;
}

const listening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });

/** A real server process that can be ended and started again. */
export const server = async (
  directory: string,
  environment: Readonly<Record<string, string>>,
  {
    nodeOptions = [],
    prefix = [],
  }: { readonly nodeOptions?: readonly string[]; readonly prefix?: readonly string[] } = {},
): Promise<Server> => {
  const port = await freePort();
  const isWorker = environment.POSTERN_ROLE === "worker";
  writeFileSync(join(directory, "postern.config.mjs"), configuration);
  const log = join(directory, `server-${port}.log`);
  let child: ChildProcess | undefined;
  const hasEnded = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null;

  const start = async (): Promise<void> => {
    const [command = "", ...args] = [...prefix, process.execPath, ...nodeOptions, main];
    const started = spawn(command, args, {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        POSTERN_LOG_FORMAT: "json",
        LOG_LEVEL: "warn",
        POSTERN_RATE_LIMIT: "off",
        WEBHOOK_GITHUB_SECRET: secret,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = started;
    for (const stream of [started.stdout, started.stderr]) stream?.on("data", (chunk) => appendFileSync(log, chunk));
    if (!isWorker) await eventually("the server listens", () => listening(port), 30_000);
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || hasEnded()) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  };
  afterwards(() => end("SIGKILL"));
  return {
    url: isWorker ? undefined : `http://127.0.0.1:${port}`,
    start,
    end,
    get pid() {
      return child?.pid;
    },
    superviseUntil: async (over) => {
      let restarts = 0;
      while (!over()) {
        if (hasEnded()) {
          restarts += 1;
          await start();
        }
        await pause(50);
      }
      return restarts;
    },
  };
};

export interface Reply {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | undefined;
}

/** One request, however it ends; status 0: no answer. */
export const call = (
  url: string,
  options: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly timeoutMs?: number;
  } = {},
): Promise<Reply> =>
  new Promise((resolve) => {
    const from = performance.now();
    const done = (status: number, retryAfter?: string): void =>
      resolve({ status, ms: performance.now() - from, retryAfter });
    const { method = "GET", headers = {}, body, timeoutMs = 10_000 } = options;
    const sent = request(url, { method, headers, timeout: timeoutMs, agent: false }, (response) => {
      response
        .on("error", () => done(0))
        .on("end", () => done(response.statusCode ?? 0, response.headers["retry-after"]))
        .resume();
    });
    sent.on("error", () => done(0)).on("timeout", () => sent.destroy());
    sent.end(body);
  });
