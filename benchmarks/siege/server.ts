import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerFigures } from "./attack.ts";
import type { FreshDatabase } from "./database.ts";
import { memoryLimit, memoryOf } from "./memory-limit.ts";
import { setPriorityOfThreads } from "./priority.ts";
import type { Mechanism } from "./without/mechanisms.ts";

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The built server, as `npm start` starts it. */
const main = fileOf("../../apps/server/dist/main.js");
const flags = ["--max-semi-space-size=16"];
/** The same server from its source, whose modules can be replaced. */
const fromSource = [
  ...["--conditions=@postern/source", "--import", fileOf("../../node_modules/tsx/dist/loader.mjs")],
  ...["--import", fileOf("without/register.mjs"), fileOf("../../apps/server/src/main.ts")],
];

/** The key with which the healthy sender signs. */
export const githubSecret = "the secret of a healthy sender";

export interface ServerUnderSiege {
  readonly port: number;
  readonly limitedBy: string;
  /** Highest resident memory so far in MB. */
  peakMemory(): number;
  /** Processor seconds that it has used. */
  cpuSeconds(): number;
  /** What its process shows now. @throws Error if it has ended. */
  figures(): ServerFigures;
  /** How many bytes of log it has written, and how often it reported that the loop was late. */
  log(): { readonly bytes: number; readonly warnings: readonly string[] };
  /** What ended it, if it was not stopped: an exit code or a signal. */
  death(): string | undefined;
  /**
   * Sends SIGTERM and resolves with the time that the end took. A server that does not end within
   * 30 s is killed.
   */
  stop(): Promise<number>;
}

const sampleEveryMs = 100;
const patienceMs = 30_000;

export interface ServerOptions {
  readonly database: FreshDatabase;
  /** MB; 0 for no limit. */
  readonly memory: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly configuration?: string;
  /** Runs from source, without this. */
  readonly without?: Mechanism | undefined;
  /** A file to which the lines of the log are added. */
  readonly logTo?: string | undefined;
}

/**
 * Starts a real server process with a memory limit. It has the default limits, one configured
 * sender, and JSON log lines.
 */
export const startServer = async (options: ServerOptions): Promise<ServerUnderSiege> => {
  const { database, memory, environment = {}, configuration, without } = options;
  if (configuration !== undefined) writeFileSync(join(database.directory, "postern.config.mjs"), configuration);
  const limit = memoryLimit(memory);
  // The process must be under its limit before Node decides how large its heap may be.
  const program = without === undefined ? [main] : fromSource;
  const child = spawn("/bin/sh", ["-c", `read go; exec "$0" "$@"`, process.execPath, ...flags, ...program], {
    cwd: database.directory,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      PORT: "0",
      DATABASE_URL: database.url,
      POSTERN_LOG_FORMAT: "json",
      POSTERN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      WEBHOOK_GITHUB_SECRET: githubSecret,
      ...environment,
      ...without?.environment,
      SIEGE_WITHOUT: JSON.stringify(without?.replacements ?? []),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const pid = child.pid ?? 0;
  limit.hold(pid);
  preferOverOtherWork(pid);
  child.stdin.end("go\n");

  let death: string | undefined;
  let isStopping = false;
  child.once("exit", (code, signal) => {
    if (!isStopping) death = signal === "SIGKILL" ? "killed for its memory" : `ended with ${signal ?? code}`;
  });
  let peak = 0;
  const sample = (): void => {
    peak = Math.max(peak, memoryOf(pid)?.peak ?? 0);
  };
  const sampling = setInterval(sample, sampleEveryMs);
  const written = readLog(child, options.logTo);
  const port = await written.port;
  return {
    port,
    limitedBy: limit.kind,
    peakMemory: () => {
      sample();
      return peak;
    },
    cpuSeconds: () => cpuSecondsOf(pid),
    figures: () => figuresOf(pid),
    log: () => ({ bytes: written.bytes(), warnings: written.warnings }),
    death: () => death,
    stop: async () => {
      isStopping = true;
      const from = performance.now();
      if (child.exitCode === null && child.signalCode === null) {
        const killer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
        child.kill("SIGTERM");
        await once(child, "exit");
        clearTimeout(killer);
      }
      clearInterval(sampling);
      limit.close();
      return performance.now() - from;
    },
  };
};

const figuresOf = (pid: number): ServerFigures => {
  // The first number is nanoseconds on a processor. The main thread has the id of the process.
  const [onProcessor] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return {
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
    memory: memoryOf(pid)?.now ?? Number.NaN,
    mainThreadMs: Number(onProcessor) / 1e6,
  };
};

/** Clock ticks a second in `/proc`, on every Linux. */
const ticks = 100;

/** User and system time of a process, from `/proc/<pid>/stat`; NaN where there is none. */
const cpuSecondsOf = (pid: number): number => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain blanks. User and system time are the 12th and 13th fields
    // after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticks;
  } catch {
    return Number.NaN;
  }
};

/**
 * Raises the priority of the server, so that on a busy machine the figures are those of the server
 * and not of the other work. It needs privileges; without them the figures are those of a busy
 * machine.
 */
const preferOverOtherWork = (pid: number): void => {
  try {
    for (const each of [pid, process.pid]) setPriorityOfThreads(each, -10);
  } catch {
    // Not allowed: the priorities stay equal.
  }
};

/** Follows the log: its length, its warnings, and the address of the server. */
const readLog = (child: ChildProcess, logTo: string | undefined) => {
  let bytes = 0;
  const warnings: string[] = [];
  const errors: string[] = [];
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the server has no output");
  stderr.on("data", (chunk: Buffer) => errors.push(String(chunk)));
  const port = new Promise<number>((resolve, reject) => {
    createInterface({ input: stdout }).on("line", (line) => {
      bytes += line.length + 1;
      if (logTo !== undefined)
        appendFileSync(
          logTo,
          `${line}
`,
        );
      if (line.includes('"level":"warn"') || line.includes('"level":"error"')) {
        if (warnings.length < 1000) warnings.push(line);
      }
      if (!line.includes('"msg":"started"')) return;
      const { url }: { url: string } = JSON.parse(line);
      resolve(Number(new URL(url).port));
    });
    child.once("exit", (code, signal) =>
      reject(new Error(`the server ended with ${signal ?? code}: ${errors.join("")}`)),
    );
  });
  return { bytes: () => bytes, warnings, port };
};
