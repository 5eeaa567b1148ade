import type { AnswerOf, Operations } from "./operations.ts";
import { progressOn } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

/** Writes a text, and waits while the reader is behind. */
const written = async ({ stdout }: Terminal, text: string): Promise<void> => {
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once("drain", resolve));
};

/** The lists that are exported. */
interface Export {
  readonly operation: "admin.events.list" | "admin.events.export" | "admin.audit.list";
  readonly query: Readonly<Record<string, string>>;
}

/** The items of a page, and what asks for the page after it; `undefined` at the end. */
const pageIn = (body: AnswerOf<Export["operation"]>) => {
  if ("events" in body) return { items: body.events, next: body.next === null ? undefined : { before: body.next } };
  const { next_cursor: cursor } = body.page;
  return { items: body.data, next: cursor === null ? undefined : { cursor } };
};

/** Prints all items, one JSON document a line, a page at a time, so that memory stays flat. */
export const exportPages = async (
  terminal: Terminal,
  { run }: Operations,
  { operation, query }: Export,
): Promise<void> => {
  let printed = 0;
  // On a terminal that shows the data, a bar would stand between its lines.
  const progress = terminal.stdout.isTTY === true ? undefined : progressOn(terminal);
  let place: Readonly<Record<string, string>> | undefined = {};
  while (place !== undefined) {
    const { items, next } = pageIn(await run({ operation, query: { limit: "100", ...query, ...place } }));
    for (const item of items) await written(terminal, `${JSON.stringify(item)}\n`);
    printed += items.length;
    progress?.show(`${printed} exported`);
    place = next;
  }
  progress?.end();
};
