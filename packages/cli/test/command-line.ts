import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { runCli, type Terminal } from "@postern/cli";
import { loadConfigFile, readConfig, startServer } from "@postern/server";

/** The folder of the test that runs. */
export let directory: string;

/** Makes the folder of a test. `around-each-test.ts` calls it. */
export const makeDirectory = (): void => {
  directory = mkdtempSync(join(tmpdir(), "postern-cli-"));
};

/** Removes the folder of a test. */
export const removeDirectory = (): void => rmSync(directory, { recursive: true, force: true });

export const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  DATABASE_URL: `sqlite:${join(directory, "data/postern.db")}`,
  PORT: "0",
  ...more,
});

const collector = (chunks: string[]): Writable =>
  new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });

interface Place extends Pick<Terminal, "directory" | "environment"> {
  /** Whether stderr is a terminal. */
  readonly isTTY?: boolean;
  /** How wide the terminal is that stdout is. Without it, stdout is none. */
  readonly columns?: number;
  /** Whether a person at a terminal writes what is on standard input. */
  readonly answers?: boolean;
}

/** Runs a command line in a folder as a shell does. Standard input is a terminal only if somebody answers there. */
export const runIn = async (
  { isTTY = false, columns, answers = false, ...place }: Place,
  line: readonly string[],
  stdin = "",
) => {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCli(line, {
    stdin: Object.assign(Readable.from([stdin]), { isTTY: answers }),
    stdout: Object.assign(collector(out), columns === undefined ? {} : { isTTY: true, columns }),
    stderr: Object.assign(collector(err), { isTTY }),
    ...place,
  });
  return { code, out: out.join(""), err: err.join("") };
};

/** Runs a command line in the folder of the test. */
export const postern = (
  line: readonly string[],
  { stdin = "", variables = {} }: { stdin?: string; variables?: Record<string, string> } = {},
) => runIn({ directory, environment: environment(variables) }, line, stdin);

/** Runs a command line as a person sees it, on a terminal so wide. */
export const onTerminal = (columns: number, line: readonly string[], variables: Record<string, string> = {}) =>
  runIn({ directory, environment: environment(variables), columns }, line);

/** Runs a command line of a person who gives this answer to its question. */
export const answering = (answer: "y" | "n", line: readonly string[], variables: Record<string, string> = {}) =>
  runIn({ directory, environment: environment(variables), answers: true }, line, `${answer}\n`);

export const create = (email: string, ...more: string[]) =>
  postern(["users", "create", "--name", "Ada", "--email", email, ...more], { stdin: "correct horse battery\n" });

export const serve = async (variables: Record<string, string> = {}) => {
  const config = { ...readConfig(environment({ LOG_LEVEL: "error", ...variables }), false) };
  return startServer(config, await loadConfigFile(config.configPath, directory));
};
