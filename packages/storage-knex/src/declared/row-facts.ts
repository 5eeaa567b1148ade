import type { Knex } from "knex";
import type { ColumnTypes } from "../migrations/migration.ts";

/**
 * Questions about the rows of a table before it is changed. Columns are named by their new names.
 */
export interface RowFacts {
  isEmpty(): Promise<boolean>;
  /** Rows without a value in the column. */
  countEmpty(column: string): Promise<number>;
  /** Rows with a value in the column. */
  countFilled(column: string): Promise<number>;
  /** Rows in which a text has more characters. */
  countLonger(column: string, length: number): Promise<number>;
  /** Rows whose value in the column is not the id of a row in the other table. */
  countDangling(column: string, table: string): Promise<number>;
  /** How many values the column has more than once. */
  countRepeated(column: string): Promise<number>;
  /**
   * The values in the column other than these, with their number of rows, most frequent first; at
   * most 20 values.
   */
  otherValues(
    column: string,
    known: readonly string[],
  ): Promise<readonly { readonly value: string; readonly rows: number }[]>;
}

/** `nameNow` tells the present name of a column in the database. */
export type LookAtRows = (nameNow: (column: string) => string) => RowFacts;

export const rowsOfTable =
  (knex: Knex, { server }: ColumnTypes, table: string): LookAtRows =>
  (nameNow) => {
    const counted = async (rows: Knex.QueryBuilder): Promise<number> => {
      const [row]: readonly { readonly rows?: number | string }[] = await rows.count({ rows: "*" });
      return Number(row?.rows ?? 0);
    };
    return {
      isEmpty: async () => (await knex(table).select(knex.raw("1")).limit(1)).length === 0,
      countEmpty: (column) => counted(knex(table).whereNull(nameNow(column))),
      countFilled: (column) => counted(knex(table).whereNotNull(nameNow(column))),
      countLonger: (column, length) => {
        const characters = server === "sqlite" ? "length(??)" : "char_length(??)";
        return counted(knex(table).whereRaw(`${characters} > ?`, [nameNow(column), length]));
      },
      countDangling: (column, target) =>
        counted(knex(table).whereNotNull(nameNow(column)).whereNotIn(nameNow(column), knex(target).select("id"))),
      countRepeated: (column) => {
        const name = nameNow(column);
        const repeated = knex(table).select(name).whereNotNull(name).groupBy(name).havingRaw("count(*) > 1");
        return counted(knex.from(repeated.as("repeated")));
      },
      otherValues: async (column, known) => {
        const name = nameNow(column);
        const others = knex(table)
          .select({ value: name })
          .count({ rows: "*" })
          .whereNotIn(name, [...known]);
        const found: readonly { readonly value?: unknown; readonly rows?: unknown }[] = await others
          .groupBy(name)
          .orderBy("rows", "desc")
          .limit(20);
        return found.map(({ value, rows }) => ({ value: String(value), rows: Number(rows) }));
      },
    };
  };
