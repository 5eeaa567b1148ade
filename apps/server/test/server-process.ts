import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const started = new Set<ChildProcess>();
const directories = new Set<string>();

/** A new folder that is removed after the test. */
export const temporaryDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "postern-server-"));
  directories.add(directory);
  return directory;
};

/** Kills the processes that a test left, and removes its folders. `after-each-test.ts` calls it. */
export const killAll = async (): Promise<void> => {
  for (const child of started) {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  started.clear();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories.clear();
};

export interface ServerProcess {
  /** `undefined` for a worker. */
  readonly url: string | undefined;
  readonly pid: number | undefined;
  /** All that it has written so far. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
}

const spawnServer = (directory: string, environment: Record<string, string>): ChildProcess => {
  const child = spawn(process.execPath, [main], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0", POSTERN_LOG_FORMAT: "json", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.add(child);
  return child;
};

const exitOf = async (child: ChildProcess): Promise<number | string> => {
  const [code, signal] = await once(child, "close");
  return code ?? signal;
};

/** Runs the real server in a process of its own. Resolves when it says that it has started. */
export const startProcess = async (
  directory: string,
  environment: Record<string, string> = {},
): Promise<ServerProcess> => {
  const child = spawnServer(directory, environment);
  const exited = exitOf(child);
  const lines: string[] = [];
  child.stderr?.on("data", (chunk) => lines.push(String(chunk)));
  if (child.stdout === null) throw new Error("the process has no output");
  const reader = createInterface({ input: child.stdout });
  const url = await new Promise<string | undefined>((resolve, reject) => {
    reader.on("line", (line) => {
      lines.push(line);
      if (!line.includes('"msg":"started"')) return;
      const entry: { url?: string } = JSON.parse(line);
      resolve(entry.url);
    });
    void exited.then((code) => reject(new Error(`the server ended with ${code}:\n${lines.join("\n")}`)));
  });
  return { url, pid: child.pid, output: () => lines.join("\n"), kill: (signal) => void child.kill(signal), exited };
};

/** Runs a server that should not start. Returns its output and its exit code. */
export const failToStart = async (
  directory: string,
  environment: Record<string, string>,
): Promise<{ code: number | string; output: string }> => {
  const child = spawnServer(directory, environment);
  const lines: string[] = [];
  child.stdout?.on("data", (chunk) => lines.push(String(chunk)));
  child.stderr?.on("data", (chunk) => lines.push(String(chunk)));
  return { code: await exitOf(child), output: lines.join("") };
};

/** Asks again until it holds. A test that waits too long fails by its own time limit. */
export const eventually = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
};
