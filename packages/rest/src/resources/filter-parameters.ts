import { AppError, type Condition, type Field, type Resource } from "@postern/core";
import {
  allows,
  type FieldKind,
  type FilterOperator,
  filterOperators,
  instantText,
  isStorable,
  queryFaultText,
  quotedNames,
  timestampOf,
} from "@postern/core/internal";
import type { Comparable } from "@postern/core/ports";
import { z } from "zod";
import { isAdmin, type Principal } from "../access/principal.ts";
import { filterName, valuesIn } from "../operations/query-list.ts";

/** The first and the last moment that a text names. For a moment they are the same. */
interface Span {
  readonly first: string;
  readonly last: string;
}

type SpanOperator = "eq" | "ne" | "lt" | "lte" | "gt" | "gte";

const dayMs = 86_400_000;

/** The moment, or the whole day in UTC, that a text names; `undefined` if it names neither. */
const spanOf = (text: string): Span | undefined => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) {
    const moment = instantText.safeParse(text).data;
    return moment === undefined ? undefined : { first: moment, last: moment };
  }
  const first = instantText.safeParse(`${text}T00:00:00.000Z`).data;
  return first === undefined ? undefined : { first, last: timestampOf(Date.parse(first) + dayMs - 1) };
};

/**
 * Compares a field with a moment or a day: after a day is after its end, from a day on is from its
 * start on, and on a day is within it.
 */
const spanCondition = (field: string, op: SpanOperator, { first, last }: Span): Condition => {
  const compare = (how: SpanOperator, value: string): Condition => ({ field, op: how, value });
  if (first === last) return compare(op, first);
  if (op === "eq") return { all: [compare("gte", first), compare("lte", last)] };
  if (op === "ne") return { any: [compare("lt", first), compare("gt", last)] };
  return compare(op, op === "gt" || op === "lte" ? last : first);
};

/** Holds for a field that is one of these moments or within one of these days; `nin` for the others. */
const spansCondition = (field: string, op: "in" | "nin", spans: readonly Span[]): Condition => {
  const moments = spans.filter(({ first, last }) => first === last).map(({ first }) => first);
  const days = spans.filter(({ first, last }) => first !== last);
  return op === "in"
    ? { any: [{ field, in: moments }, ...days.map((day) => spanCondition(field, "eq", day))] }
    : { all: [{ field, notIn: moments }, ...days.map((day) => spanCondition(field, "ne", day))] };
};

const maxConditions = 10;
/** How many values `in` and `nin` take. */
export const maxValues = 50;
/** How many characters `contains` and `starts_with` take. */
export const longestPiece = 200;

/**
 * Reads a field's value in a query as JSON would have it. Anything else stays a text, and the
 * field's schema refuses it.
 */
const jsonOf: Partial<Readonly<Record<FieldKind, (text: string) => unknown>>> = {
  integer: (text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text),
  decimal: (text) => (/^-?\d{1,16}(\.\d{1,6})?$/.test(text) ? Number(text) : text),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : text),
};

type Parsed<Value> = { readonly value: Value } | { readonly fault: string };

const parseValue = (field: Field, text: string): Parsed<Comparable> => {
  const parsed = field.schema.safeParse(jsonOf[field.kind]?.(text) ?? text, { error: queryFaultText });
  if (!parsed.success) return { fault: parsed.error.issues[0]?.message ?? "not a value of this field" };
  const value = parsed.data;
  return typeof value === "object" && value !== null ? { fault: "not a value of this field" } : { value };
};

const parseValues = (field: Field, text: string): Parsed<readonly (string | number)[]> => {
  // Some clients and proxies encode each comma. What cannot be one value of this field is a list.
  const texts = valuesIn(text).flatMap((value) =>
    field.kind === "text" || "value" in parseValue(field, value) ? [value] : value.split(","),
  );
  if (texts.length > maxValues) return { fault: `at most ${maxValues} values` };
  const values: (string | number)[] = [];
  for (const part of texts) {
    const parsed = parseValue(field, part);
    if ("fault" in parsed) return parsed;
    if (typeof parsed.value === "string" || typeof parsed.value === "number") values.push(parsed.value);
  }
  return { value: values };
};

/** Also for times that only the server sets: a caller may use any spelling, or name a day. */
const momentCondition = (
  name: string,
  op: Exclude<FilterOperator, "contains" | "starts_with" | "null">,
  text: string,
): Parsed<Condition> => {
  const isList = op === "in" || op === "nin";
  const texts = isList ? valuesIn(text).flatMap((value) => value.split(",")) : [text];
  if (texts.length > maxValues) return { fault: `at most ${maxValues} values` };
  const spans = texts.flatMap((one) => spanOf(one) ?? []);
  const [span] = spans;
  if (span === undefined || spans.length < texts.length) {
    return { fault: "a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31" };
  }
  return { value: isList ? spansCondition(name, op, spans) : spanCondition(name, op, span) };
};

