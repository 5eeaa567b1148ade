import type { HandRun } from "@postern/inbox";
import type { Command } from "commander";
import { noteAtTerminal, withSession } from "../session.ts";
import { CommandError, counted, exitCodes, type Terminal } from "../terminal.ts";

interface RunOptions {
  readonly handler: string;
  readonly commit?: boolean;
  readonly json?: boolean;
}

/** @throws CommandError for a text that is no event's id. */
const idOf = (text: string): number => {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new CommandError(exitCodes.usage, `"${text}" is no event's id; \`postern events list\` shows them.`);
};

/** `postern events run` */
export const addRunCommand = (events: Command, terminal: Terminal): void => {
  events
    .command("run")
    .description("run one handler on a stored event in this terminal, with today's code; its writes are rolled back")
    .argument("<id>", "the event's id")
    .requiredOption("--handler <name>", "the handler's name, as `postern events show` lists it")
    .option("--commit", "keep what it writes to the database")
    .option("--json", "print what it did as JSON")
    .action(async (text: string, { handler, commit = false, json }: RunOptions) => {
      const eventId = idOf(text);
      await withSession(terminal, async ({ composition: { app, ports } }) => {
        terminal.stderr.write(
          commit
            ? "What the handler writes is kept, and the event's job stays as it is. HTTP calls and mails go out.\n"
            : "What the handler writes is rolled back. HTTP calls and mails do go out.\n",
        );
        if (commit) await noteAtTerminal(ports, { action: "events.run", resource: "event", resourceId: text });
        const did = await app.runByHand(handler, { eventId, keep: commit });
        terminal.stdout.write(json === true ? `${JSON.stringify(did)}\n` : describe(did));
        if (did.error !== undefined) throw new CommandError(exitCodes.failed, `The handler failed: ${did.error}`);
      });
    });
};

const ended = ({ wrote, kept }: HandRun): string => {
  if (wrote.length === 0) return "It wrote nothing.\n";
  return `${counted(wrote.length, "write")}, ${kept ? "kept" : "rolled back"}.\n`;
};

const described = (values: object | undefined): string =>
  values === undefined || Object.keys(values).length === 0 ? "" : ` ${JSON.stringify(values)}`;

const describe = (did: HandRun): string =>
  [
    ...did.logged.map(({ level, message, fields }) => `${"log".padEnd(8)}${level}: ${message}${described(fields)}\n`),
    ...did.wrote.map(
      ({ what, of, id, values }) => `${what.padEnd(8)}${of}${id === undefined ? "" : ` ${id}`}${described(values)}\n`,
    ),
    ended(did),
  ].join("");
