import type { JsonSchema } from "@postern/core";
import {
  branchesOf,
  type Described,
  describeSchema,
  marks,
  propertiesOf,
  resolved,
  resourceOf,
  subjectOf,
} from "../json-schema/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { namesMark, usualMark } from "../operations/page.ts";
import { filterName } from "../operations/query-list.ts";
import { longestPiece, maxValues } from "../resources/filter-parameters.ts";
import type { ApiVersion } from "../versions/api-versions.ts";
import type { Conversion } from "../versions/conversion.ts";
import { isRelated } from "./example-of.ts";
import { limited } from "./limited-schema.ts";

/** Several values with commas between them. */
const listOf = (items: JsonSchema, maxItems: number): JsonSchema => ({ type: "array", items, minItems: 1, maxItems });

const names = (values: readonly string[], maxItems = Math.max(values.length, 1)): JsonSchema =>
  listOf({ type: "string", enum: values }, maxItems);

/** The members of a row that `fields` can name: those that it has without `include`. */
const selectable = ({ schema, components }: Described): readonly string[] =>
  [...propertiesOf(schema)].flatMap(([name, member]) => (isRelated({ schema: member, components }) ? [] : [name]));

const rowOf = ({ components }: Described, resource: string): Described => ({
  schema: Object.values(components).find((schema) => resourceOf(schema) === resource) ?? {},
  components,
});

/** A member's own type, without null and without the marks that say how answers show it. */
const memberValue = (schema: JsonSchema, components: Described["components"]): JsonSchema => {
  const whole = resolved({ schema, components });
  const branch = branchesOf(whole).find(({ type }) => type !== "null");
  const { description: _text, examples: _examples, default: _usual, ...value } = branch ?? whole;
  if (!Array.isArray(value.type)) return value;
  const [only, ...others] = value.type.filter((type: unknown) => type !== "null");
  return { ...value, type: others.length === 0 ? only : [only, ...others] };
};

const anyText: JsonSchema = { type: "string", maxLength: 8192 };

const filterOf = (subject: Described, field: string, op: string): JsonSchema => {
  const member = propertiesOf(subject.schema).get(field);
  const known = member === undefined ? anyText : memberValue(member, subject.components);
  // Lists compare texts and numbers. For an object they compare a text that the list chooses.
  const value = known.type === "object" ? anyText : known;
  if (op === "null") return { type: "boolean" };
  if (op === "contains" || op === "starts_with") return { type: "string", minLength: 1, maxLength: longestPiece };
  return op === "in" || op === "nin" ? listOf(value, maxValues) : value;
};

const takenBy = (
  name: string,
  schema: JsonSchema,
  conversion: Conversion | undefined,
  answer: Described | undefined,
): JsonSchema => {
  const filter = filterName.exec(name);
  const known = Array.isArray(schema[namesMark]) ? schema[namesMark].map(String) : undefined;
  if (answer === undefined) return schema;
  if (filter !== null) return filterOf(subjectOf(answer), filter[1] ?? "", filter[2] ?? "eq");
  if (name === "sort" && known !== undefined) {
    const fields = (conversion?.sortNamesDown(known) ?? known).flatMap((field) => [field, `-${field}`]);
    return names(fields, 3);
  }
  if (name === "include" && known !== undefined) return names(known);
  if (name === "fields") return names(selectable(subjectOf(answer)));
  const resource = resourceOf(schema);
  return resource === undefined ? schema : names(selectable(rowOf(answer, resource)));
};

/** Whether a parameter depends on the rows of its list, so that it differs from list to list. */
const ofItsRows = (name: string): boolean => ["fields", "include", "sort"].includes(name) || filterName.test(name);

/** The query parameters of an operation in a version. `answer` is its answer in that version. */
export const queryParametersOf = (
  version: ApiVersion,
  operation: Operation,
  answer: Described | undefined,
): readonly Readonly<Record<string, unknown>>[] => {
  if (operation.query === undefined) return [];
  const { schema } = describeSchema(operation.query, "input");
  const conversion = version.conversion(operation);
  const subject = (answer && resourceOf(subjectOf(answer).schema)) ?? operation.tag;
  return [...propertiesOf(schema)].flatMap(([newest, { description, ...rest }]) => {
    const name = conversion === undefined ? newest : conversion.parameterDown(newest);
    if (name === undefined) return [];
    const taken = takenBy(name, rest, conversion, answer);
    const { [usualMark]: usual, [namesMark]: _names, [marks.resource]: _resource, ...shown } = taken;
    const text = typeof description === "string" ? description : `Only those with this \`${name}\`.`;
    return {
      ...(ofItsRows(name) ? { [marks.part]: `${subject}_${name}` } : {}),
      name,
      in: "query",
      ...(Array.isArray(schema.required) && schema.required.includes(newest) ? { required: true } : {}),
      description: conversion?.textDown(text) ?? text,
      ...(shown.type === "array" ? { explode: false } : {}),
      // A parameter cannot be longer than the URL that contains it.
      schema: limited({
        ...(shown.type === "string" && shown.enum === undefined ? { maxLength: 8192 } : {}),
        ...shown,
        ...(usual === undefined ? {} : { default: usual }),
      }),
    };
  });
};
