import { valueAt } from "./value-at.ts";

/** A JSON Schema as data: draft 2020-12 or 7, with references within itself only. `format` is taken for the remark that it is. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

export interface SchemaIssue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

type Schema = JsonSchema | boolean;

/** A value under test, and what was found wrong so far. */
interface Visit {
  readonly root: JsonSchema;
  readonly path: readonly PropertyKey[];
  readonly depth: number;
  readonly issues: SchemaIssue[];
}

/** Adds what is wrong with `value` under one keyword, whose argument is `wanted`. */
type Check = (wanted: unknown, value: unknown, visit: Visit, schema: JsonSchema) => void;

const deepest = 64;
const remarks = new Set([
  ...["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "description", "default", "examples"],
  ...["deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType"],
  // Read together with `if`, `contains` and `items`.
  ...["then", "else", "minContains", "maxContains", "additionalItems"],
]);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const typeOf = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

const isOfType = (value: unknown, type: unknown): boolean =>
  type === "integer" ? Number.isInteger(value) : typeOf(value) === type;

/** Equality of JSON values: members in any order. */
const isEqual = (left: unknown, right: unknown): boolean => {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  if (isObject(left) && isObject(right)) {
    const names = Object.keys(left);
    const same = names.length === Object.keys(right).length;
    return same && names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]));
  }
  return left === right;
};

const issue = ({ path, issues }: Visit, message: string): void => {
  issues.push({ path, message });
};

const below = (visit: Visit, step: PropertyKey): Visit => ({ ...visit, path: [...visit.path, step] });

const visitAll = (schema: unknown, value: unknown, visit: Visit): void => {
  if (visit.depth > deepest) issue(visit, "it is nested too deeply");
  else if (schema === false) issue(visit, "it must not be there");
  // `readSchema` has seen that every schema is one.
  if (visit.depth > deepest || !isObject(schema)) return;
  const inside = { ...visit, depth: visit.depth + 1 };
  for (const [keyword, wanted] of Object.entries(schema)) checks[keyword]?.(wanted, value, inside, schema);
};

const fits = (schema: unknown, value: unknown, visit: Visit): boolean => {
  const issues: SchemaIssue[] = [];
  visitAll(schema, value, { ...visit, issues });
  return issues.length === 0;
};

/** A bound on what `measure` says of values that it knows. */
const bound =
  (
    measure: (value: unknown) => number | undefined,
    within: (size: number, limit: number) => boolean,
    words: string,
  ): Check =>
  (limit, value, visit) => {
    const size = measure(value);
    if (size !== undefined && !within(size, Number(limit))) issue(visit, `${words} ${String(limit)}`);
  };

const numeric = (value: unknown) => (typeof value === "number" ? value : undefined);
const characters = (value: unknown) => (typeof value === "string" ? [...value].length : undefined);
const itemCount = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const memberCount = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (size: number, limit: number) => size >= limit;
const atMost = (size: number, limit: number) => size <= limit;

const patterns = new Map<string, RegExp>();
const patternOf = (text: string): RegExp => {
  const known = patterns.get(text) ?? new RegExp(text, "u");
  patterns.set(text, known);
  return known;
};

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const asMembers = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : [];

