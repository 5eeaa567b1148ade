import { type FileHandle, open } from "node:fs/promises";
import { resolve } from "node:path";
import { AppError, type Storage } from "@postern/core";
import type { Command } from "commander";
import { countLines, linesFromEnd } from "../lines-from-end.ts";
import { type ReadLine, readLine } from "../past-event.ts";
import { progressOn } from "../progress.ts";
import { noteAtTerminal, withSession } from "../session.ts";
import { CommandError, counted, exitCodes, type Terminal } from "../terminal.ts";

interface Numbered extends ReadLine {
  readonly line: number;
}

interface Report {
  imported: number;
  already_there: number;
  refused: number;
  /** Why lines were refused: the first ones. */
  readonly refusals: { readonly line: number; readonly why: string }[];
  /** How many of the imported events the retention deletes at its next run. */
  older_than_retention: number;
}

const batchEvents = 200;
const batchBytes = 8 * 1024 * 1024;
const mostTold = 100;
const dayMs = 86_400_000;

/** Ends a transaction whose writes were only tried out. */
class DryRun extends Error {}

const notes = `
It takes the file that \`postern events export\` wrote, and works on the database itself. Every event
keeps its sender's ids, its state, its repeats and its notes, and gets a new id here. An event that is
there already stays as it is, so you can run it again after an interruption. Nothing that has ended
runs again: \`postern events replay\` does that. Jobs that waited go on waiting, and run here.`;

/** `postern events import` */
export const addImportCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("import")
    .description("store the events of a file that export wrote; those that are there already stay as they are")
    .argument("<file>", "NDJSON, as events export prints it; it is read from its end, the oldest event first")
    .option("--dry-run", "say what would be imported, and store nothing")
    .option("--json", "print { imported, already_there, refused, refusals, older_than_retention, dry_run } as JSON")
    .addHelpText("after", notes)
    .action(async (name: string, { dryRun = false, json }: { dryRun?: boolean; json?: boolean }) => {
      await withSession(terminal, async ({ composition }) => {
        const { retention, storage, ports } = composition;
        const file = await opened(terminal, name);
        const oldest = ports.clock.now() - retention.events * dayMs;
        const report = await importFile(file, { storage, oldest, dryRun }, terminal).finally(() => file.close());
        if (report.imported > 0 && !dryRun) await noteAtTerminal(ports, { action: "events.import", resource: "event" });
        tell(report, { dryRun, json, days: retention.events }, terminal);
      });
    });
};

const opened = async ({ directory }: Terminal, name: string): Promise<FileHandle> => {
  try {
    const file = await open(resolve(directory, name));
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch {
    // Said below.
  }
  throw new CommandError(
    exitCodes.usage,
    `The file ${name} cannot be read. It must be a file on this disk, not a pipe.`,
  );
};

interface Target {
  readonly storage: Pick<Storage, "transaction">;
  /** Events that were received before are deleted by the retention. */
  readonly oldest: number;
  readonly dryRun: boolean;
}

const importFile = async (file: FileHandle, target: Target, terminal: Terminal): Promise<Report> => {
  const report: Report = { imported: 0, already_there: 0, refused: 0, refusals: [], older_than_retention: 0 };
  const refuse = (line: number, why: string): void => {
    report.refused += 1;
    if (report.refusals.length < mostTold) report.refusals.push({ line, why });
  };
  const progress = progressOn(terminal);
  const total = await countLines(file);
  let line = total;
  let batch: Numbered[] = [];
  let bytes = 0;
  const store = async (): Promise<void> => {
    await storeBatch(batch, target, report, refuse);
    batch = [];
    bytes = 0;
    const done = total - line;
    progress.show(`${done} of ${counted(total, "line")}, ${Math.floor((done / total) * 100)} %`, done / total);
  };
  try {
    for await (const text of linesFromEnd(file)) {
      if (text.trim() !== "") {
        const read = readLine(text);
        if (typeof read === "string") refuse(line, read);
        else batch.push({ ...read, line });
        bytes += text.length;
      }
      line -= 1;
      if (batch.length >= batchEvents || bytes >= batchBytes) await store();
    }
    await store();
  } finally {
    progress.end();
  }
  return report;
};

/** Stores a batch in one transaction. If the database refuses it, each event gets one of its own. */
const storeBatch = async (
  batch: readonly Numbered[],
  target: Target,
  report: Report,
  refuse: (line: number, why: string) => void,
): Promise<void> => {
  if (batch.length === 0) return;
  const { storage, dryRun, oldest } = target;
  let ids: readonly (number | undefined)[] = [];
  try {
    await storage.transaction(async (stores) => {
      ids = await stores.events.restore(batch.map(({ event }) => event));
      for (const [at, { notes: said }] of batch.entries()) {
        const eventId = ids[at];
        for (const { id, at: written, author, text } of eventId === undefined ? [] : said) {
          await stores.notes.add({ id, eventId: eventId ?? 0, at: written, author, text });
        }
      }
      if (dryRun) throw new DryRun();
    });
  } catch (thrown) {
    const isAbout = thrown instanceof AppError && thrown.status < 500;
    if (isAbout && batch.length > 1) {
      for (const one of batch) await storeBatch([one], target, report, refuse);
      return;
    }
    if (isAbout) return refuse(batch[0]?.line ?? 0, thrown.message);
    if (!(thrown instanceof DryRun)) throw thrown;
  }
  for (const [at, { event }] of batch.entries()) {
    if (ids[at] === undefined) report.already_there += 1;
    else {
      report.imported += 1;
      if (event.receivedAt < oldest) report.older_than_retention += 1;
    }
  }
};

/** @throws CommandError if lines were refused. */
const tell = (
  report: Report,
  { dryRun, json, days }: { readonly dryRun: boolean; readonly json: boolean | undefined; readonly days: number },
  { stdout, stderr }: Terminal,
): void => {
  const { imported, already_there: there, refused, refusals, older_than_retention: older } = report;
  if (json === true) stdout.write(`${JSON.stringify({ ...report, dry_run: dryRun })}\n`);
  else {
    const done = dryRun ? "would be imported" : "imported";
    stdout.write(
      `${counted(imported, "event")} ${done}, ${there} already there, ${counted(refused, "line")} refused.\n`,
    );
    if (older > 0)
      stdout.write(
        `${counted(older, "event")} of them came more than ${days} days ago: they are deleted within an hour, unless POSTERN_RETENTION_EVENTS is longer.\n`,
      );
    for (const { line, why } of refusals) stderr.write(`Line ${line}: ${why}.\n`);
    if (refused > refusals.length) stderr.write(`… and ${refused - refusals.length} more.\n`);
  }
  if (refused > 0) throw new CommandError(exitCodes.someFailed, `${counted(refused, "line")} refused.`);
};
