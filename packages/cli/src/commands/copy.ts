import type { CopyProgress, CopyRefused } from "@postern/server/internal";
import type { Command } from "commander";
import { loadServer } from "../load-server.ts";
import { type Progress, progressOn } from "../progress.ts";
import { commandError, configOf } from "../session.ts";
import { printTable } from "../table.ts";
import { CommandError, exitCodes, hint, sentence, type Terminal } from "../terminal.ts";

interface CopyFlags {
  readonly from: string;
  readonly to: string;
  readonly json?: boolean;
}

/** `postern copy`, from any kind of database to any kind. */
export const addCopyCommand = (copy: Command, terminal: Terminal): void => {
  copy
    .requiredOption("--from <url>", "the database to copy; Postern must be stopped")
    .requiredOption(
      "--to <url>",
      "an empty database, which is made if it does not exist; or a copy that was interrupted",
    )
    .option("--json", "print { continued, tables: [{ table, rows, checksum }] } as JSON")
    .action(async ({ from, to, json }: CopyFlags) => {
      const { copyBetween, loadConfigFile } = await loadServer();
      const config = await configOf(terminal);
      const file = await loadConfigFile(config.configPath, terminal.directory);
      const progress = progressOn(terminal);
      const { tables, isContinued } = await refusing(terminal, () =>
        copyBetween(config, file, { from, to, onProgress: copying(progress) }).finally(progress.end),
      );
      if (json === true) {
        return void terminal.stdout.write(`${JSON.stringify({ continued: isContinued, tables })}\n`);
      }
      const rows = tables.map(({ table: name, rows: count, checksum }) => [name, count, checksum]);
      printTable(terminal, ["table", "rows", "checksum of both"], rows);
      const next =
        "Both databases hold the same rows. Set DATABASE_URL to the target, then start Postern. Keep the source until you are sure; do not start Postern on it again.";
      terminal.stderr.write(`${hint(next, terminal)}\n`);
    });
};

const copying =
  (progress: Progress) =>
  ({ phase, table: name, rows, of }: CopyProgress): void => {
    const share = of === 0 ? 1 : Math.min(1, rows / of);
    const verb = phase === "copy" ? "copying" : "comparing";
    progress.show(`${verb} ${name}: ${rows} of ${of} rows, ${Math.floor(share * 100)} %`, share);
  };

const exitCodeOf: Readonly<Record<CopyRefused["reason"], number>> = {
  not_found: exitCodes.notFound,
  unreachable: exitCodes.unreachable,
  not_current: exitCodes.stateConflict,
  not_empty: exitCodes.stateConflict,
  in_use: exitCodes.failed,
  not_fitting: exitCodes.stateConflict,
  differs: exitCodes.problems,
};

/** @throws CommandError for a copy that was refused, and for a URL that is none. */
const refusing = async <Result>(terminal: Terminal, work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (thrown) {
    const { CopyRefused: Refused } = await loadServer();
    if (thrown instanceof TypeError) throw new CommandError(exitCodes.usage, sentence(thrown.message));
    if (!(thrown instanceof Refused)) throw commandError(thrown, terminal);
    throw new CommandError(exitCodeOf[thrown.reason], sentence(thrown.message));
  }
};
