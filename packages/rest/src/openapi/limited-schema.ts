import type { JsonSchema } from "@postern/core";
import { mapSchema } from "../json-schema/json-schema.ts";

const longest: Readonly<Record<string, number>> = { uuid: 36, "date-time": 24, date: 10, email: 254 };

/** The length of the longest text of a format, if the format implies one. */
export const longestOf = (format: unknown): number | undefined =>
  typeof format === "string" ? longest[format] : undefined;

/**
 * The same schema, with the limits that its format implies written out, for readers who do not know
 * the format.
 */
export const limited = (schema: JsonSchema): JsonSchema =>
  mapSchema(schema, (part) => {
    const { type, format, maxLength } = part;
    if (type === "integer" && format === undefined) {
      return { ...part, format: Number(part.maximum) <= 2_147_483_647 ? "int32" : "int64" };
    }
    const most = longestOf(format);
    return most === undefined || maxLength !== undefined ? part : { ...part, maxLength: most };
  });
