import type { AccessScope, Condition, Resource } from "@postern/core";
import type { Selection } from "@postern/core/parts";
import { columnOf, conditionToSql, conjunction, type Resources, type Source } from "../condition-to-sql.ts";
import type { Statement } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import type { Dialect } from "../dialect.ts";

/** A resource's rows under the name of their table. */
export const sourceOf = (resource: Resource): Source => ({ resource, alias: resource.table });

/**
 * Pieces of statements on the tables of resources. They do not use the builder, because every
 * request of the REST API runs them.
 */
export interface ResourceStatements {
  /** A condition as the text of a WHERE clause, which no deleted row satisfies. */
  where(resource: Resource, condition: Condition): Statement;
  /** The rows of the scope that satisfy the selection's own condition. */
  selected(resource: Resource, selection: Selection): Statement;
  /** The row with this id, if the scope holds it. */
  inScope(resource: Resource, id: string, scope: AccessScope): Statement;
}

export const resourceStatements = (
  dialect: Dialect,
  resources: Resources,
  graph: Pick<ResourceGraph, "isThere">,
): ResourceStatements => {
  const where: ResourceStatements["where"] = (resource, condition) => {
    const satisfied = conditionToSql(condition, { resource, alias: resource.table }, { resources, dialect });
    const isThere = graph.isThere(resource);
    return isThere === undefined ? satisfied : { sql: `(${satisfied.sql} AND ${isThere})`, values: satisfied.values };
  };
  return {
    where,
    selected: (resource, { scope, where: more }) =>
      where(resource, conjunction(more === undefined ? [scope.where] : [scope.where, more])),
    inScope: (resource, id, scope) => {
      const { sql, values } = where(resource, scope.where);
      return { sql: `(\`${resource.table}\`.\`id\` = ? AND ${sql})`, values: [id, ...values] };
    },
  };
};

/** SELECT of some fields, without a WHERE clause. */
export const selectOf = (resource: Resource, fields: readonly string[]): string =>
  `SELECT ${fields.map((name) => columnOf(sourceOf(resource), name)).join(", ")} FROM \`${resource.table}\``;

const everyField = new WeakMap<Resource, readonly string[]>();

/** Every column of a resource's table. Always the very same array. */
export const allFields = (resource: Resource): readonly string[] => {
  const names = everyField.get(resource) ?? [...resource.fieldNames, "revision"];
  everyField.set(resource, names);
  return names;
};
