import type { Command } from "commander";
import { addCall } from "../actions.ts";
import type { AnswerOf } from "../operations.ts";
import { type Columns, type ListOutput, printList, withListOutput } from "../print-list.ts";
import { withOperations } from "../session.ts";
import type { Terminal } from "../terminal.ts";

/** `postern events note` */
export const addNoteCommand = (events: Command, terminal: Terminal): void => {
  const add = events
    .command("note")
    .description("note something about an event, for others; events show has the notes")
    .argument("<id>", "the event's id")
    .argument("<text>", "up to 2,000 characters");
  addCall(add, terminal, {
    call: (id: string, text: string) => ({ operation: "admin.events.note", params: { id }, body: { text } }),
    tell: (_note, id) => terminal.stdout.write(`Noted about event ${id}.\n`),
    json: "the note",
  });
};

const columns: Columns<AnswerOf<"admin.events.difference">["changes"][number]> = {
  path: ({ path }) => (path === "" ? "/" : path),
  kind: "kind",
  before: "before",
  after: "after",
};

/** `postern events diff` */
export const addDiffCommand = (events: Command, terminal: Terminal): void => {
  const diff = events
    .command("diff")
    .description("compare an event's payload with that of the last good event of its type")
    .argument("<id>", "the event's id")
    .option("--against <id>", "compare with this event instead");
  withListOutput(diff, "{ items, event_id, against, complete }").action(
    async (id: string, { against, ...output }: { against?: string } & ListOutput) => {
      const query = against === undefined ? {} : { against };
      await withOperations(terminal, async ({ run }) => {
        const found = await run({ operation: "admin.events.difference", params: { id }, query });
        const { changes: items, ...more } = found;
        if (!printList(terminal, output, { items, columns, more })) return;
        const other = found.against;
        terminal.stderr.write(
          other === null
            ? "There is no earlier event of its type that was processed; name one with --against.\n"
            : `Against event ${other.event_id} of ${other.received_at}${found.complete ? "" : "; there are further changes"}.\n`,
        );
      });
    },
  );
};
