import type { Command } from "commander";

type Query = Readonly<Record<string, string>>;

/**
 * The filters of a list in the API's spelling, without those that have no value. An operator
 * follows the field: `at][gte`.
 */
export const filtersOf = (values: Readonly<Record<string, string | undefined>>): Query =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[`filter[${name}]`, value]])),
  );

/** The values of the options that say which page of a list. */
export interface PageOptions {
  readonly limit?: string;
  readonly cursor?: string;
}

/** Adds the options that say which page of a list. */
export const withPage = (command: Command): Command =>
  command.option("--limit <n>", "1 to 100", "20").option("--cursor <cursor>", "where the page begins");

/** The same in the API's spelling. */
export const pageOf = ({ limit, cursor }: PageOptions): Query => ({
  ...(limit === undefined ? {} : { limit }),
  ...(cursor === undefined ? {} : { cursor }),
});
