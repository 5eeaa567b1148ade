import { z } from "zod";
import { type Terminal, table } from "./terminal.ts";

const place = z.object({ next_cursor: z.string().nullable() });

/** The value of each column, by its heading. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

/** How the items of a list look. */
export interface PageLayout<Item> {
  readonly item: z.ZodType<Item>;
  readonly columns: Columns<Item>;
  /** Whether to print JSON instead of a table. */
  readonly json: boolean | undefined;
}

/**
 * Prints one page of a list: a table, and on stderr the command for the next page. As JSON it
 * prints `{ items, next }`, where `next` is the cursor of the next page or null.
 */
export const printPage = <Item>(terminal: Terminal, { item, columns, json }: PageLayout<Item>, body: unknown): void => {
  const { data, page } = z.object({ data: z.array(item), page: place }).parse(body);
  const { next_cursor: next } = page;
  if (json === true) {
    terminal.stdout.write(`${JSON.stringify({ items: data, next })}\n`);
    return;
  }
  const rows = data.map((one) => Object.values(columns).map((cell) => cell(one)));
  terminal.stdout.write(table(Object.keys(columns), rows, terminal.stdout.isTTY === true));
  if (next !== null) terminal.stderr.write(`More: --cursor ${next}\n`);
};
