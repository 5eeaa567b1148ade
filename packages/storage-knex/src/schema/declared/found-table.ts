import type { Knex } from "knex";
import type { Value } from "../../engine/session.ts";
import type { ColumnTypes } from "../migrations/migration.ts";
import type { IndexColumn } from "./table-shape.ts";

export interface FoundColumn {
  /** In the spelling of `reportedType`. */
  readonly type: string;
  readonly nullable: boolean;
  /** The table it refers to. */
  readonly references: string | undefined;
  /** The name of the foreign key; absent on SQLite, where foreign keys have no names. */
  readonly constraint: string | undefined;
}

export interface FoundIndex {
  readonly name: string;
  readonly columns: readonly IndexColumn[];
  readonly unique: boolean;
  /** The statement that made it, on SQLite. */
  readonly sql: string | undefined;
}

/** A table as it exists in the database. */
export interface FoundTable {
  readonly columns: ReadonlyMap<string, FoundColumn>;
  /** Without the primary key. */
  readonly indexes: readonly FoundIndex[];
  /** The statements that made its triggers, on SQLite. */
  readonly triggers: readonly string[];
}

/**
 * A column's type as databases report it, however the statement that made the column spelled it.
 */
export const reportedType = (type: string): string => {
  const [, name = "", collation] = /^(.*?)(?: CHARACTER SET \S+ COLLATE (\S+))?$/i.exec(type) ?? [];
  const plain = name
    .toLowerCase()
    .replace(/ collate "c"$/, "")
    .replace(/^((?:tiny|big)?int)\(\d+\)/, "$1");
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
  readonly descending: number;
  readonly sql: string | null;
}
interface ReferenceRow {
  readonly column: string;
  readonly target: string;
  readonly constraint: string | null;
}

/**
 * Written by hand, because Knex's `columnInfo()` reports no collations, and Knex reports no
 * indexes.
 */
const queries = {
  sqlite: {
    columns: "SELECT name, type, NOT `notnull` AS nullable FROM pragma_table_info(?)",
    indexes:
      "SELECT list.name AS name, info.name AS `column`, list.`unique` AS is_unique, info.`desc` AS descending, made.sql AS sql " +
      "FROM pragma_index_list(?) AS list JOIN pragma_index_xinfo(list.name) AS info " +
      "LEFT JOIN sqlite_master AS made ON made.type = 'index' AND made.name = list.name " +
      "WHERE list.origin <> 'pk' AND info.`key` = 1 ORDER BY list.name, info.seqno",
    references: "SELECT `from` AS `column`, `table` AS target, NULL AS `constraint` FROM pragma_foreign_key_list(?)",
  },
  mysql: {
    columns:
      "SELECT column_name AS name, CONCAT(column_type, IF(collation_name IS NULL, '', CONCAT(' CHARACTER SET x COLLATE ', collation_name))) AS type, " +
      "is_nullable = 'YES' AS nullable FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?",
    indexes:
      "SELECT index_name AS name, column_name AS `column`, 1 - non_unique AS is_unique, COALESCE(collation = 'D', 0) AS descending, NULL AS `sql` " +
      "FROM information_schema.statistics " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND index_name <> 'PRIMARY' ORDER BY index_name, seq_in_index",
    references:
      "SELECT column_name AS `column`, referenced_table_name AS target, constraint_name AS `constraint` FROM information_schema.key_column_usage " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND referenced_table_name IS NOT NULL",
  },
  postgres: {
    columns:
      "SELECT attname AS name, replace(replace(format_type(atttypid, atttypmod), 'character varying', 'varchar'), 'numeric', 'decimal') AS type, " +
      "NOT attnotnull AS nullable FROM pg_attribute " +
      "WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
    indexes:
      "SELECT named.relname AS name, attname AS `column`, indisunique AS is_unique, indoption[place - 1] & 1 AS descending, NULL AS sql " +
      "FROM pg_index JOIN pg_class AS named ON named.oid = indexrelid " +
      "CROSS JOIN LATERAL unnest(CAST(indkey AS smallint[])) WITH ORDINALITY AS part(number, place) " +
      "JOIN pg_attribute ON attrelid = indrelid AND attnum = number " +
      "WHERE indrelid = to_regclass(quote_ident(?)) AND NOT indisprimary ORDER BY named.relname, place",
    references:
      "SELECT attname AS `column`, target.relname AS target, conname AS `constraint` FROM pg_constraint " +
      "JOIN pg_class AS target ON target.oid = confrelid " +
      "JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1] " +
      "WHERE contype = 'f' AND conrelid = to_regclass(quote_ident(?))",
  },
};

/** The catalogue that describes the tables of each server. */
const catalogues = {
  sqlite: "sqlite",
  mariadb: "mysql",
  mysql: "mysql",
  postgres: "postgres",
} as const satisfies Readonly<Record<ColumnTypes["server"], keyof typeof queries>>;

/** Rows of a raw query, which drivers wrap differently. */
export const rowsOf = async <Row>(
  knex: Knex,
  server: ColumnTypes["server"],
  sql: string,
  values: readonly Value[] = [],
): Promise<Row[]> => {
  const answer: unknown = await knex.raw(sql, values as readonly Knex.RawBinding[] /* drivers take every `Value` */);
  // The caller wrote the statement, so it knows the form of the driver's answer.
  if (server === "postgres") return (answer as { readonly rows: Row[] }).rows;
  return (server === "sqlite" ? answer : (answer as unknown[])[0]) as Row[];
};

/** `undefined` when there is no such table. */
export const findTable = async (
  knex: Knex,
  { server }: ColumnTypes,
  table: string,
): Promise<FoundTable | undefined> => {
  const { columns, indexes, references } = queries[catalogues[server]];
  const found = await rowsOf<ColumnRow>(knex, server, columns, [table]);
  if (found.length === 0) return undefined;
  const targets = new Map<string, ReferenceRow>();
  for (const reference of await rowsOf<ReferenceRow>(knex, server, references, [table]))
    targets.set(reference.column, reference);
  const byName = new Map<string, Omit<FoundIndex, "columns"> & { readonly columns: IndexColumn[] }>();
  for (const { name, column, is_unique, descending, sql } of await rowsOf<IndexRow>(knex, server, indexes, [table])) {
    const index = byName.get(name) ?? { name, columns: [], unique: Number(is_unique) === 1, sql: sql ?? undefined };
    byName.set(name, index);
    index.columns.push({ name: column, descending: Number(descending) === 1 });
  }
  const triggers =
    server === "sqlite" ? await knex("sqlite_master").select("sql").where({ type: "trigger", tbl_name: table }) : [];
  return {
    columns: new Map(
      found.map(({ name, type, nullable }) => [
        name,
        {
          type: reportedType(type),
          nullable: Number(nullable) === 1,
          references: targets.get(name)?.target,
          constraint: targets.get(name)?.constraint ?? undefined,
        },
      ]),
    ),
    indexes: [...byName.values()],
    triggers: triggers.map(({ sql }) => String(sql)),
  };
};
