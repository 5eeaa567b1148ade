import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { type QueryBuilder, queryBuilder } from "../../engine/query-builder.ts";
import type { ColumnTypes } from "../migrations/migration.ts";
import type { FoundTable } from "./found-table.ts";
import { type Column, columnsText, type TableIndex, type TableShape } from "./table-shape.ts";

const [sqlite, mysql, postgres] = [queryBuilder("sqlite3"), queryBuilder("mysql2"), queryBuilder("pg")];
const builders = { sqlite, mariadb: mysql, mysql, postgres };

const builderFor = ({ server }: ColumnTypes): QueryBuilder => builders[server];

/**
 * The statements of Knex's schema builder. They hold no bound values: types and defaults are text.
 */
const schemaStatements = (
  types: ColumnTypes,
  build: (schema: Knex.SchemaBuilder, query: QueryBuilder) => Knex.SchemaBuilder,
): readonly string[] => {
  const query = builderFor(types);
  const made: { readonly sql: string } | readonly { readonly sql: string }[] = build(query.schema, query).toSQL();
  return (Array.isArray(made) ? made : [made]).map(({ sql }) => sql);
};

const defineColumn = (table: Knex.CreateTableBuilder, { name, type, nullable }: Column): Knex.ColumnBuilder => {
  const column = table.specificType(name, type);
  return nullable ? column.nullable() : column.notNullable();
};

/**
 * A name that belongs to a table. No declared name has a `$`, so no two pairs have the same name.
 */
const nameIn = (table: string, name: string): string => `${table}$${name}`;

const defineForeignKey = (table: Knex.CreateTableBuilder, name: string, { name: column, references }: Column): void => {
  if (references === undefined) return;
  // All tables of a MySQL database share the names of foreign keys.
  table.foreign(column, nameIn(name, column)).references("id").inTable(references).onDelete("CASCADE");
};

/** PostgreSQL cuts longer names. */
const longestPostgresName = 63;

/** On SQLite and PostgreSQL, all tables share the names of indexes. */
export const indexName = ({ server }: ColumnTypes, table: string, name: string): string => {
  if (server === "mysql" || server === "mariadb") return name;
  const own = nameIn(table, name);
  if (server === "sqlite" || own.length <= longestPostgresName) return own;
  return `${own.slice(0, longestPostgresName - 9)}_${createHash("sha256").update(own).digest("hex").slice(0, 8)}`;
};

/** Quotes a name, for the few statements that the builder cannot make. */
const quote = (name: string): string => `\`${name}\``;

export const createIndex = (types: ColumnTypes, table: string, index: TableIndex): readonly string[] =>
  schemaStatements(types, (schema, query) =>
    schema.alterTable(table, (altered) => {
      const name = indexName(types, table, index.name);
      // `index` and `unique` accept raw pieces among the names, although their types allow only
      // texts.
      const columns = index.columns.map((column) =>
        column.descending ? query.raw(`${quote(column.name)} DESC`) : column.name,
      ) as string[];
      // On PostgreSQL, a constraint would take no descending column.
      if (index.unique) altered.unique(columns, { indexName: name, useConstraint: false });
      else altered.index(columns, name);
    }),
  );

export const dropIndex = (types: ColumnTypes, table: string, name: string): readonly string[] =>
  schemaStatements(types, (schema) => schema.alterTable(table, (altered) => void altered.dropIndex([], name)));

/**
 * The table with its foreign keys, without its indexes. `name` is the name of the table, unless you
 * give another.
 */
const createBare = (types: ColumnTypes, { table, columns }: TableShape, name = table): readonly string[] =>
  schemaStatements(types, (schema) =>
    schema.createTable(name, (made) => {
      for (const column of columns) defineColumn(made, column);
      made.primary(["id"]);
      for (const column of columns) defineForeignKey(made, table, column);
      if (types.server === "sqlite" || types.server === "postgres") return;
      made.engine("InnoDB");
      made.charset("utf8mb4");
    }),
  );

export const createTableStatements = (types: ColumnTypes, shape: TableShape): readonly string[] => [
  ...createBare(types, shape),
  ...shape.indexes.flatMap((index) => createIndex(types, shape.table, index)),
];

