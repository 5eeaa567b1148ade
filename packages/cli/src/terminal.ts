import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";

/** A running server that a command looks after, in place of a database. */
export interface ChosenServer {
  /** Its address, with the base path if it has one, without a slash at the end. */
  readonly url: string;
  /** An API key of the caller. */
  readonly token: string;
}

/** Where a command reads and writes. Tests pass their own. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** Writes to stdout a text in which all that strangers may have written is escaped already. */
  readonly styled?: (text: string) => void;
  /** Writes a line in the place of the last one; absent without a terminal. */
  readonly redraw?: (line: string) => void;
  /**
   * The running server that the command is for; `undefined` for the database.
   * @throws CommandError
   */
  readonly server?: () => Promise<ChosenServer | undefined>;
  /** An error of the API with the options of the running command in place of the API's members. */
  readonly inOptions?: (text: string) => string;
}

/** Exit codes. Scripts can rely on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  unreachable: 5,
  someFailed: 6,
  notConfirmed: 7,
  problems: 8,
  stateConflict: 9,
} as const;

/** The exit code for an error of the API. */
export const exitCodeOf = ({ status, code }: { readonly status: number; readonly code: string }): number => {
  if (status === 404) return exitCodes.notFound;
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (code === "state_conflict") return exitCodes.stateConflict;
  if (code === "unavailable" || code === "storage_full") return exitCodes.unreachable;
  return status < 500 ? exitCodes.usage : exitCodes.failed;
};

/** Ends a command with a sentence on stderr and its exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;
  /** The code of the API's error, if it comes from there. */
  readonly code: string | undefined;

  constructor(exitCode: number, message: string, code?: string) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

/**
 * Characters that could control a terminal or disguise what it shows: control characters, C1
 * included, and characters that change direction or break lines.
 */
const unprintable = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** A text in which a terminal finds no command. */
export const escaped = (text: string): string =>
  text.replaceAll(unprintable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

/**
 * The same stream, for text that strangers may have written. In JSON, an escaped character means
 * the same as before.
 */
const escaping = <Stream extends Writable>(stream: Stream): Stream =>
  Object.create(stream, { write: { value: (text: unknown) => stream.write(escaped(String(text))) } });

/** A terminal that receives nothing but text. Events contain whatever their sender put there. */
export const textOnly = (terminal: Terminal): Terminal => ({
  ...terminal,
  styled: (text) => void terminal.stdout.write(text),
  ...(terminal.stderr.isTTY === true
    ? { redraw: (line: string) => void terminal.stderr.write(`\r\u001b[2K${escaped(line)}`) }
    : {}),
  stdout: escaping(terminal.stdout),
  stderr: escaping(terminal.stderr),
});

/** Whether this is `npm run postern`. The script `./postern` sets `CALLED_AS`, also inside an npm script. */
export const isRunByNpm = ({ CALLED_AS = "npm run", npm_lifecycle_event }: Terminal["environment"]): boolean =>
  CALLED_AS.startsWith("npm run") && npm_lifecycle_event === "postern";

/**
 * A hint whose commands are written as they are called here: `./postern` in a clone, where no
 * `postern` is on the path. The script of that name sets the variable `CALLED_AS`, and so does the
 * file `.env` of a project that `create-postern` made.
 */
export const hint = (text: string, { environment }: Pick<Terminal, "environment">): string => {
  const command = environment.CALLED_AS ?? (isRunByNpm(environment) ? "./postern" : "postern");
  return text.replaceAll(/(?<![\w./-])postern (?=[a-z])/g, `${command} `);
};

/** What a library says, as a sentence. */
export const sentence = (message: string): string => `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;

/** `1 job`, `2 jobs`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** The first line of standard input, or what is typed at a prompt, which does not show it. */
export const readSecret = async (terminal: Terminal, prompt: string): Promise<string> => {
  if (terminal.stdin.isTTY !== true) return firstLine(await readAll(terminal.stdin));
  const { createInterface } = await import("node:readline/promises");
  const { Writable } = await import("node:stream");
  terminal.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.stdin, output: silent, terminal: true });
  try {
    return await lines.question("");
  } finally {
    lines.close();
    terminal.stderr.write("\n");
  }
};

/** Asks the person at the terminal. Without a terminal, the answer is no. */
export const isConfirmed = async (terminal: Terminal, question: string): Promise<boolean> => {
  if (terminal.stdin.isTTY !== true) return false;
  const { createInterface } = await import("node:readline/promises");
  terminal.stderr.write(`${question} [y/N] `);
  const lines = createInterface({ input: terminal.stdin });
  try {
    return /^y(es)?$/i.test((await lines.question("")).trim());
  } finally {
    lines.close();
  }
};

/**
 * A sender's key from the file of `--key-file` (`-`: standard input), typed at a prompt, or piped
 * in.
 * @throws CommandError if there is none.
 */
export const keyFrom = async (terminal: Terminal, file: string | undefined): Promise<string> => {
  const text =
    file === undefined ? await readSecret(terminal, "The sender's key (not shown): ") : await readText(terminal, file);
  if (text.trim() !== "") return text.trim();
  const where = file === undefined || file === "-" ? "" : ` The file ${file} is empty.`;
  throw new CommandError(
    exitCodes.usage,
    `No key was given.${where} Type the sender's key at the prompt, pipe it in, or name its file with --key-file.`,
  );
};

/**
 * A file's text; `-` is standard input.
 * @throws CommandError when it cannot be read.
 */
export const readText = async (terminal: Terminal, file: string): Promise<string> =>
  (await readBytes(terminal, file)).toString("utf8");

/**
 * A file's bytes; `-` is standard input.
 * @throws CommandError when it cannot be read.
 */
export const readBytes = async (terminal: Terminal, file: string): Promise<Buffer> => {
  if (file === "-") return readWhole(terminal.stdin);
  try {
    return readFileSync(resolve(terminal.directory, file));
  } catch {
    throw new CommandError(exitCodes.usage, `The file ${file} cannot be read.`);
  }
};

const readWhole = async (stream: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
};

export const readAll = async (stream: Readable): Promise<string> => (await readWhole(stream)).toString("utf8");

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? "";
