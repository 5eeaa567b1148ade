import type { Knex } from "knex";
import type { ColumnTypes } from "../migrations/migration.ts";

/** A table as the database has it. */
export interface FoundTable {
  readonly columns: ReadonlyMap<
    string,
    { readonly type: string; readonly nullable: boolean; readonly references: string | undefined }
  >;
  /** Without the primary key. */
  readonly indexes: readonly { readonly name: string; readonly columns: readonly string[]; readonly unique: boolean }[];
}

/** A column's type in the spelling that databases report it in, however it stood in the statement that made it. */
export const reportedType = (type: string): string => {
  const [, name = "", collation] = /^(.*?)(?: CHARACTER SET \S+ COLLATE (\S+))?$/i.exec(type) ?? [];
  const plain = name.toLowerCase().replace(/^((?:tiny|big)?int)\(\d+\)/, "$1");
  return collation === undefined ? plain : `${plain} ${collation.toLowerCase()}`;
};

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly nullable: number;
}
interface IndexRow {
  readonly name: string;
  readonly column: string;
  readonly is_unique: number;
}
interface ReferenceRow {
  readonly column: string;
  readonly target: string;
}

const queries = {
  sqlite: {
    columns: "SELECT name, type, NOT `notnull` AS nullable FROM pragma_table_info(?)",
    indexes:
      "SELECT list.name AS name, info.name AS `column`, list.`unique` AS is_unique FROM pragma_index_list(?) AS list " +
      "JOIN pragma_index_info(list.name) AS info WHERE list.origin <> 'pk' ORDER BY list.name, info.seqno",
    references: "SELECT `from` AS `column`, `table` AS target FROM pragma_foreign_key_list(?)",
  },
  mysql: {
    columns:
      "SELECT column_name AS name, CONCAT(column_type, IF(collation_name IS NULL, '', CONCAT(' CHARACTER SET x COLLATE ', collation_name))) AS type, " +
      "is_nullable = 'YES' AS nullable FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?",
    indexes:
      "SELECT index_name AS name, column_name AS `column`, 1 - non_unique AS is_unique FROM information_schema.statistics " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND index_name <> 'PRIMARY' ORDER BY index_name, seq_in_index",
    references:
      "SELECT column_name AS `column`, referenced_table_name AS target FROM information_schema.key_column_usage " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND referenced_table_name IS NOT NULL",
  },
};

/** Rows of a raw query, which drivers wrap differently. */
export const rowsOf = async <Row>(
  knex: Knex,
  server: ColumnTypes["server"],
  sql: string,
  values: readonly string[] = [],
): Promise<Row[]> => {
  const answer: unknown = await knex.raw(sql, [...values]);
  // What a driver answers follows from the statement, which the caller wrote.
  return (server === "sqlite" ? answer : (answer as unknown[])[0]) as Row[];
};

/** `undefined` when there is no such table. */
export const findTable = async (
  knex: Knex,
  { server }: ColumnTypes,
  table: string,
): Promise<FoundTable | undefined> => {
  const { columns, indexes, references } = queries[server === "sqlite" ? "sqlite" : "mysql"];
  const found = await rowsOf<ColumnRow>(knex, server, columns, [table]);
  if (found.length === 0) return undefined;
  const targets = new Map<string, string>();
  for (const { column, target } of await rowsOf<ReferenceRow>(knex, server, references, [table]))
    targets.set(column, target);
  const byName = new Map<string, { name: string; columns: string[]; unique: boolean }>();
  for (const { name, column, is_unique } of await rowsOf<IndexRow>(knex, server, indexes, [table])) {
    const index = byName.get(name) ?? { name, columns: [], unique: Number(is_unique) === 1 };
    byName.set(name, index);
    index.columns.push(column);
  }
  return {
    columns: new Map(
      found.map(({ name, type, nullable }) => [
        name,
        { type: reportedType(type), nullable: Number(nullable) === 1, references: targets.get(name) },
      ]),
    ),
    indexes: [...byName.values()],
  };
};
