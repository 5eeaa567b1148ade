import { AppError, type JsonSchema } from "@postern/core";
import { queryFaultText } from "@postern/core/internal";
import {
  branchesOf,
  checkerOf,
  type Described,
  propertiesOf,
  resolved,
  sameJson,
  subjectOf,
} from "../json-schema/json-schema.ts";
import { listText, valuesIn } from "../operations/query-list.ts";
import type { Forms } from "./effects.ts";
import type { MemberEffect } from "./version.ts";

const memberOf = (answer: Described, name: string | undefined): JsonSchema => {
  const { schema, components } = subjectOf(answer);
  return resolved({ schema: propertiesOf(schema).get(name ?? "") ?? {}, components });
};

/** The schema of the values other than null. */
const valueSchema = (schema: JsonSchema): JsonSchema =>
  branchesOf(schema).find(({ type }) => type !== "null") ?? schema;

/** Values of the same kind come in the same order in every version: numbers, days, moments. */
const orderOf = (schema: JsonSchema): string | undefined => {
  const { type, format } = valueSchema(schema);
  if (type === "integer" || type === "number") return "number";
  return type === "string" && (format === "date" || format === "date-time") ? "time" : undefined;
};

/** Whether both forms of a member are ordered alike. */
export const isOrderedByBoth = ({ newer, older }: Forms, effect: MemberEffect): boolean => {
  const order = orderOf(memberOf(older, effect.older));
  return order !== undefined && order === orderOf(memberOf(newer, effect.newer));
};

const anyForm: ReadonlySet<string> = new Set(["eq", "ne", "in", "nin", "null"]);
const ofOrder: ReadonlySet<string> = new Set(["lt", "lte", "gt", "gte"]);

/** Whether the older version has this filter of a member that has another form in the newer one. */
export const filterDown = (answers: Forms, effect: MemberEffect, op = "eq"): boolean =>
  anyForm.has(op) || (ofOrder.has(op) && isOrderedByBoth(answers, effect));

/** The text of a value in a query, as JSON writes it. */
const jsonOf = (schema: JsonSchema, text: string): unknown => {
  const { type } = valueSchema(schema);
  if ((type === "integer" || type === "number") && /^-?\d{1,16}(\.\d{1,6})?$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
};

/**
 * The closed set of values that the newer member can have; `undefined` if any value is possible.
 */
const closedSet = (schema: JsonSchema): readonly unknown[] | undefined => {
  const { enum: values, type } = valueSchema(schema);
  if (Array.isArray(values)) return values.filter((value: unknown) => value !== null);
  return type === "boolean" ? [true, false] : undefined;
};

export interface Filter {
  /** Absent for `eq`. */
  readonly op: string | undefined;
  readonly value: string;
}

/**
 * Converts a filter by the older form of a member to one by its newer form; `undefined` if the
 * older version has no such filter. `parameter` is the filter's name as the caller wrote it.
 * @throws AppError `invalid_filter` for a value that the older member cannot have.
 */
export const filterUp = (
  answers: Forms,
  effect: MemberEffect,
  { op = "eq", value }: Filter,
  parameter: string,
): Filter | undefined => {
  if (!filterDown(answers, effect, op)) return undefined;
  if (op === "null") return { op, value };
  const older = memberOf(answers.older, effect.older);
  const check = checkerOf({ schema: valueSchema(older), components: answers.older.components });
  const choices = ofOrder.has(op) ? undefined : closedSet(memberOf(answers.newer, effect.newer));
  const isList = op === "in" || op === "nin";
  const parse = (text: string) => check.safeParse(jsonOf(older, text), { error: queryFaultText });
  // As for the newer member: what cannot be one value of a closed set or of a kind without commas is a list.
  const isWords =
    valueSchema(older).type === "string" && closedSet(older) === undefined && orderOf(older) === undefined;
  const listed = (text: string) => (isWords || parse(text).success ? [text] : text.split(","));
  const texts = (isList ? valuesIn(value).flatMap(listed) : [value]).flatMap((text) => {
    const given = jsonOf(older, text);
    const issue = parse(text).error?.issues[0];
    if (issue !== undefined) throw invalid(parameter, issue.message);
    const shownAs = choices?.filter((choice) => sameJson(effect.down(choice), given));
    return (shownAs === undefined || shownAs.length === 0 ? [effect.up(given)] : shownAs).map((newer) =>
      textOf(newer, parameter),
    );
  });
  const [only] = texts;
  if (!isList && texts.length === 1 && only !== undefined) return { op, value: only };
  return { op: op === "ne" || op === "nin" ? "nin" : "in", value: listText(texts) };
};

const textOf = (value: unknown, parameter: string): string => {
  if (typeof value === "object" || value === undefined) throw invalid(parameter, "not a value to filter by");
  return String(value);
};

const invalid = (parameter: string, message: string): AppError => {
  const detail = message.charAt(0).toLowerCase() + message.slice(1);
  return new AppError("invalid_filter", {
    detail: `${parameter}: ${detail}.`,
    faults: [{ parameter, code: "not_allowed", detail }],
  });
};
