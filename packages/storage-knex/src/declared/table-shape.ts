import type { Field, Resource } from "@postern/core";
import type { Resources } from "../condition-to-sql.ts";
import type { ColumnTypes } from "../migrations/migration.ts";

export interface Column {
  readonly name: string;
  /** As it stands in a statement that makes the column. */
  readonly type: string;
  readonly nullable: boolean;
  /** The value that rows made before the column get, as it stands in a statement; `undefined` when there is none. */
  readonly default: string | undefined;
  /** The table it refers to. */
  readonly references: string | undefined;
}

export interface TableIndex {
  readonly name: string;
  readonly columns: readonly string[];
  readonly unique: boolean;
}

/** The table that a resource needs. */
export interface TableShape {
  readonly table: string;
  readonly columns: readonly Column[];
  readonly indexes: readonly TableIndex[];
}

const longestChoice = 64;

const typeOf = (types: ColumnTypes, { kind, maxLength = 0, precision }: Field): string => {
  switch (kind) {
    case "id":
    case "reference":
      return types.id;
    case "text":
      return types.text(maxLength);
    case "choice":
      // The same for all, so that a longer choice can be added.
      return types.ascii(Math.max(maxLength, longestChoice));
    case "digest":
      return types.ascii(maxLength);
    case "long-text":
      return types.longText;
    case "integer":
      return types.bigint;
    case "decimal":
      return types.decimal(precision?.digits ?? 15, precision?.decimals ?? 0);
    case "boolean":
      return types.boolean;
    case "date":
      return types.day;
    case "timestamp":
      return types.moment;
    case "json":
      return types.json;
  }
};

const literalOf = (types: ColumnTypes, { kind, default: value }: Field): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(Number(value));
  const text = typeof value === "object" ? JSON.stringify(value) : value;
  const quoted = `'${(types.server === "sqlite" ? text : text.replaceAll("\\", "\\\\")).replaceAll("'", "''")}'`;
  // MySQL takes a default for long columns only as an expression.
  return types.server !== "sqlite" && (kind === "long-text" || kind === "json") ? `(${quoted})` : quoted;
};

/**
 * The indexes of a resource's table: one to find the rows that refer to another, one for each unique value, and one for each order that a list
 * can be asked for, which begins with what the list is bound to. A list that is bound to no parent is read by owners and, whole, by administrators.
 */
const indexesOf = ({ fields, parent, owner }: Resource): readonly TableIndex[] => {
  const indexes: TableIndex[] = [];
  const add = (name: string, columns: readonly string[], unique = false): void => {
    indexes.push({ name, columns, unique });
  };
  for (const [name, { references, unique, sort }] of Object.entries(fields)) {
    if (name === "id") continue;
    if (references !== undefined) add(name, [name, "id"]);
    if (unique) add(references === undefined ? name : `${name}_unique`, [name], true);
    if (sort === "nobody") continue;
    if (parent !== undefined) {
      if (parent.field !== name) add(`${parent.field}_${name}`, [parent.field, name, "id"]);
      continue;
    }
    // A unique value leaves no ties to order.
    if (!unique && references === undefined) add(`by_${name}`, [name, "id"]);
    if (owner !== "id" && owner !== name) add(`${owner}_${name}`, [owner, name, "id"]);
  }
  return indexes;
};

export const tableShape = (resource: Resource, resources: Resources, types: ColumnTypes): TableShape => ({
  table: resource.table,
  columns: [
    ...Object.entries(resource.fields).map(([name, field]) => ({
      name,
      type: typeOf(types, field),
      nullable: field.nullable,
      default: literalOf(types, field),
      references: field.references === undefined ? undefined : resources.get(field.references.resource)?.table,
    })),
    { name: "revision", type: types.integer, nullable: false, default: "1", references: undefined },
  ],
  indexes: indexesOf(resource),
});
