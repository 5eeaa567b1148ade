import type { ResourceRepository } from "@postern/core";
import { allOf, columnOf, type Resources } from "../condition-to-sql.ts";
import { checkLimit, type Database } from "../database.ts";
import { belowToSql, pageToSql } from "../list-order.ts";
import { fromColumns, type StoredRow } from "./resource-rows.ts";
import { allFields, resourceStatements, selectOf, sourceOf } from "./resource-statements.ts";

type Reads = Pick<ResourceRepository, "find" | "list" | "findEach" | "listBelow" | "count">;

export const resourceReads = (database: Database, resources: Resources): Reads => {
  const { dialect } = database;
  const { where, selected, inScope } = resourceStatements(dialect, resources);

  return {
    find: async (resource, id, scope, fields = allFields(resource)) => {
      const { sql, values } = inScope(resource, id, scope);
      const text = `${selectOf(resource, fields)} WHERE ${sql}`;
      const [row] = await database.select<StoredRow>({ sql: text, values }, fields);
      return row === undefined ? undefined : fromColumns(resource, fields)(row);
    },
    list: async (resource, { order, after, before, limit, fields = allFields(resource), ...selection }) => {
      checkLimit(limit);
      const statement = pageToSql(
        { source: sourceOf(resource), fields, where: selected(resource, selection), order, limit },
        { ...(after && { after }), ...(before && { before }) },
      );
      const rows = await database.select<StoredRow>(statement, fields);
      const read = rows.map(fromColumns(resource, fields));
      return before === undefined ? read : read.reverse();
    },
    findEach: async (resource, ids, scope, fields = allFields(resource)) => {
      if (ids.length === 0) return [];
      const found = allOf([dialect.anyTextOf(columnOf(sourceOf(resource), "id"), ids), where(resource, scope.where)]);
      const text = `${selectOf(resource, fields)} WHERE ${found.sql}`;
      const rows = await database.select<StoredRow>({ sql: text, values: found.values }, fields);
      return rows.map(fromColumns(resource, fields));
    },
    listBelow: async (resource, { parents, order, limit, fields = allFields(resource), ...selection }) => {
      checkLimit(limit);
      if (parents.ids.length === 0) return [];
      const statement = belowToSql(
        { source: sourceOf(resource), fields, where: selected(resource, selection), order, limit },
        parents,
      );
      const rows = await database.select<StoredRow>(statement, fields);
      return rows.map(fromColumns(resource, fields));
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
