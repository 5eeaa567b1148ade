/**
 * Column types in the spelling of one kind of server. All of them compare text byte by byte,
 * trailing blanks included.
 */
export interface ColumnTypes {
  readonly server: "sqlite" | "mariadb" | "mysql" | "postgres";
  /** A statement with names in backticks, as the server reads it. */
  readonly spelled: (sql: string) => string;
  /** Whether an index may hold some rows only, is made by a statement of its own, and has a name that no other table uses. */
  readonly hasPartialIndexes: boolean;
  /** A UUID in its one spelling. */
  readonly id: string;
  /** RFC 3339 with three decimals. */
  readonly moment: string;
  readonly text: (maxLength: number) => string;
  readonly ascii: (maxLength: number) => string;
  readonly longText: string;
  /** A JSON object as text. */
  readonly json: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly decimal: (digits: number, decimals: number) => string;
  /** 1 or 0. */
  readonly boolean: string;
  /** A text key compared as bytes, and read back as bytes on MySQL. */
  readonly key: (maxBytes: number) => string;
  readonly longBytes: string;
  readonly bigint: string;
  readonly integer: string;
  /** A primary key that numbers its rows automatically. */
  readonly serial: string;
  readonly tableOptions: string;
}

/**
 * A statement that adds columns to a table. It is left out if the column exists already, because
 * only MariaDB could repeat it.
 */
export interface Addition {
  readonly sql: string;
  readonly table: string;
  readonly column: string;
}

/**
 * A statement that drops indexes of a table. It is left out if the first of them is already gone,
 * because only MariaDB could repeat it.
 */
export interface Removal {
  readonly sql: string;
  readonly table: string;
  readonly index: string;
}

/**
 * A statement that adds an index to a table. It is left out if the index exists already, because
 * only MariaDB could repeat it.
 */
export interface IndexAddition {
  readonly sql: string;
  readonly table: string;
  readonly newIndex: string;
}

export type Step = string | Addition | IndexAddition | Removal;

export const sqlOf = (statement: Step): string => (typeof statement === "string" ? statement : statement.sql);

/**
 * The parts of the product that have tables. Every server has the part `always`: jobs, runners,
 * rate limits, the audit log and others. You can leave the other parts out; they then have no
 * tables.
 */
export const storageParts = ["users", "posts", "inbox"] as const;
export type StoragePart = (typeof storageParts)[number];

/**
 * One step of the schema's history. Statements are written out, never computed from today's
 * definitions, and each can be run again after a kill at any of them, because MySQL commits every
 * DDL statement on its own.
 */
export interface Migration {
  /** `NNNN-verb-noun`. */
  readonly name: string;
  readonly part: StoragePart | "always";
  /** The tables that it creates. */
  readonly tables?: readonly string[];
  up(types: ColumnTypes): readonly Step[];
  down(types: ColumnTypes): readonly string[];
}

export interface Index {
  readonly name: string;
  readonly columns: string;
  /**
   * Leaves out rows that no query needs. MySQL has no such indexes and indexes all rows.
   */
  readonly where?: string;
  readonly unique?: boolean;
}

/**
 * A table and its indexes. On MySQL they are in one statement, because `CREATE INDEX` cannot be
 * repeated there.
 */
export const createTable = (
  { hasPartialIndexes, tableOptions }: ColumnTypes,
  table: string,
  columns: readonly string[],
  indexes: readonly Index[] = [],
): readonly string[] => {
  const inline = hasPartialIndexes ? [] : indexes.map(inlineKey);
  const create = `CREATE TABLE IF NOT EXISTS \`${table}\` (\n  ${[...columns, ...inline].join(",\n  ")}\n)${tableOptions}`;
  if (!hasPartialIndexes) return [create];
  return [create, ...indexes.map((index) => createIndex(table, index))];
};

/** Adds a column with its indexes. On MySQL they are in the same statement. */
export const addColumn = (
  { hasPartialIndexes }: ColumnTypes,
  table: string,
  column: { readonly name: string; readonly type: string },
  indexes: readonly Index[] = [],
): readonly (string | Addition)[] => {
  const added = `ALTER TABLE \`${table}\` ADD COLUMN \`${column.name}\` ${column.type}`;
  if (hasPartialIndexes) {
    return [{ sql: added, table, column: column.name }, ...indexes.map((index) => createIndex(table, index))];
  }
  const keys = indexes.map((index) => `, ADD ${inlineKey(index)}`).join("");
  return [{ sql: added + keys, table, column: column.name }];
};

const inlineKey = ({ name, columns, unique: only }: Index): string =>
  `${only ? "UNIQUE " : ""}KEY \`${name}\` (${columns})`;

/** Drops indexes of a table by the names that `createTable` got. */
export const dropIndexes = (
  { hasPartialIndexes }: ColumnTypes,
  table: string,
  names: readonly string[],
): readonly Step[] => {
  if (hasPartialIndexes) return names.map((name) => `DROP INDEX IF EXISTS \`${table}_${name}\``);
  const [index = ""] = names;
  return [{ sql: `ALTER TABLE \`${table}\` ${names.map((name) => `DROP KEY \`${name}\``).join(", ")}`, table, index }];
};

/** Adds indexes to an existing table. */
export const addIndexes = (
  { hasPartialIndexes }: ColumnTypes,
  table: string,
  indexes: readonly Index[],
): readonly string[] =>
  hasPartialIndexes
    ? indexes.map((index) => createIndex(table, index))
    : [`ALTER TABLE \`${table}\` ${indexes.map((index) => `ADD ${inlineKey(index)}`).join(", ")}`];

/** Both directions of a step that only MySQL needs. */
export const onlyOnMysql = (steps: {
  readonly up: readonly Step[];
  readonly down: readonly string[];
}): Pick<Migration, "up" | "down"> => ({
  up: ({ hasPartialIndexes }) => (hasPartialIndexes ? [] : steps.up),
  down: ({ hasPartialIndexes }) => (hasPartialIndexes ? [] : steps.down),
});

/** Adds an index to an existing table on MySQL. The step can run again after a kill. */
export const addKey = (table: string, name: string, columns: string): IndexAddition => ({
  sql: `ALTER TABLE \`${table}\` ADD KEY \`${name}\` (${columns})`,
  table,
  newIndex: name,
});

/** Drops an index on MySQL. The step can run again after a kill. */
export const dropKey = (table: string, name: string): Removal => ({
  sql: `ALTER TABLE \`${table}\` DROP KEY \`${name}\``,
  table,
  index: name,
});

/** SQLite and PostgreSQL only. */
const createIndex = (table: string, { name, columns, where, unique: only }: Index): string =>
  `CREATE ${only ? "UNIQUE " : ""}INDEX IF NOT EXISTS \`${table}_${name}\` ON \`${table}\` (${columns})${where === undefined ? "" : ` WHERE ${where}`}`;

/**
 * A unique column. Its index has the name of the column, because MySQL names the index when a value
 * is taken.
 */
export const unique = ({ hasPartialIndexes }: ColumnTypes, column: string): string =>
  hasPartialIndexes ? `UNIQUE (\`${column}\`)` : `UNIQUE KEY \`${column}\` (\`${column}\`)`;
