import type { z } from "zod";
import { describeSchema } from "../../json-schema/json-schema.ts";
import type { MemberEffect } from "../version.ts";

/** The newer version has no such member any more. The older one goes on answering `value`, and takes the member without effect. */
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
