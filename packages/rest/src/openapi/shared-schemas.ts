import { isObject } from "@postern/core/internal";
import { referenced } from "../json-schema/json-schema.ts";
import type { Steps } from "../limits/steps.ts";
import { componentNames } from "./component-names.ts";
import { objectIn, type Part, reference, sortedByName } from "./document-parts.ts";
import { longestOf } from "./limited-schema.ts";

type Schemas = Readonly<Record<string, Part>>;

/** Keys whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"]);

/**
 * Copies a part of a document. `change` is called with each object in it, from the innermost out,
 * and returns what replaces it.
 */
const mapParts = (value: unknown, change: (part: Part) => Part): unknown => {
  if (Array.isArray(value)) return value.map((one: unknown) => mapParts(one, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(
      Object.entries(value).map(([key, inside]) => [key, data.has(key) ? inside : mapParts(inside, change)]),
    ),
  );
};

// A document holds only schemas at this place.
export const schemasOf = (document: Part): Schemas => objectIn(document, "components", "schemas") as Schemas;

const withSchemas = (document: Part, schemas: Schemas): Part => ({
  ...document,
  components: { ...objectIn(document, "components"), schemas },
});

const propertiesIn = (schema: Part): Part => objectIn(schema, "properties");

const suffix = "_selection";

/** A selection that other rows can build on: an object that requires nothing. */
const isBase = (name: string, schema: Part | undefined): schema is Part =>
  name.endsWith(suffix) &&
  schema?.type === "object" &&
  ["required", "additionalProperties", "allOf"].every((key) => !(key in schema));

/**
 * Among the selections whose members are in the row with the same content, the one with the most
 * members.
 */
const baseOf = (name: string, schema: Part, selections: Schemas): string | undefined => {
  const members = propertiesIn(schema);
  const fitting = Object.entries(selections).filter(([other, selection]) => {
    const stem = other.slice(0, -suffix.length);
    if (other === name || !isBase(other, selection) || !(name === stem || name.startsWith(`${stem}_`))) return false;
    const own = Object.entries(propertiesIn(selection));
    // If two selections have the same members, neither builds on the other.
    if (isBase(name, schema) && own.length >= Object.keys(members).length) return false;
    return own.length > 1 && own.every(([key, value]) => JSON.stringify(members[key]) === JSON.stringify(value));
  });
  const count = ([, selection]: readonly [string, Part]) => Object.keys(propertiesIn(selection)).length;
  return fitting.toSorted((left, right) => count(right) - count(left) || (left[0] < right[0] ? -1 : 1))[0]?.[0];
};

/**
 * A row is a selection with all its members required, and its own members. A base never builds on
 * another base, because generators look for required members only one step away.
 */
const withBases = (schemas: Schemas): Schemas => {
  const bases = Object.fromEntries(
    Object.entries(schemas).filter(
      ([name, schema]) => isBase(name, schema) && baseOf(name, schema, schemas) === undefined,
    ),
  );
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const base = schema.type === "object" ? baseOf(name, schema, bases) : undefined;
      if (base === undefined) return [name, schema];
      const inherited = propertiesIn(schemas[base] ?? {});
      const members = Object.entries(propertiesIn(schema));
      const own = members.filter(([key]) => !(key in inherited));
      const { type, properties: _members, ...rest } = schema;
      // hey-api honours `required` beside `allOf` only if there are also properties. So a row
      // without members of its own repeats the first one.
      const beside = Object.fromEntries(own.length === 0 ? members.slice(0, 1) : own);
      return [name, { type, allOf: [reference("schemas", base)], properties: beside, ...rest }];
    }),
  );
};

const withoutBases = (schemas: Schemas): Schemas => {
  const whole = (schema: Part): Part => {
    const [first, ...others] = Array.isArray(schema.allOf) ? schema.allOf : [];
    const base = isObject(first) && others.length === 0 ? referenced(first) : undefined;
    if (base === undefined || !base.endsWith(suffix)) return schema;
    const { type, allOf: _base, ...rest } = schema;
    const properties = { ...propertiesIn(schemas[base] ?? {}), ...propertiesIn(schema) };
    return { type, ...rest, properties };
  };
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, whole(schema)]));
};

