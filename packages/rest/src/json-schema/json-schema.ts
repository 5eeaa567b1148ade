import type { JsonSchema } from "@postern/core";
import { emailPattern, isObject } from "@postern/core/internal";
import { z } from "zod";

/*
 * JSON Schemas that describe the API, made from zod. Their references point to
 * `#/components/schemas/…`, as in OpenAPI. Core reads the schemas that an application provides for
 * checking payloads.
 */

/** A schema, with the named schemas that it refers to, directly or through others. */
export interface Described {
  readonly schema: JsonSchema;
  readonly components: Readonly<Record<string, JsonSchema>>;
}

/**
 * Postern's own marks in schemas. The code for versions finds rows of a resource and lists by them.
 * Readers of the OpenAPI document may use them, too.
 */
export const marks = {
  /** On an object: it is a row of this resource, or a body that writes one. */
  resource: "x-resource",
  /** On an object: it is a list, `{ data, page }`. */
  list: "x-list",
  /**
   * On a row: the members that every answer with a whole row has. Documents say `required` instead.
   */
  always: "x-always",
  /** On a body: an example. As `examples` it would be lost when schemas are converted. */
  example: "x-example",
  /**
   * On a parameter or a response of an operation: its name as a component. Documents do not show
   * this mark.
   */
  part: "x-part",
} as const;

const prefix = "#/components/schemas/";

/** The name of the component that a schema refers to. */
export const referenced = (schema: JsonSchema): string | undefined =>
  typeof schema.$ref === "string" && schema.$ref.startsWith(prefix) ? schema.$ref.slice(prefix.length) : undefined;

/**
 * A zod schema never changes, and versions, conversions and the change log ask for the same ones
 * again and again.
 */
const describedBefore = { input: new WeakMap<z.ZodType, Described>(), output: new WeakMap<z.ZodType, Described>() };

/** Most schemas of operations are made when they are first used: at a start, that is most of the work. */
const made = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodLazy ? made(schema.unwrap() as z.ZodType) : schema;

/** The schemas of an operation's query parameters, by name. */
export const parameterSchemas = (query: z.ZodType | undefined): ReadonlyMap<string, JsonSchema> =>
  query === undefined ? new Map() : propertiesOf(describeSchema(query, "input").schema);

/** The names of an operation's query parameters. They are known without describing their schemas. */
export const parametersOf = (query: z.ZodType | undefined): readonly string[] => {
  const schema = query === undefined ? undefined : made(query);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
};

/** Whether documents describe a query parameter as a list, although it arrives as a text. */
export const isListParameter = (query: z.ZodType | undefined, name: string): boolean => {
  const schema = query === undefined ? undefined : made(query);
  const shape: Readonly<Record<string, z.ZodType>> = schema instanceof z.ZodObject ? schema.shape : {};
  return shape[name]?.meta()?.type === "array";
};

/** A zod schema as JSON Schema. Schemas with an `id` in their metadata become components. */
export const describeSchema = (given: z.ZodType, io: "input" | "output"): Described => {
  const schema = made(given);
  const before = describedBefore[io].get(schema);
  if (before !== undefined) return before;
  const described = describe(schema, io);
  describedBefore[io].set(schema, described);
  return described;
};

const describe = (schema: z.ZodType, io: "input" | "output"): Described => {
  // Wrapped in an object, so that a named schema is a reference even at the root.
  const made = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: "any", cycles: "ref" });
  const { properties, $defs = {} } = moved(made, "#/$defs/", prefix);
  const components: Record<string, JsonSchema> = {};
  for (const [name, component] of Object.entries($defs)) {
    const { id: _name, ...rest } = component;
    components[name] = rest;
  }
  return { schema: properties.root, components };
};

const moved = (value: unknown, from: string, to: string) =>
  // We made this JSON document ourselves; only its references change.
  JSON.parse(JSON.stringify(value).replaceAll(`"$ref":"${from}`, `"$ref":"${to}`)) as {
    readonly properties: { readonly root: JsonSchema };
    readonly $defs?: Readonly<Record<string, JsonSchema>>;
  };

/**
 * The zod schema for a described schema. It checks the schemas of older versions, which are
 * computed.
 */
export const checkerOf = ({ schema, components }: Described): z.ZodType => {
  const $defs = Object.fromEntries(Object.entries(components).map(([name, part]) => [name, withOwnEmail(part)]));
  return z.fromJSONSchema(moved({ ...withOwnEmail(schema), $defs }, prefix, "#/$defs/") as never);
};

/** zod reads `format: "email"` more narrowly than Postern takes addresses. */
const withOwnEmail = (schema: JsonSchema): JsonSchema =>
  mapSchema(schema, (part) => {
    if (part.format !== "email") return part;
    const { format: _format, ...rest } = part;
    return { pattern: emailPattern, ...rest };
  });

/** The members of an object schema, in order. */
export const propertiesOf = (schema: JsonSchema): ReadonlyMap<string, JsonSchema> =>
  new Map(
    Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, member]) =>
      isObject(member) ? [[name, member] as const] : [],
    ),
  );

/** The alternatives of a union or the parts of an intersection; none for any other schema. */
export const branchesOf = (schema: JsonSchema): readonly JsonSchema[] =>
  ["anyOf", "oneOf", "allOf"].flatMap((key) => {
    const branches = schema[key];
    return Array.isArray(branches) ? branches.filter(isObject) : [];
  });

export const isNullable = (schema: JsonSchema): boolean => {
  const { type } = schema;
  return type === "null" || (Array.isArray(type) && type.includes("null")) || branchesOf(schema).some(isNullable);
};

/** A schema, with references at its front resolved. */
export const resolved = ({ schema, components }: Described): JsonSchema => {
  const name = referenced(schema);
  return name === undefined ? schema : resolved({ schema: components[name] ?? {}, components });
};

/** The resource whose rows a schema describes, alone or as a list. */
export const resourceOf = (schema: JsonSchema): string | undefined => {
  const resource = schema[marks.resource];
  return typeof resource === "string" ? resource : undefined;
};

export const isList = (schema: JsonSchema): boolean => schema[marks.list] === true;

/**
 * The row schema that an answer is about: the answer itself, or the items if it is a list, wrapped
 * or bare.
 */
export const subjectOf = (described: Described): Described => {
  const schema = resolved(described);
  const { components } = described;
  const items = isList(schema) ? propertiesOf(schema).get("data")?.items : schema.items;
  return isObject(items) ? { schema: resolved({ schema: items, components }), components } : { schema, components };
};

/** Whether two values are the same JSON. */
export const sameJson = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/**
 * Copies a schema and replaces each schema in it, from the innermost out and last itself, by the
 * result of `change`.
 */
export const mapSchema = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema => {
  const inside = (value: unknown): unknown => (isObject(value) ? mapSchema(value, change) : value);
  const next: Record<string, unknown> = { ...schema };
  if (isObject(schema.properties)) {
    next.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, inside(member)]),
    );
  }
  for (const key of ["items", "additionalProperties", "propertyNames"]) {
    if (key in schema) next[key] = inside(schema[key]);
  }
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const branches = schema[key];
    if (Array.isArray(branches)) next[key] = branches.map(inside);
  }
  return change(next);
};
