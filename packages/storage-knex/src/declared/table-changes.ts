import { quoted } from "../database.ts";
import { type ColumnTypes, createTable } from "../migrations/migration.ts";
import { type FoundTable, reportedType } from "./found-table.ts";
import type { Column, TableIndex, TableShape } from "./table-shape.ts";

/** A change that can only add. */
export interface TableChange {
  readonly name: string;
  readonly statements: readonly string[];
}

/** A change that could lose or refuse data: what it is, and the statements that somebody who knows the data can start from. */
export interface RefusedChange {
  readonly problem: string;
  readonly byHand: readonly string[];
}

export interface TableChanges {
  readonly changes: readonly TableChange[];
  readonly refused: readonly RefusedChange[];
}

/** What has to be asked of the rows that are there. */
export interface TableFacts {
  readonly isEmpty: boolean;
  /** Columns in which a value stands more than once. */
  readonly repeating: ReadonlySet<string>;
}

const cascade = "ON DELETE CASCADE";

const definition = ({ name, type, nullable }: Column): string =>
  `\`${name}\` ${type} ${nullable ? "NULL" : "NOT NULL"}`;

const foreignKey = ({ name, references }: Column): string =>
  `FOREIGN KEY (\`${name}\`) REFERENCES \`${references}\` (\`id\`) ${cascade}`;

const createStatements = (
  types: ColumnTypes,
  { table, columns, indexes }: TableShape,
  withIndexes = true,
): readonly string[] =>
  createTable(
    types,
    table,
    [
      ...columns.map((column) => (column.name === "id" ? `${definition(column)} PRIMARY KEY` : definition(column))),
      ...columns.filter(({ references }) => references !== undefined).map(foreignKey),
    ],
    withIndexes ? indexes.map((index) => ({ ...index, columns: quoted(index.columns) })) : [],
  );

const createIndex = (types: ColumnTypes, table: string, { name, columns, unique }: TableIndex): string => {
  const kind = unique ? "UNIQUE INDEX" : "INDEX";
  return types.server === "sqlite"
    ? `CREATE ${kind} \`${table}_${name}\` ON \`${table}\` (${quoted(columns)})`
    : `ALTER TABLE \`${table}\` ADD ${kind} \`${name}\` (${quoted(columns)})`;
};

/** SQLite changes a column only by a new table: https://www.sqlite.org/lang_altertable.html, section 7. */
const rebuilt = (types: ColumnTypes, shape: TableShape, found: FoundTable): readonly string[] => {
  const { table, columns } = shape;
  const made = `${table}_new`;
  const kept = columns.map(({ name }) => (found.columns.has(name) ? `\`${name}\`` : `NULL /* a value for ${name} */`));
  return [
    "PRAGMA foreign_keys = OFF",
    ...createStatements(types, { ...shape, table: made }, false),
    `INSERT INTO \`${made}\` (${quoted(columns.map(({ name }) => name))}) SELECT ${kept.join(", ")} FROM \`${table}\``,
    `DROP TABLE \`${table}\``,
    `ALTER TABLE \`${made}\` RENAME TO \`${table}\``,
    ...shape.indexes.map((index) => createIndex(types, table, index)),
    "PRAGMA foreign_keys = ON",
  ];
};

