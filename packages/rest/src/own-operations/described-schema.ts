import { AppError, type Fault, type JsonSchema, type StandardSchema } from "@postern/core";
import { describeFaults, isObject, mostFaults, standardPointer } from "@postern/core/internal";
import { z } from "zod";
import { marks, propertiesOf } from "../json-schema/json-schema.ts";

type Schema = StandardSchema<unknown, unknown>;

/** A schema of Zod, of any copy of it. */
const isZod = (schema: Schema): schema is Schema & z.ZodType => schema instanceof z.ZodType;

/** What a library says about its schema; `undefined` if it offers no JSON Schema, or not for this one. */
const jsonSchemaOf = (schema: Schema, io: "input" | "output"): JsonSchema | undefined => {
  try {
    const { $schema: _dialect, ...described } = schema["~standard"].jsonSchema?.[io]({ target: "draft-2020-12" }) ?? {};
    return Object.keys(described).length === 0 ? undefined : described;
  } catch {
    return undefined;
  }
};

/** Any object, where a library does not say more. */
const anyObject: JsonSchema = { type: "object" };

/** A plain `z.object` would drop members without a word. */
const strict = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;

/**
 * A schema under the name by which version changes know it: `renameField` and others take it as
 * `resource`. A component's name that it has stays with the schema as it was given.
 */
const named = (schema: z.ZodType, given: z.ZodType, name: string): z.ZodType => {
  const { id: _component, ...meta } = given.meta() ?? {};
  return schema.meta({ ...meta, [marks.resource]: name });
};

/**
 * The schema of a body for the engine. One that is no Zod is only described, and checked by
 * `checkedInput`.
 */
export const bodySchemaOf = (schema: Schema, name: string): z.ZodType =>
  isZod(schema)
    ? named(strict(schema), schema, name)
    : z.unknown().meta({ ...(jsonSchemaOf(schema, "input") ?? anyObject), [marks.resource]: name });

/** The same for a query: its parameters are known by name. `undefined` if the library does not name them. */
export const querySchemaOf = (schema: Schema): z.ZodType | undefined => {
  if (isZod(schema)) return schema instanceof z.ZodObject ? strict(schema) : undefined;
  const described = jsonSchemaOf(schema, "input");
  if (described === undefined || described.type !== "object") return undefined;
  const needed: readonly unknown[] = Array.isArray(described.required) ? described.required : [];
  return z.strictObject(
    Object.fromEntries(
      [...propertiesOf(described)].map(([name, member]) => {
        const value = z.unknown().meta(member);
        return [name, needed.includes(name) ? value : value.optional()];
      }),
    ),
  );
};

/** The schema of an answer for documents, and for the conversion to other versions. */
export const answerSchemaOf = (schema: Schema, name: string): z.ZodType =>
  isZod(schema)
    ? named(schema, schema, name)
    : z.unknown().meta({ ...jsonSchemaOf(schema, "output"), [marks.resource]: name });

/**
 * The value as the schema returns it. Zod has checked it already.
 * @throws AppError `validation_failed` for a body, `invalid_parameter` for a query, with each fault.
 */
export const checkedInput = async (schema: Schema, value: unknown, from: "query" | "body"): Promise<unknown> => {
  if (isZod(schema)) return value;
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined) return result.value;
  const faults = result.issues.slice(0, mostFaults).map((issue): Fault => {
    const pointer = standardPointer(issue);
    const place = from === "body" ? { pointer } : { parameter: pointer.slice(1) };
    return { ...place, code: "invalid_value", detail: issue.message };
  });
  const code = from === "body" ? "validation_failed" : "invalid_parameter";
  throw new AppError(code, { detail: describeFaults(faults), faults });
};

/**
 * An answer as its schema returns it.
 * @throws AppError `bad_output`; its cause names each place that does not fit, and never a value.
 */
export const checkedOutput = async (id: string, schema: Schema, value: unknown): Promise<unknown> => {
  const result = await schema["~standard"].validate(value);
  if (result.issues === undefined && isJson(result.value)) return result.value;
  const places =
    result.issues === undefined
      ? ["it is no JSON"]
      : result.issues.map((issue) => `${standardPointer(issue) || "the whole"}: ${issue.message}`);
  throw badOutput(id, places.slice(0, mostFaults));
};

export const badOutput = (id: string, places: readonly string[]): AppError => {
  const cause = new TypeError(`the answer of "${id}" does not fit its \`output\`: ${places.join("; ")}`);
  return new AppError("bad_output", { cause });
};

/** Whether JSON can hold a value without loss. */
const isJson = (value: unknown): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean" || value === undefined) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (!isObject(value)) return false;
  const kind: unknown = Object.getPrototypeOf(value);
  return (kind === Object.prototype || kind === null) && Object.values(value).every(isJson);
};
