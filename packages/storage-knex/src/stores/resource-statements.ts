import type { AccessScope, Condition, FieldValue, Resource, Row } from "@postern/core";
import { type FieldKind, inNfc, jsonFault } from "@postern/core/internal";
import type { Selection } from "@postern/core/ports";
import {
  columnOf,
  conditionToSql,
  conjunction,
  fieldOf,
  type Resources,
  type Source,
} from "../engine/condition-to-sql.ts";
import { type Database, placeholders, quoted, type Statement, type Value } from "../engine/database.ts";
import type { Dialect } from "../engine/dialect.ts";
import type { ResourceGraph } from "./resource-graph.ts";

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

/** A value that cannot be read is shown as null, so that the other fields and rows can be read. */
const jsonOrNull = (text: string): FieldValue => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/**
 * How the value of a column becomes that of its field, for kinds in which they differ. All others
 * already have the form of the API.
 */
const readers: Partial<Readonly<Record<FieldKind, (value: FieldValue) => FieldValue>>> = {
  json: (value) => jsonOrNull(String(value)),
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

/** How a row of a resource is inserted. */
interface RowInsert {
  readonly sql: string;
  /** Whether the statement itself refuses a row that refers to a deleted one. */
  readonly isChecked: boolean;
}

/**
 * What the repositories of all transactions share: pieces of statements on the tables of resources. They
 * do not use the builder, because every request of the REST API runs them.
 */
export interface RepositoryParts {
  readonly dialect: Dialect;
  readonly resources: Resources;
  readonly graph: ResourceGraph;
  /** A condition as the text of a WHERE clause, which no deleted row satisfies. */
  where(resource: Resource, condition: Condition): Statement;
  /** The rows of the scope that satisfy the selection's own condition. */
  selected(resource: Resource, selection: Selection): Statement;
  /** The row with this id, if the scope holds it. */
  inScope(resource: Resource, id: string, scope: AccessScope): Statement;
  /** The INSERT of a row with all fields and its revision. */
  insertOf(resource: Resource): RowInsert;
}

const rowInsert = ({ dialect, graph }: Pick<RepositoryParts, "dialect" | "graph">, resource: Resource): RowInsert => {
  const { table } = resource;
  const columns = allFields(resource);
  const references = graph.above(resource).map(({ field }) => field);
  const isThere = references.length === 0 ? undefined : graph.isThere(resource);
  const sql = isThere === undefined ? undefined : dialect.insertReferring?.({ table, columns, references, isThere });
  return {
    sql: sql ?? `INSERT INTO \`${table}\` (${quoted(columns)}) VALUES ${placeholders(1, columns.length)}`,
    isChecked: isThere === undefined || sql !== undefined,
  };
};

export const repositoryParts = (dialect: Dialect, resources: Resources, graph: ResourceGraph): RepositoryParts => {
  const inserts = new WeakMap<Resource, RowInsert>();
  const where: RepositoryParts["where"] = (resource, condition) => {
    const satisfied = conditionToSql(condition, { resource, alias: resource.table }, { resources, dialect });
    const isThere = graph.isThere(resource);
    return isThere === undefined ? satisfied : { sql: `(${satisfied.sql} AND ${isThere})`, values: satisfied.values };
  };
  return {
    dialect,
    resources,
    graph,
    insertOf: (resource) => {
      const insert = inserts.get(resource) ?? rowInsert({ dialect, graph }, resource);
      inserts.set(resource, insert);
      return insert;
    },
    where,
    selected: (resource, { scope, where: more }) =>
      where(resource, conjunction(more === undefined ? [scope.where] : [scope.where, more])),
    inScope: (resource, id, scope) => {
      const { sql, values } = where(resource, scope.where);
      return { sql: `(\`${resource.table}\`.\`id\` = ? AND ${sql})`, values: [id, ...values] };
    },
  };
};

/** What reads and writes use, outside transactions or inside one of them. */
export interface InRepository {
  readonly database: Database;
  readonly parts: RepositoryParts;
}

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
