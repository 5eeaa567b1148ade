import type { Resource, ResourceRepository, Row } from "@postern/core";
import { allOf, columnOf, type Resources } from "../condition-to-sql.ts";
import { checkLimit, type Database, type Statement } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import { belowToSql, pageToSql } from "../list-order.ts";
import { type ReadColumns, readColumns } from "../read-columns.ts";
import { hasUnchangedApart } from "../unchanged-rows.ts";
import { fromColumns, type StoredRow } from "./resource-rows.ts";
import { allFields, resourceStatements, selectOf, sourceOf } from "./resource-statements.ts";

type Reads = Pick<ResourceRepository, "find" | "list" | "findEach" | "listBelow" | "usage" | "count">;

/** How one row is read: the start of the statement, and what makes the row. */
interface RowReading {
  readonly resource: Resource;
  readonly select: string;
  readonly fromRow: (row: StoredRow) => Row;
}

/** Callers pass the same array of fields again and again. */
const readings = new WeakMap<readonly string[], RowReading>();

const readingOf = (resource: Resource, fields: readonly string[]): RowReading => {
  const known = readings.get(fields);
  if (known?.resource === resource) return known;
  const made = { resource, select: selectOf(resource, fields), fromRow: fromColumns(resource, fields) };
  readings.set(fields, made);
  return made;
};

export const resourceReads = (database: Database, resources: Resources, graph: ResourceGraph): Reads => {
  const { dialect } = database;
  const { where: whereOf, selected, inScope } = resourceStatements(dialect, resources, graph);

  const columnsFor = (resource: Resource, fields: readonly string[], longest: number | undefined): ReadColumns =>
    readColumns(dialect, resource, fields, longest === undefined ? {} : { longest });

  const rowsOf = async (
    resource: Resource,
    fields: readonly string[],
    { names, settle }: ReadColumns,
    statement: Statement,
  ): Promise<Row[]> => {
    const rows = await database.select<StoredRow>(statement, names);
    if (settle !== undefined) for (const row of rows) settle(row);
    return rows.map(fromColumns(resource, fields));
  };

  return {
    find: async (resource, id, scope, fields = allFields(resource)) => {
      const { sql, values } = inScope(resource, id, scope);
      const { select, fromRow } = readingOf(resource, fields);
      const [row] = await database.select<StoredRow>({ sql: `${select} WHERE ${sql}`, values }, fields);
      return row === undefined ? undefined : fromRow(row);
    },
    list: async (resource, { order, after, before, limit, fields = allFields(resource), longest, ...selection }) => {
      checkLimit(limit);
      const columns = columnsFor(resource, fields, longest);
      const { scope, where: more = { all: [] } } = selection;
      const apart = hasUnchangedApart(dialect, resource, order, [scope.where, more]);
      const where = selected(resource, selection);
      const statement = pageToSql(
        { source: sourceOf(resource), columns, where, order, limit, unchangedApart: apart },
        { ...(after && { after }), ...(before && { before }) },
      );
      const read = await rowsOf(resource, fields, columns, statement);
      return before === undefined ? read : read.reverse();
    },
    findEach: async (resource, ids, scope, { fields = allFields(resource), longest } = {}) => {
      if (ids.length === 0) return [];
      const source = sourceOf(resource);
      const columns = columnsFor(resource, fields, longest);
      const { sql, values } = allOf([dialect.anyTextOf(columnOf(source, "id"), ids), whereOf(resource, scope.where)]);
      const text = `SELECT ${columns.of(source)} FROM \`${resource.table}\` WHERE ${sql}`;
      return rowsOf(resource, fields, columns, { sql: text, values });
    },
    listBelow: async (resource, { parents, order, limit, fields = allFields(resource), longest, ...selection }) => {
      checkLimit(limit);
      if (parents.ids.length === 0) return [];
      const columns = columnsFor(resource, fields, longest);
      const bound = { field: parents.field, op: "eq", value: "" } as const;
      const apart = hasUnchangedApart(dialect, resource, order, [bound]);
      const where = selected(resource, selection);
      const statement = belowToSql(
        { source: sourceOf(resource), columns, where, order, limit, unchangedApart: apart },
        parents,
      );
      return rowsOf(resource, fields, columns, statement);
    },
    usage: async (resource, selection, asked) => {
      const texts = Object.entries(resource.fields).filter(([, { kind }]) =>
        ["text", "long-text", "json"].includes(kind),
      );
      const sizes = texts.map(([name]) => `COALESCE(${dialect.bytesOf(columnOf(sourceOf(resource), name))}, 0)`);
      const bytes = asked.bytes && sizes.length > 0 ? `COALESCE(SUM(${sizes.join(" + ")}), 0)` : "0";
      const { sql, values } = selected(resource, selection);
      const text = `SELECT COUNT(*) AS counted, ${bytes} AS bytes FROM \`${resource.table}\` WHERE ${sql}`;
      const [row] = await database.read((session) =>
        session.rows<{ counted: number; bytes: number | string }>(text, values),
      );
      return { rows: row?.counted ?? 0, bytes: Number(row?.bytes ?? 0) };
    },
    count: async (resource, selection, atMost) => {
      if (!(Number.isSafeInteger(atMost) && atMost >= 1))
        throw new TypeError(`counting stops at a whole number, not ${atMost}`);
      const { sql, values } = selected(resource, selection);
      const text = `SELECT COUNT(*) AS counted FROM (SELECT 1 FROM \`${resource.table}\` WHERE ${sql} LIMIT ${atMost}) AS found`;
      const [row] = await database.select<{ counted: number }>({ sql: text, values }, ["counted"]);
      return row?.counted ?? 0;
    },
  };
};
