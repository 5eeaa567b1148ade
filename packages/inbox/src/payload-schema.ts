import type { JsonSchema, StandardSchema } from "@postern/core";
import { compileJsonSchema, standardPointer, type Validation } from "@postern/core/internal";

/** A description of events that a handler accepts. */
export type PayloadSchema<Output = unknown> = StandardSchema<Output> | JsonSchema;

const isStandard = <Output>(schema: PayloadSchema<Output>): schema is StandardSchema<Output> => "~standard" in schema;

const standardSchema = (schema: JsonSchema): StandardSchema => {
  try {
    const issuesOf = compileJsonSchema(schema);
    const validate = (value: unknown): Validation<unknown> => {
      const issues = issuesOf(value);
      return issues.length === 0 ? { value } : { issues };
    };
    return { "~standard": { version: 1, vendor: "postern", validate } };
  } catch (thrown) {
    throw new TypeError(
      `this JSON Schema cannot be used: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    );
  }
};

const compiled = new WeakMap<JsonSchema, StandardSchema>();

/**
 * Prepares a schema for checking; a JSON Schema is compiled once.
 * @throws TypeError for a JSON Schema that is invalid or uses something unsupported.
 */
export const compileSchema = <Output>(schema: PayloadSchema<Output>): StandardSchema<Output> => {
  if (isStandard(schema)) return schema;
  let known = compiled.get(schema);
  if (known === undefined) {
    known = standardSchema(schema);
    compiled.set(schema, known);
  }
  // For a JSON Schema, you state the described type by the type parameter.
  return known as StandardSchema<Output>;
};

const mostIssues = 5;
const longestReason = 1_000;

/**
 * The payload as the schema returns it, or what is wrong with it: where (RFC 6901) and why, never a
 * value.
 */
export const checkPayload = async <Output>(
  schema: PayloadSchema<Output>,
  payload: unknown,
): Promise<{ readonly value: Output } | { readonly fault: string }> => {
  const result = await compileSchema(schema)["~standard"].validate(payload);
  if (result.issues === undefined) return { value: result.value };
  const shown = result.issues
    .slice(0, mostIssues)
    .map((issue) => `${standardPointer(issue) || "the payload"}: ${issue.message}`);
  const more = result.issues.length - shown.length;
  return { fault: [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ").slice(0, longestReason) };
};
