import { resolve } from "node:path";
import type { ServerConfig } from "@postern/server";
import type { BackupFacts, BackupOptions, BackupRefused } from "@postern/server/internal";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { progressOn } from "../progress.ts";
import { commandError, configOf } from "../session.ts";
import { CommandError, exitCodes, sentence, type Terminal } from "../terminal.ts";

interface BackupFlags {
  readonly replace?: boolean;
  readonly verify: boolean;
  readonly json?: boolean;
}

const replaced = "--replace";
const unverified = "--no-verify";

/** Says each command that is run, so that it can be run elsewhere as well. */
const sayOn =
  ({ stderr }: Terminal) =>
  (line: string): void =>
    void stderr.write(`Running: ${line}\n`);

type Told = Required<Pick<BackupOptions, "onBytes" | "onCommand">>;

/** Shows for how long it has been running, and how long the copy is by now. */
const tellingHowFar = async <Result>(
  terminal: Terminal,
  what: string,
  work: (told: Told) => Promise<Result>,
): Promise<Result> => {
  const progress = progressOn(terminal);
  const began = performance.now();
  let written = "";
  const show = (): void => progress.show(`${what}: ${Math.round((performance.now() - began) / 1000)} s${written}`);
  const timer = setInterval(show, 1_000);
  const onBytes = (bytes: number): void => {
    written = `, ${mebibytes(bytes)} written`;
    show();
  };
  try {
    return await work({ onBytes, onCommand: sayOn(terminal) });
  } finally {
    clearInterval(timer);
    progress.end();
  }
};

/** `postern backup`. */
export const addBackupCommand = (backup: Command, terminal: Terminal): void => {
  backup
    .argument("<file>", "the backup; its folder must exist")
    .option(replaced, "replace a file that is there already")
    .option(unverified, "on a server: do not put the backup into a scratch database to check it")
    .option("--json", "print { file, bytes, rows } as JSON")
    .action(async (target: string, { replace = false, verify, json }: BackupFlags) => {
      const config = await configOf(terminal);
      const { backUp } = await loadServer();
      const facts = await refusing(terminal, () =>
        tellingHowFar(terminal, "backing up", (told) =>
          backUp(config.database, inFolder(target, terminal), { replace, verify, ...told }),
        ),
      );
      if (json === true) return void terminal.stdout.write(`${JSON.stringify(facts)}\n`);
      terminal.stdout.write(`Backed up to ${facts.file}, ${contentOf(facts)}.\n${await keySentence(config)}\n`);
    });
};

/** `postern restore`. */
export const addRestoreCommand = (command: Command, terminal: Terminal): void => {
  command
    .argument("<file>", "a file that `postern backup` made")
    .option(replaced, "replace the database that is there; it is kept beside the new one")
    .option(unverified, "on a server: put the backup into an empty database at once, and check it there")
    .option("--json", "print { file, former, bytes, rows } as JSON")
    .action(async (backup: string, { replace = false, verify, json }: BackupFlags) => {
      const config = await configOf(terminal);
      const { restore } = await loadServer();
      const facts = await refusing(terminal, () =>
        tellingHowFar(terminal, "restoring", (told) =>
          restore(config.database, inFolder(backup, terminal), { replace, verify, ...told }),
        ),
      );
      if (json === true) return void terminal.stdout.write(`${JSON.stringify(facts)}\n`);
      const kept = facts.former === undefined ? "" : ` The former database is ${facts.former}; delete it later.`;
      terminal.stdout.write(
        `Restored ${facts.file}, ${contentOf(facts)}.${kept}\nBefore you start Postern, put the secret key of that backup in ${await placeOfKey(config)}.\n`,
      );
    });
};

const inFolder = (path: string, { directory }: Terminal): string => resolve(directory, path);

const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

const contentOf = ({ bytes, rows }: Pick<BackupFacts, "bytes" | "rows">): string => {
  const size = mebibytes(bytes);
  // Each database of Postern has tables.
  if (Object.keys(rows).length === 0) return `not checked: ${size}`;
  const { users = 0, inbox_event: events = 0, job: jobs = 0 } = rows;
  return `and checked: ${size}, users ${users}, events ${events}, jobs ${jobs}`;
};

const placeOfKey = async ({ secretKey, database }: ServerConfig): Promise<string> => {
  const { keyFileOf } = await loadServer();
  return secretKey === undefined ? `${keyFileOf(database)}` : "POSTERN_SECRET_KEY";
};

const keySentence = async (config: ServerConfig): Promise<string> =>
  `The secret key is not in it: keep a copy of ${await placeOfKey(config)} in another place. Without it, stored secrets cannot be opened; with both, anyone can sign in as any user.`;

const exitCodeOf: Readonly<Record<BackupRefused["reason"], number>> = {
  not_fitting: exitCodes.stateConflict,
  not_found: exitCodes.notFound,
  no_tool: exitCodes.notFound,
  not_allowed: exitCodes.notAllowed,
  exists: exitCodes.notConfirmed,
  left_over: exitCodes.stateConflict,
  in_use: exitCodes.failed,
  damaged: exitCodes.problems,
  tool_failed: exitCodes.failed,
  disk_full: exitCodes.failed,
};

const adviceOf: Readonly<Partial<Record<BackupRefused["reason"], string>>> = {
  exists: `; say ${replaced} to replace it`,
  not_allowed: `; or say ${unverified}, which needs no scratch database`,
};

/** @throws CommandError for a backup that was refused, and for a URL that is none. */
const refusing = async <Result>(terminal: Terminal, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (thrown) {
    const { BackupRefused: Refused } = await loadServer();
    if (thrown instanceof TypeError) throw new CommandError(exitCodes.usage, sentence(thrown.message));
    if (!(thrown instanceof Refused)) throw commandError(thrown, terminal);
    throw new CommandError(exitCodeOf[thrown.reason], sentence(`${thrown.message}${adviceOf[thrown.reason] ?? ""}`));
  }
};