const conditionOf = (name: string, field: Field, op: FilterOperator, text: string): Parsed<Condition> => {
  if (op === "null") {
    if (text !== "true" && text !== "false") return { fault: "true or false" };
    return { value: { field: name, op: text === "true" ? "eq" : "ne", value: null } };
  }
  if (op === "contains" || op === "starts_with") {
    if (text === "" || text.length > longestPiece) return { fault: `1 to ${longestPiece} characters` };
    if (!isStorable(text)) return { fault: "no NUL characters and no lone surrogates" };
    return { value: { field: name, op, value: text } };
  }
  if (field.kind === "timestamp") return momentCondition(name, op, text);
  if (op === "in" || op === "nin") {
    const parsed = parseValues(field, text);
    if ("fault" in parsed) return parsed;
    return { value: op === "in" ? { field: name, in: parsed.value } : { field: name, notIn: parsed.value } };
  }
  const parsed = parseValue(field, text);
  return "fault" in parsed ? parsed : { value: { field: name, op, value: parsed.value } };
};

const listed = `comma-separated (\`%2C\` within a value), ${maxValues} at the most`;

const meaning: Readonly<Record<FilterOperator, string>> = {
  eq: "is this",
  ne: "has a value other than this",
  lt: "is less than this",
  lte: "is this or less",
  gt: "is more than this",
  gte: "is this or more",
  in: `is one of these, ${listed}`,
  nin: `has a value that is none of these, ${listed}`,
  contains: "contains this text; A to Z match a to z, and other letters only themselves",
  starts_with: "begins with this text; A to Z match a to z, and other letters only themselves",
  null: "has no value (`true`) or has a value (`false`)",
};

/** The same for times. A day means all of it, in UTC. */
const meaningOfTimes: Partial<Readonly<Record<FilterOperator, string>>> = {
  eq: "is this time or on this day (UTC)",
  ne: "is another time or on another day (UTC)",
  lt: "is before this time or day (UTC)",
  lte: "is this time or earlier, or not after this day (UTC)",
  gt: "is after this time or day (UTC)",
  gte: "is this time or later, or not before this day (UTC)",
};

const meaningOf = ({ kind }: Field, op: FilterOperator): string =>
  (kind === "timestamp" ? meaningOfTimes[op] : undefined) ?? meaning[op];

const parameter = (name: string, field: Field, op: FilterOperator): z.ZodType<Condition | undefined> =>
  z
    .string()
    .transform((text, context): Condition => {
      const parsed = conditionOf(name, field, op, text);
      if ("value" in parsed) return parsed.value;
      context.addIssue({ code: "custom", message: parsed.fault });
      return z.NEVER;
    })
    .optional()
    .meta({
      description: `Only those whose \`${name}\` ${meaningOf(field, op)}.${field.filter === "admin" ? " For administrators." : ""}`,
    });

/**
 * One parameter for each way to filter a list of this resource: `filter[field]`, the same as
 * `filter[field][eq]`, and `filter[field][operator]`.
 */
export const filterParameters = (resource: Resource): Record<string, z.ZodType<Condition | undefined>> => {
  const parameters: Record<string, z.ZodType<Condition | undefined>> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.filter === "nobody") continue;
    for (const op of filterOperators(field)) {
      if (op === "eq") parameters[`filter[${name}]`] = parameter(name, field, op);
      parameters[`filter[${name}][${op}]`] = parameter(name, field, op);
    }
  }
  return parameters;
};

/**
 * The filters among the parsed parameters, in the order of their names. Each row of the list must
 * satisfy all of them.
 * @throws AppError `invalid_filter` for a field that this caller cannot filter by, or too many
 *   conditions.
 */
export const filtersOf = (
  resource: Resource,
  principal: Principal | undefined,
  query: Readonly<Record<string, unknown>>,
): readonly Condition[] => {
  const names = Object.keys(query)
    .filter((name) => name.startsWith("filter[") && query[name] !== undefined)
    .toSorted();
  const forbidden = names.filter(
    (name) => !allows(resource.fields[filterName.exec(name)?.[1] ?? ""]?.filter, isAdmin(principal)),
  );
  if (forbidden.length > 0) {
    throw new AppError("invalid_filter", {
      detail: `You cannot filter by ${quotedNames(forbidden)}.`,
      faults: forbidden.map((name) => ({ parameter: name, code: "invalid_filter", detail: "for administrators" })),
    });
  }
  if (names.length > maxConditions) {
    throw new AppError("invalid_filter", {
      detail: `A list takes ${maxConditions} filters at the most.`,
      faults: names.slice(maxConditions).map((name) => ({ parameter: name, code: "too_many", detail: "one too many" })),
    });
  }
  // The schema of each of these parameters returns a condition.
  return names.map((name) => query[name] as Condition);
};
