import { z } from "zod";
import { progressOn } from "./progress.ts";
import type { Operations } from "./session.ts";
import type { Terminal } from "./terminal.ts";

const page = z.object({
  data: z.array(z.unknown()),
  page: z.object({ next_cursor: z.string().nullable() }),
});

/** Writes a text, and waits while the reader is behind. */
const written = async ({ stdout }: Terminal, text: string): Promise<void> => {
  if (!stdout.write(text)) await new Promise<void>((resolve) => stdout.once("drain", resolve));
};

/** One page of an export. */
interface ExportedPage {
  readonly items: readonly unknown[];
  /** Asks for the page after it; `undefined` at the end. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** A page of a list. */
const listed = (body: unknown): ExportedPage => {
  const { data, page: place } = page.parse(body);
  return { items: data, next: place.next_cursor === null ? undefined : { cursor: place.next_cursor } };
};

interface Export {
  readonly operation: string;
  readonly query: Readonly<Record<string, string>>;
  /** Default: a page of a list. */
  readonly pageOf?: (body: unknown) => ExportedPage;
}

/** Prints all items, one JSON document a line, a page at a time, so that memory stays flat. */
export const exportPages = async (
  terminal: Terminal,
  { run }: Operations,
  { operation, query, pageOf = listed }: Export,
): Promise<void> => {
  let printed = 0;
  // On a terminal that shows the data, a bar would stand between its lines.
  const progress = terminal.stdout.isTTY === true ? undefined : progressOn(terminal);
  let place: ExportedPage["next"] = {};
  while (place !== undefined) {
    const { items, next } = pageOf(await run({ operation, query: { limit: "100", ...query, ...place } }));
    for (const item of items) await written(terminal, `${JSON.stringify(item)}\n`);
    printed += items.length;
    progress?.show(`${printed} exported`);
    place = next;
  }
  progress?.end();
};
