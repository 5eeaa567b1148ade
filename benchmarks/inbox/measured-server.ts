import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

/** The value behind a name on the command line: `--seconds 3`. */
export const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at === -1 ? undefined : process.argv[at + 1];
};

const pinned = process.platform === "linux" && cpus().length > 1;

/** Keeps this process, which makes the load, off the core of the servers. */
export const pinLoad = (): void => {
  if (pinned) execFileSync("taskset", ["-pc", "0", String(process.pid)], { stdio: "ignore" });
};

export interface ServerCommand {
  readonly name: string;
  /** The options that Node is started with. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Opens a channel for messages. */
  readonly withMessages?: boolean;
}

/**
 * Starts a server on a core of its own and waits until it says where it listens. Its log goes to a
 * file in `directory`, as in production: reading it would be work for the core of the load.
 * @throws Error with the log if the server ends before.
 */
export const startServer = async (
  directory: string,
  { name, command, environment, withMessages = false }: ServerCommand,
): Promise<{ url: string; child: ChildProcess }> => {
  const log = join(directory, `${name}.log`);
  const [program = "", ...given] = pinned
    ? ["taskset", "-c", "1", process.execPath, ...command]
    : [process.execPath, ...command];
  const child = spawn(program, given, {
    cwd: directory,
    // A driver of SQLite may be installed in NODE_PATH.
    env: { PATH: process.env.PATH, NODE_PATH: process.env.NODE_PATH, ...environment },
    stdio: ["ignore", openSync(log, "a"), "inherit", ...(withMessages ? (["ipc"] as const) : [])],
  });
  for (;;) {
    const started = readFileSync(log, "utf8")
      .split("\n")
      .find((line) => line.includes('"msg":"started"'));
    if (started !== undefined) return { url: JSON.parse(started).url, child };
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${readFileSync(log, "utf8")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