/** What brings a table that is there to the shape that is declared. */
export const extendedTable = (
  types: ColumnTypes,
  shape: TableShape,
  found: FoundTable,
  facts: TableFacts,
): TableChanges => {
  const { table } = shape;
  const sqlite = types.server === "sqlite";
  const alter = `ALTER TABLE \`${table}\``;
  const changes: TableChange[] = [];
  const refused: RefusedChange[] = [];
  const change = (name: string, ...statements: string[]): void =>
    void changes.push({ name: `${table}: ${name}`, statements });
  const refuse = (problem: string, byHand: readonly string[]): void =>
    void refused.push({ problem: `${table}: ${problem}`, byHand: sqlite ? rebuilt(types, shape, found) : byHand });

  const added = shape.columns.filter(({ name }) => !found.columns.has(name));
  // SQLite adds no column that is needed and has no default, not even where there is no row to need it.
  if (sqlite && facts.isEmpty && added.some((column) => !column.nullable && column.default === undefined)) {
    return {
      changes: [
        {
          name: `${table}: create anew, as it is empty`,
          statements: [`DROP TABLE \`${table}\``, ...createStatements(types, shape)],
        },
      ],
      refused,
    };
  }
  for (const column of added) {
    const reference =
      sqlite && column.references !== undefined ? ` REFERENCES \`${column.references}\` (\`id\`) ${cascade}` : "";
    if (column.nullable) change(`add ${column.name}`, `${alter} ADD COLUMN ${definition(column)}${reference}`);
    else if (column.default !== undefined)
      change(`add ${column.name}`, `${alter} ADD COLUMN ${definition(column)} DEFAULT ${column.default}`);
    else if (facts.isEmpty) change(`add ${column.name}`, `${alter} ADD COLUMN ${definition(column)}`);
    else {
      refuse(
        `the rows that are there have no value for the new field "${column.name}"; give it a default, or make it nullable`,
        [
          `${alter} ADD COLUMN ${definition({ ...column, nullable: true })}`,
          `UPDATE \`${table}\` SET \`${column.name}\` = /* a value */ NULL`,
          `${alter} MODIFY COLUMN ${definition(column)}`,
        ],
      );
    }
  }
  for (const column of shape.columns) {
    const present = found.columns.get(column.name);
    if (present === undefined) continue;
    const modify = [`${alter} MODIFY COLUMN ${definition(column)}`];
    const wanted = reportedType(column.type);
    if (present.type !== wanted) refuse(`"${column.name}" is ${present.type} and would become ${wanted}`, modify);
    else if (present.nullable !== column.nullable) {
      refuse(
        `"${column.name}" ${present.nullable ? "can be empty and would have to have a value" : "always has a value and could then be empty"}`,
        modify,
      );
    }
    if (present.references !== undefined && present.references !== column.references) {
      refuse(`"${column.name}" refers to ${present.references} and would refer to ${column.references ?? "nothing"}`, [
        `${alter} DROP FOREIGN KEY /* its name, which SHOW CREATE TABLE says */`,
      ]);
    }
  }
  for (const name of found.columns.keys()) {
    if (shape.columns.some((column) => column.name === name)) continue;
    refuse(`it has a column "${name}", which is not declared (any more)`, [`${alter} DROP COLUMN \`${name}\``]);
  }
  const same =
    (left: { columns: readonly string[]; unique: boolean }) =>
    (right: { columns: readonly string[]; unique: boolean }) =>
      left.unique === right.unique && left.columns.join() === right.columns.join();
  for (const index of shape.indexes.filter((wanted) => !found.indexes.some(same(wanted)))) {
    const statement = createIndex(types, table, index);
    const [column = ""] = index.columns;
    if (index.unique && facts.repeating.has(column)) {
      refused.push({
        problem: `${table}: "${column}" would have to be unique, and has values that stand there more than once`,
        byHand: [
          `SELECT \`${column}\`, COUNT(*) FROM \`${table}\` WHERE \`${column}\` IS NOT NULL GROUP BY \`${column}\` HAVING COUNT(*) > 1`,
          statement,
        ],
      });
    } else change(`index ${index.columns.join(", ")}${index.unique ? ", unique" : ""}`, statement);
  }
  for (const index of found.indexes.filter(({ unique }) => unique)) {
    if (shape.indexes.some(same(index))) continue;
    const name = index.columns.join(", ");
    refuse(`"${name}" is unique and would no longer be`, [`${alter} DROP INDEX \`${index.name}\``]);
  }
  if (!sqlite) {
    for (const column of shape.columns) {
      if (column.references === undefined || found.columns.get(column.name)?.references !== undefined) continue;
      change(`${column.name} refers to ${column.references}`, `${alter} ADD ${foreignKey(column)}`);
    }
  } else {
    for (const column of shape.columns) {
      const present = found.columns.get(column.name);
      if (present === undefined || present.references !== undefined || column.references === undefined) continue;
      refuse(`"${column.name}" refers to nothing and would refer to ${column.references}`, []);
    }
  }
  return { changes, refused };
};

export const newTable = (types: ColumnTypes, shape: TableShape): TableChanges => ({
  changes: [{ name: `${shape.table}: create`, statements: createStatements(types, shape) }],
  refused: [],
});
