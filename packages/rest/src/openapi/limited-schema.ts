import type { JsonSchema } from "@postern/core";
import { mapSchema } from "../json-schema/json-schema.ts";

/** The length of the longest text of a known format. */
const longest: Readonly<Record<string, number>> = { uuid: 36, "date-time": 24, date: 10, email: 254 };

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
    const most = typeof format === "string" ? longest[format] : undefined;
    return most === undefined || maxLength !== undefined ? part : { ...part, maxLength: most };
  });
