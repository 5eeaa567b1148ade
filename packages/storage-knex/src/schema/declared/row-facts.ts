import type { Knex } from "knex";
import type { ColumnTypes } from "../migrations/migration.ts";

/**
 * Questions about the rows of a table before it is changed. Columns are named by their new names; `nameNow`
 * tells the present name of a column in the database.
 */
export const rowsOfTable =
  (knex: Knex, { server }: ColumnTypes, table: string) =>
  (nameNow: (column: string) => string) => {
    const rows = () => knex(table);
    const counted = async (some: Knex.QueryBuilder): Promise<number> => {
      const [row]: readonly { readonly rows?: number | string }[] = await some.count({ rows: "*" });
      return Number(row?.rows ?? 0);
    };
    return {
      isEmpty: async (): Promise<boolean> => (await rows().select(knex.raw("1")).limit(1)).length === 0,
      /** Rows without a value in the column. */
      countEmpty: (column: string) => counted(rows().whereNull(nameNow(column))),
      /** Rows with a value in the column. */
      countFilled: (column: string) => counted(rows().whereNotNull(nameNow(column))),
      /** Rows in which a text has more characters. */
      countLonger: (column: string, length: number) => {
        const characters = server === "sqlite" ? "length(??)" : "char_length(??)";
        return counted(rows().whereRaw(`${characters} > ?`, [nameNow(column), length]));
      },
      /** Rows whose value in the column is not the id of a row in the other table. */
      countDangling: (column: string, target: string) =>
        counted(rows().whereNotNull(nameNow(column)).whereNotIn(nameNow(column), knex(target).select("id"))),
      /** How many values the column has more than once. */
      countRepeated: (column: string) => {
        const name = nameNow(column);
        const repeated = rows().select(name).whereNotNull(name).groupBy(name).havingRaw("count(*) > 1");
        return counted(knex.from(repeated.as("repeated")));
      },
      /**
       * The values in the column other than these, with their number of rows, most frequent first; at
       * most 20 values.
       */
      otherValues: async (column: string, known: readonly string[]) => {
        const name = nameNow(column);
        const others = rows()
          .select({ value: name })
          .count({ rows: "*" })
          .whereNotIn(name, [...known]);
        const found: readonly { readonly value?: unknown; readonly rows?: unknown }[] = await others
          .groupBy(name)
          .orderBy("rows", "desc")
          .limit(20);
        return found.map((one) => ({ value: String(one.value), rows: Number(one.rows) }));
      },
    };
  };

export type LookAtRows = ReturnType<typeof rowsOfTable>;
export type RowFacts = ReturnType<LookAtRows>;

/** A table that does not exist yet. */
export const noRows: LookAtRows = () => ({
  isEmpty: async () => true,
  countEmpty: async () => 0,
  countFilled: async () => 0,
  countLonger: async () => 0,
  countDangling: async () => 0,
  countRepeated: async () => 0,
  otherValues: async () => [],
});
