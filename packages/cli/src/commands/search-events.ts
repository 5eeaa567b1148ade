import type { Command } from "commander";
import type { AnswerOf } from "../operations.ts";
import { type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import { counted, hint, type Terminal } from "../terminal.ts";
import { type EventFilterOptions, eventColumns, eventFiltersOf, withEventFilters } from "./listed-events.ts";

type Answer = AnswerOf<"admin.events.search">;

interface SearchOptions extends EventFilterOptions, ListOutput {
  readonly limit: string;
  readonly before?: string;
}

/** `postern events search` */
export const addSearchCommand = (events: Command, terminal: Terminal): void => {
  const search = events
    .command("search")
    .description("list events whose payload contains a text, newest first, and say how many were looked at")
    .argument("<text>", "the text as the sender sent it, byte for byte; case counts");
  withListOutput(withEventFilters(search), "{ items, looked_at, without_body, back_to, complete, next }")
    .option("--limit <n>", "end when so many are found, 1 to 100", "20")
    .option("--before <id>", "only events before this one: where the last search ended")
    .action(async (text: string, { json, jsonl, fields, limit, before, ...narrowed }: SearchOptions) => {
      const query = { text, limit, ...(before === undefined ? {} : { before }), ...eventFiltersOf(narrowed) };
      await withOperations(terminal, async ({ run }) => {
        const found = await run({ operation: "admin.events.search", query });
        const { events: items, ...more } = found;
        const output = { json, jsonl, fields } as ListOutput;
        if (!printList(terminal, output, { items, columns: eventColumns, more })) return;
        terminal.stderr.write(howFar(found));
        if (found.next !== null) {
          const again = hint("Go on: postern events search ", terminal);
          terminal.stderr.write(`${again}${wordsOf(text, { ...narrowed, limit, before: found.next })}\n`);
        }
      });
    });
};

const howFar = ({ looked_at: looked, without_body: without, back_to: back, complete }: Answer): string => {
  const until = back === null || complete ? "" : `, back to ${back}`;
  const gone = without === 0 ? "" : `, ${without} of them without a body any more`;
  return `Looked at ${counted(looked, "event")}${until}${gone}${complete ? "; there are no more" : ""}.\n`;
};

/** A word of a command line as a POSIX shell takes it. */
const word = (text: string): string => (/^[\w.:@/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The arguments of a search. Behind `--`, a text may begin with a hyphen. */
const wordsOf = (text: string, options: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name.replace("eventId", "event-id")} ${word(value)}`],
  );
  return [...given, ...(text.startsWith("-") ? ["--"] : []), word(text)].join(" ");
};
