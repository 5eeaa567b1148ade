import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ServerFigures } from "./attack.ts";
import type { FreshDatabase } from "./database.ts";
import { memoryLimit, memoryOf } from "./memory-limit.ts";

/** The server as `npm start` starts it: built. */
const main = fileURLToPath(new URL("../../apps/server/dist/main.js", import.meta.url));
const flags = ["--max-semi-space-size=16"];

/** What the healthy sender signs with. */
export const githubSecret = "the secret of a healthy sender";

export interface ServerUnderSiege {
  readonly port: number;
  readonly limitedBy: string;
  /** Highest resident memory so far in MB. */
  peakMemory(): number;
  /** Seconds of processor that it has used. */
  cpuSeconds(): number;
  /** What its process shows now. @throws Error when it has ended. */
  figures(): ServerFigures;
  /** How many bytes of log it has written, and how often the loop was reported to be late. */
  log(): { readonly bytes: number; readonly warnings: readonly string[] };
  /** What ended it, where it has not been stopped: an exit code or a signal. */
  death(): string | undefined;
  /** SIGTERM; resolves with the time it took. A server that does not end within 30 s is killed. */
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
  /** A file that the lines of the log are added to. */
  readonly logTo?: string | undefined;
}

/** Starts a real server process that is held to its memory. It has the default limits, one configured sender, and JSON log lines. */
export const startServer = async (options: ServerOptions): Promise<ServerUnderSiege> => {
  const { database, memory, environment = {}, configuration } = options;
  if (configuration !== undefined) writeFileSync(join(database.directory, "postern.config.mjs"), configuration);
  const limit = memoryLimit(memory);
  // The process must be under its limit before Node looks how large its heap may be.
  const child = spawn("/bin/sh", ["-c", `read go; exec "$0" "$@"`, process.execPath, ...flags, main], {
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
  // Nanoseconds on a processor come first. Its main thread has the number of the process.
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
    // The name in parentheses may hold blanks. Of what follows, these are the 12th and 13th fields.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) / ticks;
  } catch {
    return Number.NaN;
  }
};

/**
 * On a machine that has other work to do, what is measured is the server and not that work. It takes privileges; without them the
 * figures are those of a busy machine.
 */
const preferOverOtherWork = (pid: number): void => {
  try {
    for (const each of [pid, process.pid]) setPriority(each, -10);
  } catch {
    // Not allowed: the priorities stay equal.
  }
};

/** Follows the log: how much there is of it, what it warns about, and where the server listens. */
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
