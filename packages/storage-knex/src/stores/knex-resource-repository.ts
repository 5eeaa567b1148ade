import type { ResourceRepository } from "@postern/core";
import type { Resources } from "../condition-to-sql.ts";
import type { Database } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import type { Dialect } from "../dialect.ts";
import { countRows, findRow, findRows, listRows, listRowsBelow, type ReadParts, usageOf } from "./resource-reads.ts";
import { resourceStatements } from "./resource-statements.ts";
import { deleteRow, deleteRowsWhere, holdRows, insertRow, updateRow, type WriteParts } from "./resource-writes.ts";

/** What the repositories of all transactions share. */
export type RepositoryParts = ReadParts & WriteParts;

export const repositoryParts = (dialect: Dialect, resources: Resources, graph: ResourceGraph): RepositoryParts => ({
  dialect,
  resources,
  graph,
  statements: resourceStatements(dialect, resources, graph),
  inserts: new WeakMap(),
});

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
