import type { AccessScope, ListQuery, Resource, ResourceRepository, Row } from "@postern/core";
import { everything } from "@postern/core/internal";
import type { ReadOptions, Selection } from "@postern/core/ports";
import { allOf, columnOf } from "../engine/condition-to-sql.ts";
import { checkLimit, type Database, readRows, type Statement } from "../engine/database.ts";
import { belowToSql, pageToSql } from "./list-order.ts";
import { type ReadColumns, readColumns } from "./read-columns.ts";
import {
  allFields,
  fromColumns,
  type InRepository,
  type RepositoryParts,
  type StoredRow,
  selectOf,
  sourceOf,
} from "./resource-statements.ts";
import { deleteRow, deleteRowsWhere, holdRows, insertRow, updateRow } from "./resource-writes.ts";
import { hasUnchangedApart } from "./unchanged-rows.ts";

/** How one row is read: the start of the statement, and what makes the row. */
interface RowReading {
  readonly resource: Resource;
  readonly select: string;
  readonly fromRow: (row: StoredRow) => Row;
}

/** Callers pass the same array of fields again and again. */
const readings = new WeakMap<readonly string[], RowReading>();

const rowsOf = async (
  { database }: InRepository,
  { resource, fields }: Pick<RowReading, "resource"> & { readonly fields: readonly string[] },
  { names, settle }: ReadColumns,
  statement: Statement,
): Promise<Row[]> => {
  const rows = await database.select<StoredRow>(statement, names);
  if (settle !== undefined) for (const row of rows) settle(row);
  const fromRow = fromColumns(resource, fields);
  for (const row of rows) fromRow(row);
  return rows;
};

const findRow = async (
  { database, parts }: InRepository,
  resource: Resource,
  id: string,
  scope: AccessScope,
  fields = allFields(resource),
): Promise<Row | undefined> => {
  const { sql, values } = parts.inScope(resource, id, scope);
  let reading = readings.get(fields);
  if (reading?.resource !== resource) {
    reading = { resource, select: selectOf(resource, fields), fromRow: fromColumns(resource, fields) };
    readings.set(fields, reading);
  }
  const row = await database.selectOne<StoredRow>({ sql: `${reading.select} WHERE ${sql}`, values }, fields);
  return row === undefined ? undefined : reading.fromRow(row);
};

const listRows = async (reading: InRepository, resource: Resource, query: ListQuery): Promise<readonly Row[]> => {
  const { scope, where: more = everything, order, before, limit, fields = allFields(resource), longest } = query;
  checkLimit(limit);
  const { parts } = reading;
  const columns = readColumns(parts.dialect, resource, fields, longest);
  const apart = hasUnchangedApart(parts.dialect, resource, order, [scope.where, more]);
  const where = parts.selected(resource, query);
  const statement = pageToSql(
    { source: sourceOf(resource), columns, where, order, limit, unchangedApart: apart },
    query,
  );
  const read = await rowsOf(reading, { resource, fields }, columns, statement);
  return before === undefined ? read : read.reverse();
};

const findRows = async (
  reading: InRepository,
  resource: Resource,
  ids: readonly string[],
  scope: AccessScope,
  { fields = allFields(resource), longest }: ReadOptions = {},
): Promise<readonly Row[]> => {
  if (ids.length === 0) return [];
  const { parts } = reading;
  const source = sourceOf(resource);
  const columns = readColumns(parts.dialect, resource, fields, longest);
  const { sql, values } = allOf([
    parts.dialect.anyTextOf(columnOf(source, "id"), ids),
    parts.where(resource, scope.where),
  ]);
  const text = `SELECT ${columns.of(source)} FROM \`${resource.table}\` WHERE ${sql}`;
  return rowsOf(reading, { resource, fields }, columns, { sql: text, values });
};

const listRowsBelow = async (
  reading: InRepository,
  resource: Resource,
  query: Parameters<ResourceRepository["listBelow"]>[1],
): Promise<readonly Row[]> => {
  const { parents, order, limit, fields = allFields(resource), longest } = query;
  checkLimit(limit);
  if (parents.ids.length === 0) return [];
  const { parts } = reading;
  const columns = readColumns(parts.dialect, resource, fields, longest);
  const bound = { field: parents.field, op: "eq", value: "" } as const;
  const apart = hasUnchangedApart(parts.dialect, resource, order, [bound]);
  const where = parts.selected(resource, query);
  const statement = belowToSql(
    { source: sourceOf(resource), columns, where, order, limit, unchangedApart: apart },
    parents,
  );
  return rowsOf(reading, { resource, fields }, columns, statement);
};

const usageOf = async (
  { database, parts }: InRepository,
  resource: Resource,
  selection: Selection,
  asked: { readonly bytes: boolean },
): Promise<{ readonly rows: number; readonly bytes: number }> => {
  const texts = Object.entries(resource.fields).filter(([, { kind }]) => ["text", "long-text", "json"].includes(kind));
  const sizes = texts.map(([name]) => `COALESCE(${parts.dialect.bytesOf(columnOf(sourceOf(resource), name))}, 0)`);
  const bytes = asked.bytes && sizes.length > 0 ? `COALESCE(SUM(${sizes.join(" + ")}), 0)` : "0";
  const { sql, values } = parts.selected(resource, selection);
  const text = `SELECT COUNT(*) AS counted, ${bytes} AS bytes FROM \`${resource.table}\` WHERE ${sql}`;
  const [row] = await readRows<{ counted: number; bytes: number | string }>(database, text, values);
  return { rows: row?.counted ?? 0, bytes: Number(row?.bytes ?? 0) };
};

const countRows = async (
  { database, parts }: InRepository,
  resource: Resource,
  selection: Selection,
  atMost: number,
): Promise<number> => {
  if (!(Number.isSafeInteger(atMost) && atMost >= 1))
    throw new TypeError(`counting stops at a whole number, not ${atMost}`);
  const { sql, values } = parts.selected(resource, selection);
  const text = `SELECT COUNT(*) AS counted FROM (SELECT 1 FROM \`${resource.table}\` WHERE ${sql} LIMIT ${atMost}) AS found`;
  const [row] = await database.select<{ counted: number }>({ sql: text, values }, ["counted"]);
  return row?.counted ?? 0;
};

/**
 * The rows of every resource. Each resource has a table, and each column has the name of its field.
 * One literal, because each transaction has one: a spread of two would take three times the memory.
 */
export const knexResourceRepository = (database: Database, parts: RepositoryParts): ResourceRepository => {
  const used = { database, parts };
  return {
    find: (resource, id, scope, fields) => findRow(used, resource, id, scope, fields),
    list: (resource, query) => listRows(used, resource, query),
    findEach: (resource, ids, scope, options) => findRows(used, resource, ids, scope, options),
    listBelow: (resource, query) => listRowsBelow(used, resource, query),
    usage: (resource, selection, asked) => usageOf(used, resource, selection, asked),
    count: (resource, selection, atMost) => countRows(used, resource, selection, atMost),
    insert: (resource, row) => insertRow(used, resource, row),
    hold: (resource, selection, limit) => holdRows(used, resource, selection, limit),
    update: (resource, row, changes, options) => updateRow(used, resource, row, changes, options),
    delete: (resource, id, scope, options) => deleteRow(used, resource, id, scope, options),
    deleteWhere: (resource, scope, more) => deleteRowsWhere(used, resource, scope, more),
  };
};
