import type { Comparable, ComparisonOperator, Condition, Field, Resource } from "@postern/core";
import type { Statement } from "./database.ts";

/** A resource's row in a statement, under the name it has there. */
export interface Source {
  readonly resource: Resource;
  readonly alias: string;
}

export type Resources = ReadonlyMap<string, Resource>;

const never: Statement = { sql: "1 = 0", values: [] };
const always: Statement = { sql: "1 = 1", values: [] };

const operators: Readonly<Record<ComparisonOperator, string>> = {
  eq: "=",
  ne: "<>",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
};

/** The definition of a field, `undefined` for `revision`. @throws TypeError for a name the resource does not have. */
export const fieldOf = (resource: Resource, name: string): Field | undefined => {
  if (name === "revision") return undefined;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (field === undefined) throw new TypeError(`resource "${resource.name}" has no field "${name}"`);
  return field;
};

/** @throws TypeError for a name the resource does not have: only names from its definition reach a statement. */
export const columnOf = ({ resource, alias }: Source, name: string): string => {
  fieldOf(resource, name);
  return `\`${alias}\`.\`${name}\``;
};

/** Whether a value can stand in a column at all. MySQL would take the text "abc" for equal to the number 0. */
const fits = (field: Field | undefined, value: Comparable): value is string | number =>
  field === undefined ? typeof value === "number" : field.kind !== "json" && typeof value === "string";

const comparison = (source: Source, name: string, op: ComparisonOperator, value: Comparable): Statement => {
  const column = columnOf(source, name);
  if (value === null) {
    if (op === "eq") return { sql: `${column} IS NULL`, values: [] };
    return op === "ne" ? { sql: `${column} IS NOT NULL`, values: [] } : never;
  }
  if (!fits(fieldOf(source.resource, name), value)) {
    return op === "ne" ? { sql: `${column} IS NOT NULL`, values: [] } : never;
  }
  return { sql: `${column} ${operators[op]} ?`, values: [value] };
};

const joined = (parts: readonly Statement[], word: "AND" | "OR", empty: Statement): Statement => {
  const [only] = parts;
  if (only === undefined) return empty;
  if (parts.length === 1) return only;
  return { sql: `(${parts.map(({ sql }) => sql).join(` ${word} `)})`, values: parts.flatMap(({ values }) => values) };
};

export const allOf = (parts: readonly Statement[]): Statement => joined(parts, "AND", always);
export const anyOf = (parts: readonly Statement[]): Statement => joined(parts, "OR", never);

/** A condition as the text and the values of a WHERE clause. Values never become text. */
export const conditionToSql = (condition: Condition, source: Source, resources: Resources, depth = 1): Statement => {
  const compile = (part: Condition): Statement => conditionToSql(part, source, resources, depth);
  if ("all" in condition) return allOf(condition.all.map(compile));
  if ("any" in condition) return anyOf(condition.any.map(compile));
  if ("via" in condition) {
    const resource = resources.get(condition.resource);
    if (resource === undefined) throw new TypeError(`resource "${condition.resource}" is not known to this storage`);
    const target = { resource, alias: `related_${depth}` };
    const where = conditionToSql(condition.where, target, resources, depth + 1);
    const sql = `EXISTS (SELECT 1 FROM \`${resource.table}\` AS \`${target.alias}\` WHERE ${columnOf(target, "id")} = ${columnOf(source, condition.via)} AND ${where.sql})`;
    return { sql, values: where.values };
  }
  if ("in" in condition) {
    const field = fieldOf(source.resource, condition.field);
    const values = condition.in.filter((value) => fits(field, value));
    if (values.length === 0) return never;
    return { sql: `${columnOf(source, condition.field)} IN (${values.map(() => "?").join(", ")})`, values };
  }
  return comparison(source, condition.field, condition.op, condition.value);
};

/** Whether a condition looks at other rows, perhaps of the same table: MySQL cannot delete from a table that it also reads. */
export const looksElsewhere = (condition: Condition): boolean => {
  if ("all" in condition) return condition.all.some(looksElsewhere);
  if ("any" in condition) return condition.any.some(looksElsewhere);
  return "via" in condition;
};
