import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { BackupRefused } from "../../engine/backup-refused.ts";
import { vendorErrorOf, withoutValues } from "../../engine/translate-error.ts";

/** A call of a program that belongs to a database server. */
export interface ToolCommand {
  /** The names of the program, the best one first. */
  readonly programs: readonly [string, ...string[]];
  readonly args: readonly string[];
  /** Its settings. It gets no others of the same kind from the environment of this process. */
  readonly environment: Readonly<Record<string, string>>;
  /** Goes by the environment: a command line can be seen by everybody on the machine. */
  readonly password: { readonly variable: string; readonly value: string };
  /** A file of SQL that the program reads; it may be compressed. */
  readonly reads?: { readonly file: string; readonly isCompressed: boolean };
  /** Where its compressed output goes. */
  readonly writes?: string;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command as a line for a shell. In place of the password stands `…`. */
export const lineOf = ({ programs, args, environment, password, reads, writes }: ToolCommand): string => {
  const settings = Object.entries(environment).map(([name, value]) => `${name}=${quoted(value)}`);
  const line = [
    ...settings,
    ...(password.value === "" ? [] : [`${password.variable}=…`]),
    programs[0],
    ...args.map(quoted),
  ].join(" ");
  const from = reads === undefined ? "" : `${reads.isCompressed ? "gunzip -c" : "cat"} ${quoted(reads.file)} | `;
  return `${from}${line}${writes === undefined ? "" : ` | gzip > ${quoted(writes)}`}`;
};

/** Settings of these programs that would lead them to another server than the URL. */
const foreign = /^(?:PG|MYSQL_|MARIADB_)/;

const environmentOf = ({ environment, password }: ToolCommand): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))),
  // The reasons of a failure are read.
  LC_ALL: "C",
  ...environment,
  ...(password.value === "" ? {} : { [password.variable]: password.value }),
});

/** The first program that is installed, started. */
const started = async (command: ToolCommand): Promise<ChildProcess> => {
  for (const program of command.programs) {
    const child = spawn(program, command.args, {
      env: environmentOf(command),
      stdio: [
        command.reads === undefined ? "ignore" : "pipe",
        command.writes === undefined ? "ignore" : "pipe",
        "pipe",
      ],
    });
    try {
      await once(child, "spawn");
      return child;
    } catch (thrown) {
      if (vendorErrorOf(thrown).code !== "ENOENT") throw thrown;
    }
  }
  throw new BackupRefused(
    "no_tool",
    `${command.programs.join(" or ")} is not installed here. Install the client programs of the database, or run this where they are: ${lineOf(command)}`,
  );
};

/** The line of a program's messages that says why it failed, without values of rows. */
const reasonIn = (said: string): string => {
  const lines = said.split("\n").filter((line) => line !== "");
  return withoutValues(lines.find((line) => /error/i.test(line)) ?? lines[0] ?? "it gave no reason");
};

const mostKept = 16_384;

const textOf = async (stream: Readable): Promise<string> => {
  let text = "";
  for await (const piece of stream) text = (text + String(piece)).slice(0, mostKept);
  return text;
};

const transfer = async ({ stdin, stdout }: ChildProcess, { reads, writes }: ToolCommand): Promise<void> => {
  if (reads !== undefined && stdin !== null) {
    const file = createReadStream(reads.file);
    await (reads.isCompressed ? pipeline(file, createGunzip(), stdin) : pipeline(file, stdin));
  }
  if (writes !== undefined && stdout !== null) await pipeline(stdout, createGzip(), createWriteStream(writes));
};

/**
 * Runs a command to its end.
 * @throws BackupRefused `no_tool`, `disk_full`, or `tool_failed` with the reason that the program gave.
 */
export const runTool = async (command: ToolCommand): Promise<void> => {
  const child = await started(command);
  const ended = once(child, "close");
  const said = child.stderr === null ? Promise.resolve("") : textOf(child.stderr);
  const [moved] = await Promise.allSettled([transfer(child, command)]);
  // A program that no longer gets what it reads, or that nobody reads, would wait.
  if (moved.status === "rejected") child.kill();
  const [code] = await ended;
  const text = await said;
  if (code === 0 && moved.status === "fulfilled") return;
  if (/No space left on device/i.test(text)) throw new BackupRefused("disk_full", "the disk is full");
  // If the program has ended first, its own reason counts, and not that it reads no more.
  if (moved.status === "rejected" && (code === 0 || text === "")) throw moved.reason;
  throw new BackupRefused("tool_failed", `${command.programs[0]} failed: ${reasonIn(text)}`);
};
