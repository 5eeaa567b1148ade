/** Column types as one kind of server spells them. Text is compared byte by byte, trailing blanks included, on all of them. */
export interface ColumnTypes {
  readonly server: "sqlite" | "mariadb" | "mysql";
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
  /** A text key compared as bytes and read back as bytes on MySQL. */
  readonly key: (maxBytes: number) => string;
  readonly longBytes: string;
  readonly bigint: string;
  readonly integer: string;
  /** A column that numbers its rows by itself; the primary key. */
  readonly serial: string;
  readonly tableOptions: string;
}

/**
 * One step of the schema's history. Statements are written out, never computed from today's definitions, and each can be run again after
 * a kill at any of them: MySQL commits every DDL statement by itself.
 */
export interface Migration {
  /** `NNNN-verb-noun`; the order of names is the order of steps. */
  readonly name: string;
  up(types: ColumnTypes): readonly string[];
  down(types: ColumnTypes): readonly string[];
}

export interface Index {
  readonly name: string;
  readonly columns: string;
  /** Leaves out rows that no query looks for. SQLite only; MySQL has no such indexes and keeps all rows. */
  readonly where?: string;
  readonly unique?: boolean;
}

/** A table and its indexes: inside the one statement on MySQL, where `CREATE INDEX` cannot be repeated. */
export const createTable = (
  { server, tableOptions }: ColumnTypes,
  table: string,
  columns: readonly string[],
  indexes: readonly Index[] = [],
): readonly string[] => {
  const inline =
    server === "sqlite"
      ? []
      : indexes.map(({ name, columns: on, unique: only }) => `${only ? "UNIQUE " : ""}KEY \`${name}\` (${on})`);
  const create = `CREATE TABLE IF NOT EXISTS \`${table}\` (\n  ${[...columns, ...inline].join(",\n  ")}\n)${tableOptions}`;
  if (server !== "sqlite") return [create];
  return [
    create,
    ...indexes.map(
      ({ name, columns: on, where, unique: only }) =>
        `CREATE ${only ? "UNIQUE " : ""}INDEX IF NOT EXISTS \`${table}_${name}\` ON \`${table}\` (${on})${where === undefined ? "" : ` WHERE ${where}`}`,
    ),
  ];
};

/** A unique column. Its index bears the column's name: that is how a violation is told from another on MySQL. */
export const unique = ({ server }: ColumnTypes, column: string): string =>
  server === "sqlite" ? `UNIQUE (\`${column}\`)` : `UNIQUE KEY \`${column}\` (\`${column}\`)`;
