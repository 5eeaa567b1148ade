import type { Condition, Field, Resource } from "@postern/core";
import { type FieldKind, inNfc, isStorable } from "@postern/core/internal";
import type { Comparable, ComparisonOperator } from "@postern/core/ports";
import type { Statement, Value } from "./database.ts";
import type { Dialect } from "./dialect.ts";

/** A row of a resource in a statement, with its name in that statement. */
export interface Source {
  readonly resource: Resource;
  readonly alias: string;
}

export type Resources = ReadonlyMap<string, Resource>;

/** The context in which a condition is compiled. */
export interface Compiler {
  readonly resources: Resources;
  readonly dialect: Pick<Dialect, "findsText">;
}

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

/**
 * The definition of a field, `undefined` for `revision`.
 * @throws TypeError for a name that the resource does not have.
 */
export const fieldOf = (resource: Resource, name: string): Field | undefined => {
  if (name === "revision") return undefined;
  const field = Object.hasOwn(resource.fields, name) ? resource.fields[name] : undefined;
  if (field === undefined) throw new TypeError(`resource "${resource.name}" has no field "${name}"`);
  return field;
};

/**
 * @throws TypeError for a name the resource does not have: only names from its definition reach a
 * statement.
 */
export const columnOf = ({ resource, alias }: Source, name: string): string => {
  fieldOf(resource, name);
  return `\`${alias}\`.\`${name}\``;
};

/** The types of values that are not text. */
const types: Partial<Readonly<Record<FieldKind, "number" | "boolean">>> = {
  integer: "number",
  decimal: "number",
  boolean: "boolean",
};

/**
 * A value as its column keeps it; truth values are 1 and 0. `undefined` if the column cannot have
 * this value at all: for MySQL, the text "abc" would equal the number 0, and PostgreSQL refuses a
 * statement with a NUL character.
 */
const inColumn = (field: Field | undefined, value: Comparable): Value | undefined => {
  if (field === undefined) return typeof value === "number" ? value : undefined;
  if (value === null || field.kind === "json" || typeof value !== (types[field.kind] ?? "string")) return undefined;
  if (typeof value === "string" && !isStorable(value)) return undefined;
  return typeof value === "boolean" ? Number(value) : inNfc(field, value);
};

const joined = (parts: readonly Statement[], word: "AND" | "OR", empty: Statement): Statement => {
  const [only] = parts;
  if (only === undefined) return empty;
  if (parts.length === 1) return only;
  // Every read of the API joins a few parts. A loop takes a quarter of the time of map and join.
  let sql = "";
  const values: Value[] = [];
  for (const part of parts) {
    sql += sql === "" ? part.sql : ` ${word} ${part.sql}`;
    for (const value of part.values) values.push(value);
  }
  return { sql: `(${sql})`, values };
};

export const allOf = (parts: readonly Statement[]): Statement => joined(parts, "AND", always);

/** A condition as the text and the values of a WHERE clause. Values never become text. */
export const conditionToSql = (condition: Condition, source: Source, compiler: Compiler, depth = 1): Statement => {
  if ("all" in condition || "any" in condition) {
    const isAll = "all" in condition;
    const compiled: Statement[] = [];
    for (const part of isAll ? condition.all : condition.any) {
      compiled.push(conditionToSql(part, source, compiler, depth));
    }
    return joined(compiled, isAll ? "AND" : "OR", isAll ? always : never);
  }
  if ("via" in condition) {
    const resource = compiler.resources.get(condition.resource);
    if (resource === undefined) throw new TypeError(`resource "${condition.resource}" is not known to this storage`);
    const target = { resource, alias: `related_${depth}` };
    const where = conditionToSql(condition.where, target, compiler, depth + 1);
    const sql = `EXISTS (SELECT 1 FROM \`${resource.table}\` AS \`${target.alias}\` WHERE ${columnOf(target, "id")} = ${columnOf(source, condition.via)} AND ${where.sql})`;
    return { sql, values: where.values };
  }
  const column = columnOf(source, condition.field);
  const field = fieldOf(source.resource, condition.field);
  if (!("op" in condition)) {
    const isIn = "in" in condition;
    const values = (isIn ? condition.in : condition.notIn).flatMap((value) => inColumn(field, value) ?? []);
    if (values.length === 0) return isIn ? never : { sql: `${column} IS NOT NULL`, values: [] };
    return { sql: `${column} ${isIn ? "IN" : "NOT IN"} (${values.map(() => "?").join(", ")})`, values };
  }
  const { op, value } = condition;
  const stored = inColumn(field, value);
  if (op === "contains" || op === "starts_with") {
    // Only text columns can contain a piece of text.
    return field === undefined || stored === undefined ? never : compiler.dialect.findsText(column, op, String(stored));
  }
  if (stored !== undefined) return { sql: `${column} ${operators[op]} ?`, values: [stored] };
  if (op === "ne") return { sql: `${column} IS NOT NULL`, values: [] };
  return op === "eq" && value === null ? { sql: `${column} IS NULL`, values: [] } : never;
};

const parts = (condition: Condition): readonly Condition[] =>
  "all" in condition ? condition.all.flatMap(parts) : [condition];

/**
 * All of the conditions, without alternatives of which another condition already requires one:
 * `(owner = 1 OR published) AND owner = 1` becomes `owner = 1`. A caller's list of their own rows
 * has this form, and no database's planner simplifies it.
 */
export const conjunction = (conditions: readonly Condition[]): { readonly all: readonly Condition[] } => {
  const all = conditions.flatMap(parts);
  const certain = new Set(all.filter((part) => "op" in part && part.op === "eq").map((part) => JSON.stringify(part)));
  return {
    all: all.filter((part) => !("any" in part && part.any.some((choice) => certain.has(JSON.stringify(choice))))),
  };
};

/**
 * Whether a condition looks at other rows, perhaps of the same table: MySQL cannot delete from a
 * table that it also reads.
 */
export const looksElsewhere = (condition: Condition): boolean => {
  if ("all" in condition) return condition.all.some(looksElsewhere);
  if ("any" in condition) return condition.any.some(looksElsewhere);
  return "via" in condition;
};
