import { CopyRefused } from "../../engine/copy-refused.ts";
import type { Connection } from "./connection.ts";

/** What a column holds, whatever its database calls the type. */
type ColumnKind = "integer" | "decimal" | "text" | "bytes";

export interface CopiedColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Whether a value may be longer than some hundred characters. */
  readonly isLong: boolean;
  /** Whether SQLite has it as bytes, although it is text: its store writes it so, and bytes never equal text there. */
  readonly isBytesOnSqlite: boolean;
}

export interface CopiedTable {
  readonly name: string;
  /** In the order of their names, which is the same in every database. Without computed ones. */
  readonly columns: readonly CopiedColumn[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly CopiedColumn[];
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
}

const queries = {
  sqlite: {
    tables: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    columns: "SELECT name, type FROM pragma_table_info(?)",
    key: "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
  },
  mysql: {
    tables:
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'",
    columns:
      "SELECT column_name AS name, data_type AS type FROM information_schema.columns " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND COALESCE(generation_expression, '') = ''",
    key:
      "SELECT column_name AS name FROM information_schema.statistics " +
      "WHERE table_schema = DATABASE() AND table_name = ? AND index_name = 'PRIMARY' ORDER BY seq_in_index",
  },
  postgres: {
    tables: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
    columns:
      "SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute " +
      "WHERE attrelid = to_regclass(quote_ident(?)) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''",
    key:
      "SELECT attname AS name FROM pg_index " +
      "CROSS JOIN LATERAL unnest(CAST(indkey AS smallint[])) WITH ORDINALITY AS part(number, place) " +
      "JOIN pg_attribute ON attrelid = indrelid AND attnum = number " +
      "WHERE indrelid = to_regclass(quote_ident(?)) AND indisprimary ORDER BY place",
  },
} as const;

/** The columns whose stores give bytes to every database, by table. */
const givenAsBytes: Readonly<Record<string, readonly string[]>> = {
  deprecated_call: ["deprecation", "client", "agent"],
  kept_answer: ["answer_key"],
  rate_limit: ["limit_key"],
};

/** A key on MySQL is bytes that hold text. */
const kindOf = (type: string): ColumnKind => {
  if (/int|^boolean$/i.test(type)) return "integer";
  if (/decimal|numeric/i.test(type)) return "decimal";
  return /blob|^bytea$/i.test(type) ? "bytes" : "text";
};

const byName = (left: { readonly name: string }, right: { readonly name: string }): number =>
  left.name < right.name ? -1 : 1;

export const tablesIn = async ({ rows, server }: Connection): Promise<readonly string[]> => {
  const found = await rows<{ name: string }>(queries[server].tables);
  return found.map(({ name }) => name);
};

/** `undefined` if the table has no primary key. */
export const foundTable = async ({ rows, server }: Connection, name: string): Promise<CopiedTable | undefined> => {
  const found = await rows<ColumnRow>(queries[server].columns, [name]);
  const columns = found
    .map((column) => ({
      name: column.name,
      kind: kindOf(column.type),
      isLong: /text|blob|^bytea$/i.test(column.type),
      isBytesOnSqlite: givenAsBytes[name]?.includes(column.name) === true,
    }))
    .toSorted(byName);
  const keyRows = await rows<{ name: string }>(queries[server].key, [name]);
  const key = keyRows.flatMap((part) => columns.filter((column) => column.name === part.name));
  return key.length === 0 ? undefined : { name, columns, key };
};

const describeTable = async (connection: Connection, name: string): Promise<CopiedTable> => {
  const table = await foundTable(connection, name);
  if (table === undefined) throw new CopyRefused("not_fitting", `the table ${name} has no primary key`);
  return table;
};

/** A table as both databases have it. */
export interface TablePair {
  readonly name: string;
  readonly from: CopiedTable;
  readonly to: CopiedTable;
}

const shapeOf = ({ columns, key }: CopiedTable): string =>
  [...columns.map(({ name, kind }) => `${name} ${kind}`), "key", ...key.map(({ name }) => name)].join(", ");

/**
 * The tables of these names in both databases.
 * @throws CopyRefused if a table or a column of one is missing in the other.
 */
export const tablePairs = async (
  from: Connection,
  to: Connection,
  names: readonly string[],
): Promise<readonly TablePair[]> => {
  const pairs: TablePair[] = [];
  for (const name of names) {
    const pair = { name, from: await describeTable(from, name), to: await describeTable(to, name) };
    const [was, is] = [shapeOf(pair.from), shapeOf(pair.to)];
    if (was !== is) {
      throw new CopyRefused("not_fitting", `the table ${name} differs: it has (${was}) there, and (${is}) here`);
    }
    pairs.push(pair);
  }
  return pairs;
};

export const countRows = async ({ rows }: Connection, table: string): Promise<number> => {
  const [counted] = await rows<{ count: number }>(`SELECT COUNT(*) AS count FROM \`${table}\``);
  return Number(counted?.count);
};

export const hasRows = async ({ rows }: Connection, table: string): Promise<boolean> =>
  (await rows(`SELECT 1 AS found FROM \`${table}\` LIMIT 1`)).length > 0;
