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

/** Each read of a payload is noted in the audit log: several share the time of one commit. */
const readAtOnce = 8;

interface Export {
  readonly operation: string;
  readonly query: Readonly<Record<string, string>>;
  /** What is printed of an item. Default: the item itself. */
  readonly wholeOf?: (item: unknown) => Promise<unknown>;
}

/** Prints all items of a list, one JSON document a line, a page at a time, so that memory stays flat. */
export const exportPages = async (
  terminal: Terminal,
  { run }: Operations,
  { operation, query, wholeOf = async (item) => item }: Export,
): Promise<void> => {
  let place: { cursor?: string } = {};
  let printed = 0;
  // On a terminal that shows the data, a bar would stand between its lines.
  const progress = terminal.stdout.isTTY === true ? undefined : progressOn(terminal);
  for (;;) {
    const { data, page: next } = page.parse(await run({ operation, query: { limit: "100", ...query, ...place } }));
    for (let at = 0; at < data.length; at += readAtOnce) {
      const whole = await Promise.all(data.slice(at, at + readAtOnce).map(wholeOf));
      for (const item of whole) await written(terminal, `${JSON.stringify(item)}\n`);
    }
    printed += data.length;
    progress?.show(`${printed} exported`);
    if (next.next_cursor === null) return void progress?.end();
    place = { cursor: next.next_cursor };
  }
};
