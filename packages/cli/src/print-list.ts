import type { Command } from "commander";
import { addAction } from "./actions.ts";
import { type PageOptions, pageOf, withPage } from "./list-query.ts";
import type { AnswerOf, OperationCall, OperationId, Operations, PathOf } from "./operations.ts";
import { printTable } from "./table.ts";
import { CommandError, exitCodes, type Terminal } from "./terminal.ts";

/** The value of each column, by its heading: a member of the item, or what is made of it. */
export type Columns<Item> = Readonly<Record<string, (keyof Item & string) | ((item: Item) => unknown)>>;

/** An item of the list that an operation answers. */
export type ItemOf<Id extends OperationId> =
  AnswerOf<Id> extends { readonly data: readonly (infer Item)[] } ? Item : never;

/** What a column says of an item; nothing if an older server has not answered what it is made of. */
const valueIn = <Item>(item: Item, column: Columns<Item>[string]): unknown => {
  if (typeof column === "string") return item[column];
  try {
    return column(item);
  } catch (thrown) {
    if (thrown instanceof TypeError) return undefined;
    throw thrown;
  }
};

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
      items.map((item) => Object.values(columns).map((column) => valueIn(item, column))),
    );
  else printTable(terminal, names, picked.map(Object.values));
  return true;
};

interface Page<Item> {
  readonly data: readonly Item[];
  readonly page: { readonly next_cursor: string | null };
}

/**
 * Prints one page of a list, and on stderr the option for the next page. With `--json`, `next` is
 * the cursor of the next page or null.
 * @throws CommandError for a field that no item has.
 */
const printPage = <Item extends object>(
  terminal: Terminal,
  output: ListOutput,
  columns: Columns<Item>,
  { data, page: { next_cursor: next } }: Page<Item>,
): void => {
  const tellsMore = printList(terminal, output, { items: data, columns, more: { next } });
  if (tellsMore && next !== null) terminal.stderr.write(`More: --cursor ${next}\n`);
};

/** Makes a command print the whole of a list. */
export const addList = <Item extends object, Given extends readonly unknown[]>(
  command: Command,
  terminal: Terminal,
  columns: Columns<Item>,
  read: (operations: Operations, ...given: Given) => Promise<readonly Item[]>,
): void =>
  addAction(withListOutput(command, "{ items }"), terminal, async (operations, ...given: Given) => {
    printList(terminal, command.opts(), { items: await read(operations, ...given), columns });
  });

/** What a command lists. */
interface Listed<Id extends OperationId, Options> {
  readonly operation: Id;
  /** Of whom the list is, if its path says it. */
  readonly params?: (options: Options, operations: Operations) => Promise<PathOf<Id>>;
  readonly columns: Columns<ItemOf<Id>>;
  /** The filters that the command's options ask for. */
  readonly filters?: (
    options: Options,
    operations: Operations,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
}

/** Makes a command print the first page of a list, or the one that its options say. */
export const addPage = <Id extends OperationId, Options = object>(
  command: Command,
  terminal: Terminal,
  { operation, columns, params, filters = () => ({}) }: Listed<Id, Options>,
): void =>
  addAction(withListOutput(command), terminal, async (operations, options: Options & PageOptions & ListOutput) => {
    const query = { ...pageOf(options), ...(await filters(options, operations)) };
    const path = params === undefined ? {} : { params: await params(options, operations) };
    const call: OperationCall<Id> = { operation, query, ...path };
    // The answer of every list is a page; the compiler does not know it of an operation that it does not know.
    printPage(terminal, options, columns as Columns<object>, (await operations.run(call)) as unknown as Page<object>);
  });

/** Makes a command print pages of a list. */
export const addPages = <Id extends OperationId, Options = object>(
  command: Command,
  terminal: Terminal,
  listed: Listed<Id, Options>,
): void => addPage(withPage(command), terminal, listed);
