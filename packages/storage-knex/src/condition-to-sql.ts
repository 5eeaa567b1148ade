import type { Condition, Field, Resource } from "@postern/core";
import {
  type Comparable,
  type ComparisonOperator,
  type FieldKind,
  inNfc,
  type TextOperator,
} from "@postern/core/parts";
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
 * Whether a column can have this value at all. For MySQL, the text "abc" would equal the number 0.
 */
const fits = (field: Field | undefined, value: Comparable): value is string | number | boolean =>
  field === undefined
    ? typeof value === "number"
    : field.kind !== "json" && typeof value === (types[field.kind] ?? "string");

/** A value as its column keeps it; truth values are 1 and 0. */
const bound = (field: Field | undefined, value: string | number | boolean): Value =>
  typeof value === "boolean" ? Number(value) : inNfc(field, value);

const textOperators: ReadonlySet<string> = new Set<TextOperator>(["contains", "starts_with"]);
const isTextOperator = (op: ComparisonOperator | TextOperator): op is TextOperator => textOperators.has(op);

const comparison = (source: Source, name: string, op: ComparisonOperator, value: Comparable): Statement => {
  const column = columnOf(source, name);
  if (value === null) {
    if (op === "eq") return { sql: `${column} IS NULL`, values: [] };
    return op === "ne" ? { sql: `${column} IS NOT NULL`, values: [] } : never;
  }
  const field = fieldOf(source.resource, name);
  if (!fits(field, value)) {
    return op === "ne" ? { sql: `${column} IS NOT NULL`, values: [] } : never;
  }
  return { sql: `${column} ${operators[op]} ?`, values: [bound(field, value)] };
};

/** Whether a column has one of the values or, for the opposite, another value. */
const oneOf = (source: Source, name: string, values: readonly (string | number)[], negated: boolean): Statement => {
  const column = columnOf(source, name);
  const field = fieldOf(source.resource, name);
  const fitting = values.filter((value) => fits(field, value)).map((value) => bound(field, value));
  if (fitting.length === 0) return negated ? { sql: `${column} IS NOT NULL`, values: [] } : never;
  const list = fitting.map(() => "?").join(", ");
  return { sql: `${column} ${negated ? "NOT IN" : "IN"} (${list})`, values: fitting };
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
const anyOf = (parts: readonly Statement[]): Statement => joined(parts, "OR", never);

/** A condition as the text and the values of a WHERE clause. Values never become text. */
export const conditionToSql = (condition: Condition, source: Source, compiler: Compiler, depth = 1): Statement => {
  const compile = (part: Condition): Statement => conditionToSql(part, source, compiler, depth);
  if ("all" in condition) return allOf(condition.all.map(compile));
  if ("any" in condition) return anyOf(condition.any.map(compile));
  if ("via" in condition) {
    const resource = compiler.resources.get(condition.resource);
    if (resource === undefined) throw new TypeError(`resource "${condition.resource}" is not known to this storage`);
    const target = { resource, alias: `related_${depth}` };
    const where = conditionToSql(condition.where, target, compiler, depth + 1);
    const sql = `EXISTS (SELECT 1 FROM \`${resource.table}\` AS \`${target.alias}\` WHERE ${columnOf(target, "id")} = ${columnOf(source, condition.via)} AND ${where.sql})`;
    return { sql, values: where.values };
  }
  if ("in" in condition) return oneOf(source, condition.field, condition.in, false);
  if ("notIn" in condition) return oneOf(source, condition.field, condition.notIn, true);
  const { field: name, op, value } = condition;
  if (!isTextOperator(op)) return comparison(source, name, op, value);
  const column = columnOf(source, name);
  const field = fieldOf(source.resource, name);
  // Only text columns can contain a piece of text.
  if (field === undefined || !fits(field, value)) return never;
  return compiler.dialect.findsText(column, op, String(inNfc(field, value)));
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
