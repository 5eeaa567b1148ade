import type { JsonSchema } from "@postern/core";
import { isObject } from "@postern/core/internal";
import { branchesOf, type Described, marks, propertiesOf, resolved, resourceOf } from "../json-schema/json-schema.ts";

const byFormat: Readonly<Record<string, string>> = {
  uuid: "019a5e2c-7d4b-7c3e-9f10-2b6f8c1d4e5a",
  "date-time": "2026-11-21T08:30:00.000Z",
  date: "2026-11-21",
  email: "ada@example.com",
  uri: "https://example.com/",
};

/**
 * A value that satisfies a schema, always the same one: the schema's own example, or the simplest
 * value that it allows.
 */
export const exampleOf = (described: Described): unknown => {
  const { components } = described;
  const schema = resolved(described);
  const inside = (part: JsonSchema): unknown => exampleOf({ schema: part, components });
  if (marks.example in schema) return schema[marks.example];
  if (Array.isArray(schema.examples)) return schema.examples[0];
  for (const name of ["const", "default"]) if (name in schema) return schema[name];
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [branch] = branchesOf(schema);
  if (branch !== undefined) return inside(branch);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "string") return byFormat[String(schema.format)] ?? textOf(schema);
  if (type === "integer" || type === "number") return Math.max(Number(schema.minimum ?? 0), 0);
  if (type === "boolean") return true;
  if (type === "array") return isObject(schema.items) ? [inside(schema.items)] : [];
  if (type !== "object") return null;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    [...propertiesOf(schema)]
      // Members that a row has only on request do not belong in an example.
      .filter(([name, member]) => required.includes(name) || !isRelated({ schema: member, components }))
      .filter(([name, member]) => required.includes(name) || (member.readOnly !== true && saysAnything(member)))
      .map(([name, member]) => [name, inside(member)]),
  );
};

/** Whether a schema says what its values are like. */
const saysAnything = (schema: JsonSchema): boolean =>
  ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "examples", "default"].some((name) => name in schema);

const plainTexts = ["text", "1", "correct horse battery", "YQ==", "/api", "https://example.com/"];

/** The first of some simple texts that the schema accepts. */
const textOf = ({ pattern, minLength, maxLength }: JsonSchema): string =>
  plainTexts.find(
    (text) =>
      (typeof pattern !== "string" || new RegExp(pattern, "u").test(text)) &&
      text.length >= Number(minLength ?? 0) &&
      text.length <= Number(maxLength ?? Infinity),
  ) ?? "";

/** Whether a member of a row holds rows or lists of other resources. */
export const isRelated = ({ schema, components }: Described): boolean => {
  const parts = [schema, ...branchesOf(schema)].map((part) => resolved({ schema: part, components }));
  return parts.some((part) => resourceOf(part) !== undefined || propertiesOf(part).get("data")?.type === "array");
};
