import { resolve } from "node:path";
import type { BackupFacts, BackupRefused, ServerConfig } from "@postern/server";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { configOf } from "../session.ts";
import { CommandError, exitCodes, type Terminal } from "../terminal.ts";

interface BackupFlags {
  readonly replace?: boolean;
  readonly json?: boolean;
}

const replaced = "--replace";

/** `postern backup`, for SQLite. */
export const addBackupCommand = (backup: Command, terminal: Terminal): void => {
  backup
    .argument("<file>", "the backup; its folder must exist")
    .option(replaced, "replace a file that is there already")
    .option("--json", "print { file, bytes, rows } as JSON")
    .action(async (target: string, { replace = false, json }: BackupFlags) => {
      const config = await configOf(terminal);
      const { backUp } = await loadServer();
      const facts = await refusing(() => backUp(config.databaseUrl, inFolder(target, terminal), { replace }));
      if (json === true) return void terminal.stdout.write(`${JSON.stringify(facts)}\n`);
      terminal.stdout.write(
        `Backed up to ${facts.file}, and checked: ${contentOf(facts)}.\n${await keySentence(config)}\n`,
      );
    });
};

/** `postern restore`, for SQLite. */
export const addRestoreCommand = (command: Command, terminal: Terminal): void => {
  command
    .argument("<file>", "a file that `postern backup` made")
    .option(replaced, "replace the database that is there; it is kept beside the new one")
    .option("--json", "print { file, former, bytes, rows } as JSON")
    .action(async (backup: string, { replace = false, json }: BackupFlags) => {
      const config = await configOf(terminal);
      const { restore } = await loadServer();
      const facts = await refusing(() => restore(config.databaseUrl, inFolder(backup, terminal), { replace }));
      if (json === true) return void terminal.stdout.write(`${JSON.stringify(facts)}\n`);
      const kept = facts.former === undefined ? "" : ` The former database is ${facts.former}; delete it later.`;
      terminal.stdout.write(
        `Restored ${facts.file}, and checked: ${contentOf(facts)}.${kept}\nBefore you start Postern, put the secret key of that backup in ${await placeOfKey(config)}.\n`,
      );
    });
};

const inFolder = (path: string, { directory }: Terminal): string => resolve(directory, path);

const contentOf = ({ bytes, rows }: Pick<BackupFacts, "bytes" | "rows">): string => {
  const { users = 0, inbox_event: events = 0, job: jobs = 0 } = rows;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB, users ${users}, events ${events}, jobs ${jobs}`;
};

const placeOfKey = async ({ secretKey, databaseUrl }: ServerConfig): Promise<string> => {
  const { keyFileOf } = await loadServer();
  return secretKey === undefined ? `${keyFileOf(databaseUrl)}` : "POSTERN_SECRET_KEY";
};

const keySentence = async (config: ServerConfig): Promise<string> =>
  `The secret key is not in it: keep a copy of ${await placeOfKey(config)} in another place. Without it, stored secrets cannot be opened; with both, anyone can sign in as any user.`;

const exitCodeOf: Readonly<Record<BackupRefused["reason"], number>> = {
  not_sqlite: exitCodes.usage,
  not_found: exitCodes.notFound,
  exists: exitCodes.notConfirmed,
  in_use: exitCodes.failed,
  damaged: exitCodes.problems,
  disk_full: exitCodes.failed,
};

/** @throws CommandError for a backup that was refused. */
const refusing = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (thrown) {
    const { BackupRefused: Refused } = await loadServer();
    if (!(thrown instanceof Refused)) throw thrown;
    const advice = thrown.reason === "exists" ? `; say ${replaced} to replace it` : "";
    const [first = "", ...rest] = thrown.message;
    throw new CommandError(exitCodeOf[thrown.reason], `${first.toUpperCase()}${rest.join("")}${advice}.`);
  }
};