const textKeys = ["type", "format", "minLength", "maxLength", "pattern"] as const;

/**
 * The keywords that describe a text with a pattern. The other keywords say what the text is for.
 */
const textIn = (schema: Part): Part | undefined => {
  if (schema.type !== "string" || typeof schema.pattern !== "string") return undefined;
  // Generators look for these beside the type, not beside a reference.
  if (schema.readOnly === true || schema.writeOnly === true) return undefined;
  return Object.fromEntries(textKeys.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
};

const nameOfText = ({ format, maxLength }: Part): string => {
  const kind = typeof format === "string" ? format.replaceAll("-", "_") : "text";
  return maxLength === undefined || maxLength === longestOf(format) ? kind : `${kind}_${String(maxLength)}`;
};

/** Writes each text with a pattern only once if several schemas use it. */
function* withTexts(document: Part): Steps<Part> {
  const uses = new Map<string, { readonly text: Part; uses: number }>();
  mapParts(document, (part) => {
    const text = textIn(part);
    if (text === undefined) return part;
    const content = JSON.stringify(text);
    const known = uses.get(content) ?? { text, uses: 0 };
    known.uses += 1;
    uses.set(content, known);
    return part;
  });
  yield;
  const present = schemasOf(document);
  const candidates = [...uses].flatMap(([content, { text, uses: count }]) =>
    count === 1 ? [] : [{ content, wanted: nameOfText(text), uses: count }],
  );
  const names = new Map([...componentNames(candidates)].filter(([, name]) => !(name in present)));
  const replaced = mapParts(document, (part) => {
    const text = textIn(part);
    const name = names.get(JSON.stringify(text));
    if (text === undefined || name === undefined) return part;
    const rest = Object.fromEntries(Object.entries(part).filter(([key]) => !(key in text)));
    return { ...reference("schemas", name), ...rest };
  }) as Part;
  const texts = [...names].map(([content, name]) => [name, uses.get(content)?.text ?? {}] as const);
  return withSchemas(replaced, { ...schemasOf(replaced), ...Object.fromEntries(texts) });
}

const withoutTexts = (document: Part): Part => {
  const schemas = schemasOf(document);
  const isText = (name: string | undefined): name is string => textIn(schemas[name ?? ""] ?? {}) !== undefined;
  const replaced = mapParts(document, (part) => {
    const name = referenced(part);
    if (!isText(name)) return part;
    const { $ref: _name, ...rest } = part;
    return { ...schemas[name], ...rest };
  }) as Part;
  return withSchemas(
    replaced,
    Object.fromEntries(Object.entries(schemasOf(replaced)).filter(([name]) => !isText(name))),
  );
};

/**
 * Returns a function that writes out schemas of a document where a part of it uses them: those whose
 * names another document does not have. So the two can be compared. A schema that contains itself
 * keeps its name inside.
 */
export const withoutNames = (document: Part, other: Part): ((part: Part) => Part) => {
  const [schemas, known] = [schemasOf(document), schemasOf(other)];
  const unfold = (value: unknown, inside: readonly string[]): Part =>
    mapParts(value, (part) => {
      const name = referenced(part);
      if (name === undefined || inside.includes(name)) return part;
      if (!Object.hasOwn(schemas, name) || Object.hasOwn(known, name)) return part;
      const { $ref: _name, ...rest } = part;
      return { ...unfold(schemas[name], [...inside, name]), ...rest };
    }) as Part;
  return (part) => unfold(part, []);
};

/**
 * The same document with schemas that build on one another. A whole row is its selection with
 * `required`; a text with a pattern is a component of its own.
 */
export function* sharedSchemas(document: Part): Steps<Part> {
  const texts = yield* withTexts(document);
  yield;
  return withSchemas(texts, sortedByName(Object.entries(withBases(schemasOf(texts)))));
}

/** The same document with each schema written out, as it was before `sharedSchemas`. */
export const writtenOutSchemas = (document: Part): Part =>
  withoutTexts(withSchemas(document, withoutBases(schemasOf(document))));
