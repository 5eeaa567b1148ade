import type { z } from "zod";
import { describeSchema } from "../../json-schema/json-schema.ts";
import type { MemberEffect } from "../version.ts";

/**
 * The newer version does not have this member any more. The older version still answers `value`,
 * and accepts the member without effect.
 */
export const removeField = (field: {
  readonly resource: string;
  readonly field: string;
  readonly schema: z.ZodType;
  readonly value: unknown;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.field,
  schemaDown: () => describeSchema(field.schema, "output").schema,
  down: () => field.value,
  up: (value) => value,
  checked: true,
  placeDown: (inside) => inside,
});
