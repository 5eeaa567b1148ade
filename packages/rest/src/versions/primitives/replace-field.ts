import type { JsonSchema } from "@postern/core/parts";
import type { MemberEffect } from "../version.ts";

/**
 * The newer version has `to` in the place of `from`, in another form. `up` is called only with
 * values that satisfy the older schema. It need not restore everything that `down` removed: a value
 * that a caller sends back unchanged stays as it is stored.
 *
 * The older version filters by its own values. A filter looks for the result of `up` or, if the
 * newer values are a closed set, for each of them that `down` turns into the wanted value. `lt`,
 * `gt` and sorting stay where both forms are numbers, or both are days or moments; `down` must then
 * keep their order. Every other operator but `eq`, `ne`, `in`, `nin` and `null` is refused.
 */
export const replaceField = (field: {
  readonly resource: string;
  readonly from: string;
  /** The same name as `from` if only the form changed. */
  readonly to: string;
  readonly schemaDown: (newer: JsonSchema) => JsonSchema;
  readonly down: (value: unknown) => unknown;
  readonly up: (value: unknown) => unknown;
}): MemberEffect => ({
  on: "member",
  resource: field.resource,
  older: field.from,
  newer: field.to,
  schemaDown: field.schemaDown,
  down: field.down,
  up: field.up,
  checked: true,
  converts: true,
  placeDown: () => [],
});
