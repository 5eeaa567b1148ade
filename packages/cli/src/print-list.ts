import type { Command } from "commander";
import { z } from "zod";
import { printTable } from "./table.ts";
import { CommandError, exitCodes, type Terminal } from "./terminal.ts";

/** The value of each column, by its heading. */
export type Columns<Item> = Readonly<Record<string, (item: Item) => unknown>>;

/** The values of the options that say how a list is printed. */
export interface ListOutput {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly fields?: string;
}

/**
 * Adds the options that say how a list is printed.
 * @param document The members of the document that `--json` prints.
 */
export const withListOutput = (command: Command, document = "{ items, next }"): Command =>
  command
    .option("--json", `print ${document} as JSON`)
    .option("--jsonl", "print one JSON object a line")
    .option("--fields <names>", "only these fields, with commas between: id,state");

interface List<Item> {
  readonly items: readonly Item[];
  readonly columns: Columns<Item>;
  /** What `--json` says beside the items. */
  readonly more?: object;
}

const namesIn = (fields: string): readonly string[] => fields.split(",").map((name) => name.trim());

/** The item with these fields only. @throws CommandError for a field that no item has. */
const pick = (items: readonly object[], names: readonly string[]): readonly Readonly<Record<string, unknown>>[] => {
  const known = new Set(items.flatMap(Object.keys));
  const [unknown] = names.filter((name) => !known.has(name));
  if (items.length > 0 && unknown !== undefined)
    throw new CommandError(
      exitCodes.usage,
      `--fields: there is no field "${unknown}"; there are ${[...known].join(", ")}.`,
    );
  return items.map((item) => {
    const values = new Map(Object.entries(item));
    return Object.fromEntries(names.map((name) => [name, values.get(name) ?? null]));
  });
};

/**
 * Prints a list as its options say: a table, one JSON document, or a JSON object a line.
 * @returns Whether it was for a person, who may want to know how to go on.
 * @throws CommandError for a field that no item has.
 */
export const printList = <Item extends object>(
  terminal: Terminal,
  { json, jsonl, fields }: ListOutput,
  { items, columns, more = {} }: List<Item>,
): boolean => {
  const names = fields === undefined ? undefined : namesIn(fields);
  const picked = names === undefined ? items : pick(items, names);
  if (json === true) {
    terminal.stdout.write(`${JSON.stringify({ items: picked, ...more })}\n`);
    return false;
  }
  if (jsonl === true) {
    for (const item of picked) terminal.stdout.write(`${JSON.stringify(item)}\n`);
    return true;
  }
  if (names === undefined)
    printTable(
      terminal,
      Object.keys(columns),
      items.map((item) => Object.values(columns).map((column) => column(item))),
    );
  else printTable(terminal, names, picked.map(Object.values));
  return true;
};

const place = z.object({ next_cursor: z.string().nullable() });

/** How the items of a page look. */
export interface PageLayout<Item> {
  readonly item: z.ZodType<Item>;
  readonly columns: Columns<Item>;
}

/**
 * Prints one page of a list, and on stderr the option for the next page. With `--json`, `next` is
 * the cursor of the next page or null.
 * @throws CommandError for a field that no item has.
 */
export const printPage = <Item extends object>(
  terminal: Terminal,
  output: ListOutput,
  { item, columns }: PageLayout<Item>,
  body: unknown,
): void => {
  const { data, page } = z.object({ data: z.array(item), page: place }).parse(body);
  const { next_cursor: next } = page;
  const tellsMore = printList(terminal, output, { items: data, columns, more: { next } });
  if (tellsMore && next !== null) terminal.stderr.write(`More: --cursor ${next}\n`);
};
