/** A JSON Schema as data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** True for a JSON object: neither an array nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