/** `#`, or a pointer (RFC 6901) from the root. */
const referenced = (root: JsonSchema, reference: unknown): unknown => {
  if (reference === "#") return root;
  const steps = String(reference).startsWith("#/") ? String(reference).slice(2).split("/") : undefined;
  return steps?.reduce<unknown>(
    (here, step) => valueAt(here, [decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~")]),
    root,
  );
};

/** Which members the schema itself names: the others are the additional ones. */
const isNamed = ({ properties, patternProperties }: JsonSchema, name: string): boolean =>
  (isObject(properties) && Object.hasOwn(properties, name)) ||
  asMembers(patternProperties).some(([pattern]) => patternOf(pattern).test(name));

const checks: Readonly<Record<string, Check>> = {
  $ref: (reference, value, visit) => visitAll(referenced(visit.root, reference), value, visit),
  type: (type, value, visit) => {
    const types = Array.isArray(type) ? type : [type];
    if (!types.some((one) => isOfType(value, one)))
      issue(visit, `it is of type ${typeOf(value)}, not ${types.join(" or ")}`);
  },
  enum: (values, value, visit) => {
    if (!asList(values).some((one) => isEqual(one, value))) issue(visit, "it is not one of the values there are");
  },
  const: (wanted, value, visit) => {
    if (!isEqual(wanted, value)) issue(visit, "it is not the one value there is");
  },
  minimum: bound(numeric, atLeast, "it is less than"),
  maximum: bound(numeric, atMost, "it is more than"),
  exclusiveMinimum: bound(numeric, (size, limit) => size > limit, "it is not more than"),
  exclusiveMaximum: bound(numeric, (size, limit) => size < limit, "it is not less than"),
  multipleOf: bound(
    numeric,
    (size, step) => Number.isInteger(Number((size / step).toPrecision(12))),
    "it is no multiple of",
  ),
  minLength: bound(characters, atLeast, "its characters are fewer than"),
  maxLength: bound(characters, atMost, "its characters are more than"),
  pattern: (pattern, value, visit) => {
    if (typeof value === "string" && !patternOf(String(pattern)).test(value))
      issue(visit, `it does not match ${String(pattern)}`);
  },
  minItems: bound(itemCount, atLeast, "its items are fewer than"),
  maxItems: bound(itemCount, atMost, "its items are more than"),
  uniqueItems: (wanted, value, visit) => {
    if (wanted !== true || !Array.isArray(value)) return;
    const repeated = value.some((item, index) => value.slice(0, index).some((before) => isEqual(before, item)));
    if (repeated) issue(visit, "an item is there twice");
  },
  prefixItems: (schemas, value, visit) => {
    for (const [index, schema] of asList(schemas).entries()) {
      if (Array.isArray(value) && index < value.length) visitAll(schema, value[index], below(visit, index));
    }
  },
  items: (wanted, value, visit, { prefixItems, additionalItems }) => {
    if (!Array.isArray(value)) return;
    // In draft 7 a list stands for `prefixItems`, and `additionalItems` for the rest.
    const first = Array.isArray(wanted) ? wanted : asList(prefixItems);
    const rest = Array.isArray(wanted) ? (additionalItems ?? true) : wanted;
    for (const [index, item] of value.entries()) {
      if (index >= first.length) visitAll(rest, item, below(visit, index));
      else if (Array.isArray(wanted)) visitAll(first[index], item, below(visit, index));
    }
  },
  contains: (schema, value, visit, { minContains = 1, maxContains = Number.POSITIVE_INFINITY }) => {
    if (!Array.isArray(value)) return;
    const count = value.filter((item) => fits(schema, item, visit)).length;
    if (count < Number(minContains) || count > Number(maxContains))
      issue(visit, `${count} of its items are as asked for`);
  },
  minProperties: bound(memberCount, atLeast, "its members are fewer than"),
  maxProperties: bound(memberCount, atMost, "its members are more than"),
  required: (names, value, visit) => {
    if (!isObject(value)) return;
    for (const name of asList(names)) {
      if (!Object.hasOwn(value, String(name))) issue(below(visit, String(name)), "it is required");
    }
  },
  properties: (schemas, value, visit) => {
    for (const [name, schema] of asMembers(schemas)) {
      if (isObject(value) && Object.hasOwn(value, name)) visitAll(schema, value[name], below(visit, name));
    }
  },
  patternProperties: (schemas, value, visit) => {
    for (const [pattern, schema] of asMembers(schemas)) {
      for (const [name, member] of asMembers(value)) {
        if (patternOf(pattern).test(name)) visitAll(schema, member, below(visit, name));
      }
    }
  },
  additionalProperties: (schema, value, visit, whole) => {
    for (const [name, member] of asMembers(value)) {
      if (!isNamed(whole, name)) visitAll(schema, member, below(visit, name));
    }
  },
  propertyNames: (schema, value, visit) => {
    for (const [name] of asMembers(value)) visitAll(schema, name, below(visit, name));
  },
  dependentRequired: (dependents, value, visit, schema) => {
    for (const [name, names] of asMembers(dependents)) {
      if (isObject(value) && Object.hasOwn(value, name)) checks.required?.(names, value, visit, schema);
    }
  },
  dependentSchemas: (dependents, value, visit) => {
    for (const [name, schema] of asMembers(dependents)) {
      if (isObject(value) && Object.hasOwn(value, name)) visitAll(schema, value, visit);
    }
  },
  allOf: (schemas, value, visit) => {
    for (const schema of asList(schemas)) visitAll(schema, value, visit);
  },
  anyOf: (schemas, value, visit) => {
    if (!asList(schemas).some((schema) => fits(schema, value, visit)))
      issue(visit, "it fits none of the forms there are");
  },
  oneOf: (schemas, value, visit) => {
    const count = asList(schemas).filter((schema) => fits(schema, value, visit)).length;
    if (count !== 1) issue(visit, `it fits ${count} of the forms there are, not one`);
  },
  not: (schema, value, visit) => {
    if (fits(schema, value, visit)) issue(visit, "it is what it must not be");
  },
  if: (schema, value, visit, { then = true, else: otherwise = true }) =>
    visitAll(fits(schema, value, visit) ? then : otherwise, value, visit),
};

const schemaKeywords = new Set([
  ...["additionalProperties", "propertyNames", "contains", "not", "if", "then", "else", "additionalItems"],
]);
const listKeywords = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeywords = new Set(["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"]);
const typeNames = new Set(["null", "boolean", "object", "array", "number", "integer", "string"]);

/** @throws TypeError that says what in the schema makes no sense or cannot be checked here. */
const readSchema = (schema: unknown, root: JsonSchema, place: string): void => {
  const refuse = (what: string): never => {
    throw new TypeError(`${place}: ${what}`);
  };
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) throw new TypeError(`${place}: a schema is an object, true or false`);
  for (const [keyword, wanted] of Object.entries(schema)) {
    const here = `${place}/${keyword}`;
    if (checks[keyword] === undefined && !remarks.has(keyword)) refuse(`the keyword "${keyword}" is not known here`);
    if (schemaKeywords.has(keyword)) readSchema(wanted, root, here);
    if (keyword === "items" && !Array.isArray(wanted)) readSchema(wanted, root, here);
    if (listKeywords.has(keyword) || (keyword === "items" && Array.isArray(wanted))) {
      if (!Array.isArray(wanted)) refuse(`"${keyword}" takes a list of schemas`);
      for (const [index, one] of asList(wanted).entries()) readSchema(one, root, `${here}/${index}`);
    }
    if (mapKeywords.has(keyword)) {
      if (!isObject(wanted)) refuse(`"${keyword}" takes schemas by name`);
      for (const [name, one] of asMembers(wanted)) readSchema(one, root, `${here}/${name}`);
    }
    if (keyword === "type" && !(Array.isArray(wanted) ? wanted : [wanted]).every((name) => typeNames.has(String(name))))
      refuse(`there is no type ${JSON.stringify(wanted)}`);
    if (keyword === "enum" && !Array.isArray(wanted)) refuse('"enum" takes a list');
    if (/^(?:min|max|exclusive|multiple)/.test(keyword) && typeof wanted !== "number")
      refuse(`"${keyword}" takes a number`);
    if (keyword === "$ref" && referenced(root, wanted) === undefined) refuse(`nothing is at ${String(wanted)}`);
    if (keyword === "required" && !asList(wanted).every((name) => typeof name === "string"))
      refuse('"required" takes names');
    if (keyword === "pattern" || keyword === "patternProperties") {
      for (const pattern of keyword === "pattern" ? [String(wanted)] : Object.keys(wanted as object))
        readPattern(pattern, here);
    }
  }
};

const readPattern = (pattern: string, place: string): void => {
  try {
    patternOf(pattern);
  } catch {
    throw new TypeError(`${place}: ${pattern} is no regular expression`);
  }
};

/** What is wrong with a value under the schema, in the order it is found. @throws TypeError for a schema that makes no sense. */
export const compileJsonSchema = (schema: JsonSchema): ((value: unknown) => readonly SchemaIssue[]) => {
  readSchema(schema, schema, "#");
  return (value) => {
    const issues: SchemaIssue[] = [];
    visitAll(schema satisfies Schema, value, { root: schema, path: [], depth: 0, issues });
    return issues;
  };
};
