import type { FieldValue } from "../model/field-value.ts";
import { inNfc } from "../model/normal-form.ts";
import type { Resource } from "../model/resource.ts";
import type { Comparable, ComparisonOperator, Condition, TextOperator } from "../ports/condition.ts";
import type { Row } from "../ports/resource-repository.ts";

/** Finds the row that a reference points to. */
export type FindRow = (resource: string, id: FieldValue | undefined) => Row | undefined;

/** Compares bytewise, as the databases do: by code point, not by UTF-16 unit. */
const compareText = (left: string, right: string): number => {
  const others = [...right];
  let index = 0;
  for (const character of left) {
    const other = others[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    index += 1;
  }
  return index - others.length;
};

/** Compares values of one field: texts, or numbers and booleans. */
export const compareValues = (left: FieldValue | undefined, right: FieldValue | undefined): number => {
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  return Number(left) - Number(right);
};

const holds: Readonly<Record<ComparisonOperator, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

const compares = (value: FieldValue | undefined, op: ComparisonOperator, operand: Comparable): boolean => {
  const missing = value === null || value === undefined;
  if (operand === null) return op === "eq" ? missing : op === "ne" && !missing;
  return !missing && holds[op](compareValues(value, operand));
};

const foldAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

const finds: Readonly<Record<TextOperator, (text: string, piece: string) => boolean>> = {
  contains: (text, piece) => text.includes(piece),
  starts_with: (text, piece) => text.startsWith(piece),
};

const isTextOperator = (op: ComparisonOperator | TextOperator): op is TextOperator => op in finds;

/** A condition with its values in the form in which the fields of the resource store them. */
export const asStored = (
  condition: Condition,
  resource: Resource,
  named: (resource: string) => Resource | undefined,
): Condition => {
  const each = (parts: readonly Condition[]): readonly Condition[] =>
    parts.map((part) => asStored(part, resource, named));
  if ("all" in condition) return { all: each(condition.all) };
  if ("any" in condition) return { any: each(condition.any) };
  if ("via" in condition) {
    const target = named(condition.resource);
    return target === undefined ? condition : { ...condition, where: asStored(condition.where, target, named) };
  }
  const field = resource.fields[condition.field];
  if ("in" in condition) return { ...condition, in: condition.in.map((value) => inNfc(field, value)) };
  if ("notIn" in condition) return { ...condition, notIn: condition.notIn.map((value) => inNfc(field, value)) };
  // Only the type of a text is a text.
  return { ...condition, value: inNfc(field, condition.value) } as Condition;
};

/** Whether a row satisfies a condition, which has its values as rows store them. */
export const satisfies = (row: Row, condition: Condition, find: FindRow): boolean => {
  if ("all" in condition) return condition.all.every((part) => satisfies(row, part, find));
  if ("any" in condition) return condition.any.some((part) => satisfies(row, part, find));
  if ("via" in condition) {
    const target = find(condition.resource, row[condition.via]);
    return target !== undefined && satisfies(target, condition.where, find);
  }
  const value = row[condition.field];
  if ("in" in condition) return condition.in.some((operand) => compares(value, "eq", operand));
  if ("notIn" in condition) {
    return compares(value, "ne", null) && condition.notIn.every((operand) => compares(value, "ne", operand));
  }
  const { op, value: operand } = condition;
  if (!isTextOperator(op)) return compares(value, op, operand);
  return typeof value === "string" && finds[op](foldAscii(value), foldAscii(String(operand)));
};