/** `default` fills the existing rows. */
export const addColumn = (types: ColumnTypes, table: string, column: Column): readonly string[] => {
  if (types.server === "sqlite" && column.references !== undefined) {
    // Written by hand: the builder cannot add a reference to an existing table without copying it.
    const reference = `REFERENCES ${quote(column.references)} (\`id\`) ON DELETE CASCADE`;
    return [`alter table ${quote(table)} add column ${quote(column.name)} ${column.type} null ${reference}`];
  }
  return schemaStatements(types, (schema, query) =>
    schema.alterTable(table, (altered) => {
      defineForeignKey(altered, table, column);
      const added = defineColumn(altered, column);
      if (!column.nullable && column.default !== undefined) added.defaultTo(query.raw(column.default));
    }),
  );
};

/** Written by hand: the builder would first ask the database for the column, or copy the table. */
export const renameColumn = (table: string, from: string, to: string): string =>
  `alter table ${quote(table)} rename column ${quote(from)} to ${quote(to)}`;

/** MySQL and PostgreSQL only. */
export const modifyColumn = (types: ColumnTypes, table: string, column: Column): readonly string[] =>
  schemaStatements(types, (schema) =>
    schema.alterTable(table, (altered) => void defineColumn(altered, column).alter({ alterType: true })),
  );

/** MySQL and PostgreSQL only. */
export const addForeignKey = (types: ColumnTypes, table: string, column: Column): readonly string[] =>
  schemaStatements(types, (schema) => schema.alterTable(table, (altered) => defineForeignKey(altered, table, column)));

/**
 * The statements that delete a column with all its values: one transaction on SQLite, steps that
 * can be repeated on MariaDB.
 */
export const dropColumn = (types: ColumnTypes, table: string, name: string, found: FoundTable): readonly string[] => {
  const own = found.indexes.filter(({ columns }) => columns.some((column) => column.name === name));
  const drop = `alter table ${quote(table)} drop column`;
  if (types.server === "sqlite") {
    return [
      "begin immediate",
      ...own.map((index) => `drop index if exists ${quote(index.name)}`),
      `${drop} ${quote(name)}`,
      "commit",
    ];
  }
  // Its constraints and indexes go with it.
  if (types.server === "postgres") return [`${drop} ${quote(name)}`];
  const again = types.server === "mariadb" ? "if exists " : "";
  const constraint = found.columns.get(name)?.constraint;
  const key =
    constraint === undefined ? [] : [`alter table ${quote(table)} drop foreign key ${again}${quote(constraint)}`];
  return [...key, `${drop} ${again}${quote(name)}`];
};

const newTable = (table: string): string => nameIn(table, "new");

/**
 * SQLite changes a column's type or constraint only by a new table:
 * https://www.sqlite.org/lang_altertable.html, section 7. Foreign keys are not enforced meanwhile,
 * because dropping the old table would delete the rows that refer to it.
 */
export const rebuildTable = (types: ColumnTypes, shape: TableShape, found: FoundTable): readonly string[] => {
  const { table, columns, indexes } = shape;
  // A column that does not exist yet needs no value, because it is added in this way only if there
  // are no rows.
  const kept = columns.filter(({ name }) => found.columns.has(name)).map(({ name }) => quote(name));
  const known = (columnNames: string): boolean => indexes.some((index) => columnsText(index.columns) === columnNames);
  const strange = found.indexes.filter((index) => !index.unique && !known(columnsText(index.columns)));
  return [
    ...createBare(types, shape, newTable(table)),
    `insert into ${quote(newTable(table))} (${kept.join(", ")}) select ${kept.join(", ")} from ${quote(table)}`,
    `drop table ${quote(table)}`,
    `alter table ${quote(newTable(table))} rename to ${quote(table)}`,
    ...indexes.flatMap((index) => createIndex(types, table, index)),
    // Keep the indexes and triggers that an operator has made.
    ...strange.flatMap(({ sql }) => sql ?? []),
    ...found.triggers,
  ];
};
