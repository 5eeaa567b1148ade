import type { AccessScope, Condition, FieldValue, Resource, Row } from "@postern/core";
import { type FieldKind, inNfc, jsonFault, type Selection } from "@postern/core/parts";
import { columnOf, conditionToSql, conjunction, fieldOf, type Resources, type Source } from "../condition-to-sql.ts";
import type { Statement, Value } from "../database.ts";
import type { ResourceGraph } from "../deleted-rows.ts";
import type { Dialect } from "../dialect.ts";

/** A row as the driver returns it. */
export type StoredRow = Record<string, FieldValue>;

/**
 * The value of a field as its column stores it.
 * @throws TypeError for a value that no field can have, such as `undefined`, or that would not come
 *   back from JSON as it is, such as a `Date` inside an object.
 */
export const toColumn = (resource: Resource, name: string, value: FieldValue | undefined): Value => {
  if (typeof value === "string") return inNfc(fieldOf(resource, name), value);
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean" && fieldOf(resource, name)?.kind === "boolean") return Number(value);
  if (typeof value === "object" && fieldOf(resource, name)?.kind === "json") {
    const fault = jsonFault(value, name);
    if (fault !== undefined) throw new TypeError(`resource "${resource.name}": ${fault}`);
    return JSON.stringify(value);
  }
  throw new TypeError(
    `resource "${resource.name}": ${value === undefined ? "no value" : `a ${typeof value}`} for "${name}"`,
  );
};

/**
 * How the value of a column becomes that of its field, for kinds in which they differ. All others
 * already have the form of the API.
 */
const readers: Partial<Readonly<Record<FieldKind, (value: FieldValue) => FieldValue>>> = {
  json: (value) => JSON.parse(String(value)),
  boolean: (value) => value === 1,
};

/** Makes rows of the API from stored ones that have these fields, in place. */
export const fromColumns = (resource: Resource, fields: readonly string[]) => {
  const read = fields.flatMap((name) => {
    const reader = readers[fieldOf(resource, name)?.kind ?? "text"];
    return reader === undefined ? [] : [{ name, reader }];
  });
  return (row: StoredRow): Row => {
    for (const { name, reader } of read) {
      const value = row[name] ?? null;
      if (value !== null) row[name] = reader(value);
    }
    return row;
  };
};

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
